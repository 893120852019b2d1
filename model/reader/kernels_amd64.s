#include "textflag.h"

// The kernels of kernels_amd64.go. Strides are in bytes. All counts are what the Go
// wrappers promise; nothing here reads or writes outside them.

#define CONST8(name, value) \
	DATA name<>+0(SB)/4, value \
	DATA name<>+4(SB)/4, value \
	DATA name<>+8(SB)/4, value \
	DATA name<>+12(SB)/4, value \
	DATA name<>+16(SB)/4, value \
	DATA name<>+20(SB)/4, value \
	DATA name<>+24(SB)/4, value \
	DATA name<>+28(SB)/4, value \
	GLOBL name<>(SB), RODATA|NOPTR, $32

CONST8(expLow, $0xC2AE999A)   // -87.3
CONST8(log2e, $0x3FB8AA3B)
CONST8(ln2Hi, $0x3F318000)
CONST8(ln2Lo, $0xB95E8083)
CONST8(exp0, $0x39506967)
CONST8(exp1, $0x3AB743CE)
CONST8(exp2, $0x3C088908)
CONST8(exp3, $0x3D2AA9C1)
CONST8(exp4, $0x3E2AAAAA)
CONST8(exp5, $0x3F000000)
CONST8(one, $0x3F800000)
CONST8(half, $0x3F000000)
CONST8(absMask, $0x7FFFFFFF)
CONST8(signMask, $0x80000000)
CONST8(rootHalf, $0x3F3504F3) // 1/√2
CONST8(erfP, $0x3EA7BA05)
CONST8(erf1, $0x3E827906)
CONST8(erf2, $0xBE91A98E)
CONST8(erf3, $0x3FB5F0E3)
CONST8(erf4, $0xBFBA00E3)
CONST8(erf5, $0x3F87DC22)

// EXP replaces X by e^X; T, U and V are overwritten. X is at most 0.
#define EXP(X, T, U, V) \
	VMAXPS expLow<>(SB), X, X \
	VMULPS log2e<>(SB), X, T \
	VROUNDPS $0, T, T \
	VFNMADD231PS ln2Hi<>(SB), T, X \
	VFNMADD231PS ln2Lo<>(SB), T, X \
	VMOVUPS exp0<>(SB), U \
	VFMADD213PS exp1<>(SB), X, U \
	VFMADD213PS exp2<>(SB), X, U \
	VFMADD213PS exp3<>(SB), X, U \
	VFMADD213PS exp4<>(SB), X, U \
	VFMADD213PS exp5<>(SB), X, U \
	VMULPS X, X, V \
	VFMADD213PS X, V, U \
	VADDPS one<>(SB), U, U \
	VCVTPS2DQ T, T \
	VPSLLD $23, T, T \
	VPADDD T, U, X

// HSUM adds the eight lanes of Y, whose low half is X, into the lowest lane of X; T is
// overwritten.
#define HSUM(Y, X, T) \
	VEXTRACTF128 $1, Y, T \
	VADDPS T, X, X \
	VHADDPS X, X, X \
	VHADDPS X, X, X

// HMAX puts the largest of the eight lanes of Y, whose low half is X, into all lanes of
// X; T is overwritten.
#define HMAX(Y, X, T) \
	VEXTRACTF128 $1, Y, T \
	VMAXPS T, X, X \
	VPERMILPS $0x4E, X, T \
	VMAXPS T, X, X \
	VPERMILPS $0xB1, X, T \
	VMAXPS T, X, X

// func expandAVX2(dst *int16, src *int8, n int)
TEXT ·expandAVX2(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	SHRQ $5, CX

expand:
	VPMOVSXBW (SI), Y0
	VPMOVSXBW 16(SI), Y1
	VMOVDQU   Y0, (DI)
	VMOVDQU   Y1, 32(DI)
	ADDQ      $32, SI
	ADDQ      $64, DI
	DECQ      CX
	JNZ       expand
	VZEROUPPER
	RET

// One pair of a block: its values times the steps of the sixteen outputs.
#define STEPPED(N) \
	VPMOVSXBW (32*N)(SI), Y0 \
	VPMOVSXBW (32*N+16)(SI), Y1 \
	VPMULLW Y2, Y0, Y0 \
	VPMULLW Y3, Y1, Y1 \
	VMOVDQU Y0, (64*N)(DI) \
	VMOVDQU Y1, (64*N+32)(DI)

// func expandBlocksAVX2(dst *int16, src *int8, steps *int16, blocks int)
TEXT ·expandBlocksAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ steps+16(FP), DX
	MOVQ blocks+24(FP), R8

block:
	VMOVDQU (DX), Y2
	VMOVDQU 32(DX), Y3
	MOVQ    $4, CX

stepped:
	STEPPED(0)
	STEPPED(1)
	STEPPED(2)
	STEPPED(3)
	ADDQ $128, SI
	ADDQ $256, DI
	DECQ CX
	JNZ  stepped
	ADDQ $64, DX
	DECQ R8
	JNZ  block
	VZEROUPPER
	RET

// One row of four: a pair of values times sixteen columns, added to ACC0 and ACC1.
#define ROW(A, ACC0, ACC1) \
	VPBROADCASTD A, Y10 \
	VPMADDWD Y8, Y10, Y11 \
	VPMADDWD Y9, Y10, Y10 \
	VPADDD Y11, ACC0, ACC0 \
	VPADDD Y10, ACC1, ACC1

#define PAIR(N) \
	VMOVDQU (64*N)(DX), Y8 \
	VMOVDQU (64*N+32)(DX), Y9 \
	ROW((4*N)(AX), Y0, Y1) \
	ROW((4*N)(AX)(R9*1), Y2, Y3) \
	ROW((4*N)(AX)(R9*2), Y4, Y5) \
	ROW((4*N)(BX)(R9*2), Y6, Y7)

#define SCALED(N, ACC0, ACC1, OUT0, OUT1) \
	VBROADCASTSS (4*N)(R13), Y8 \
	VCVTDQ2PS ACC0, ACC0 \
	VCVTDQ2PS ACC1, ACC1 \
	VMULPS Y8, ACC0, ACC0 \
	VMULPS Y8, ACC1, ACC1 \
	VFMADD213PS Y14, Y12, ACC0 \
	VFMADD213PS Y15, Y13, ACC1 \
	VMOVUPS ACC0, OUT0 \
	VMOVUPS ACC1, OUT1

// func panelAVX2(out *float32, outStride int, a *int16, aStride int, rows int, w *int16, pairs int, rowScales, colScales, bias *float32)
TEXT ·panelAVX2(SB), NOSPLIT, $0-80
	MOVQ    out+0(FP), DI
	MOVQ    outStride+8(FP), R8
	MOVQ    a+16(FP), SI
	MOVQ    aStride+24(FP), R9
	MOVQ    rows+32(FP), R10
	MOVQ    w+40(FP), R11
	MOVQ    pairs+48(FP), R12
	MOVQ    rowScales+56(FP), R13
	MOVQ    colScales+64(FP), AX
	MOVQ    bias+72(FP), BX
	VMOVUPS (AX), Y12
	VMOVUPS 32(AX), Y13
	VMOVUPS (BX), Y14
	VMOVUPS 32(BX), Y15
	SHRQ    $2, R12

quad:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	VPXOR Y6, Y6, Y6
	VPXOR Y7, Y7, Y7
	MOVQ  SI, AX
	LEAQ  (SI)(R9*1), BX
	MOVQ  R11, DX
	MOVQ  R12, CX

pair:
	PAIR(0)
	PAIR(1)
	PAIR(2)
	PAIR(3)
	ADDQ $16, AX
	ADDQ $16, BX
	ADDQ $256, DX
	DECQ CX
	JNZ  pair

	LEAQ (DI)(R8*2), CX
	SCALED(0, Y0, Y1, (DI), 32(DI))
	SCALED(1, Y2, Y3, (DI)(R8*1), 32(DI)(R8*1))
	SCALED(2, Y4, Y5, (CX), 32(CX))
	SCALED(3, Y6, Y7, (CX)(R8*1), 32(CX)(R8*1))
	LEAQ (DI)(R8*4), DI
	LEAQ (SI)(R9*4), SI
	ADDQ $16, R13
	SUBQ $4, R10
	JNZ  quad
	VZEROUPPER
	RET

// func matmul4AVX2(c *float32, cStride int, a *float32, aStride int, b *float32, bStride int, n, k int)
TEXT ·matmul4AVX2(SB), NOSPLIT, $0-64
	MOVQ c+0(FP), DI
	MOVQ cStride+8(FP), R8
	MOVQ a+16(FP), SI
	MOVQ aStride+24(FP), R9
	MOVQ b+32(FP), R11
	MOVQ bStride+40(FP), R10
	MOVQ n+48(FP), R12
	MOVQ k+56(FP), R13
	SHRQ $4, R12

columns4:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	MOVQ   SI, AX
	LEAQ   (SI)(R9*1), BX
	MOVQ   R11, DX
	MOVQ   R13, CX

inner4:
	VMOVUPS      (DX), Y8
	VMOVUPS      32(DX), Y9
	VBROADCASTSS (AX), Y10
	VBROADCASTSS (AX)(R9*1), Y11
	VBROADCASTSS (AX)(R9*2), Y12
	VBROADCASTSS (BX)(R9*2), Y13
	VFMADD231PS  Y8, Y10, Y0
	VFMADD231PS  Y9, Y10, Y1
	VFMADD231PS  Y8, Y11, Y2
	VFMADD231PS  Y9, Y11, Y3
	VFMADD231PS  Y8, Y12, Y4
	VFMADD231PS  Y9, Y12, Y5
	VFMADD231PS  Y8, Y13, Y6
	VFMADD231PS  Y9, Y13, Y7
	ADDQ         $4, AX
	ADDQ         $4, BX
	ADDQ         R10, DX
	DECQ         CX
	JNZ          inner4

	LEAQ    (DI)(R8*2), CX
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, (DI)(R8*1)
	VMOVUPS Y3, 32(DI)(R8*1)
	VMOVUPS Y4, (CX)
	VMOVUPS Y5, 32(CX)
	VMOVUPS Y6, (CX)(R8*1)
	VMOVUPS Y7, 32(CX)(R8*1)
	ADDQ    $64, DI
	ADDQ    $64, R11
	DECQ    R12
	JNZ     columns4
	VZEROUPPER
	RET

// func matmul1AVX2(c, a, b *float32, bStride int, n, k int)
TEXT ·matmul1AVX2(SB), NOSPLIT, $0-48
	MOVQ c+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), R11
	MOVQ bStride+24(FP), R10
	MOVQ n+32(FP), R12
	MOVQ k+40(FP), R13
	SHRQ $4, R12

columns1:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	MOVQ   SI, AX
	MOVQ   R11, DX
	MOVQ   R13, CX

inner1:
	VBROADCASTSS (AX), Y10
	VFMADD231PS  (DX), Y10, Y0
	VFMADD231PS  32(DX), Y10, Y1
	ADDQ         $4, AX
	ADDQ         R10, DX
	DECQ         CX
	JNZ          inner1

	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	ADDQ    $64, DI
	ADDQ    $64, R11
	DECQ    R12
	JNZ     columns1
	VZEROUPPER
	RET

// func softmaxAVX2(row *float32, n int, scale float32)
TEXT ·softmaxAVX2(SB), NOSPLIT, $0-20
	MOVQ         row+0(FP), SI
	MOVQ         n+8(FP), R8
	VBROADCASTSS scale+16(FP), Y7
	SHRQ         $3, R8
	MOVQ         SI, AX
	MOVQ         R8, CX
	VMOVUPS      (SI), Y0

peak:
	VMAXPS (AX), Y0, Y0
	ADDQ   $32, AX
	DECQ   CX
	JNZ    peak
	HMAX(Y0, X0, X1)
	VBROADCASTSS X0, Y6
	VXORPS       Y5, Y5, Y5
	MOVQ         SI, AX
	MOVQ         R8, CX

exps:
	VMOVUPS (AX), Y0
	VSUBPS  Y6, Y0, Y0
	VMULPS  Y7, Y0, Y0
	EXP(Y0, Y1, Y2, Y3)
	VMOVUPS Y0, (AX)
	VADDPS  Y0, Y5, Y5
	ADDQ    $32, AX
	DECQ    CX
	JNZ     exps
	HSUM(Y5, X5, X1)
	VMOVSS       one<>(SB), X0
	VDIVSS       X5, X0, X0
	VBROADCASTSS X0, Y5
	MOVQ         R8, CX

share:
	VMULPS  (SI), Y5, Y0
	VMOVUPS Y0, (SI)
	ADDQ    $32, SI
	DECQ    CX
	JNZ     share
	VZEROUPPER
	RET

// func geluAVX2(x *float32, n int)
TEXT ·geluAVX2(SB), NOSPLIT, $0-16
	MOVQ x+0(FP), SI
	MOVQ n+8(FP), CX
	SHRQ $3, CX

gelu:
	VMOVUPS     (SI), Y0
	VANDPS      absMask<>(SB), Y0, Y1    // |x|
	VMULPS      rootHalf<>(SB), Y1, Y2   // z
	VMOVUPS     one<>(SB), Y3
	VMOVAPS     Y3, Y4
	VFMADD231PS erfP<>(SB), Y2, Y4       // 1 + p z
	VDIVPS      Y4, Y3, Y4               // t
	VMULPS      Y2, Y2, Y2
	VXORPS      signMask<>(SB), Y2, Y2   // -z²
	EXP(Y2, Y5, Y6, Y7)
	VMOVUPS     erf5<>(SB), Y5
	VFMADD213PS erf4<>(SB), Y4, Y5
	VFMADD213PS erf3<>(SB), Y4, Y5
	VFMADD213PS erf2<>(SB), Y4, Y5
	VFMADD213PS erf1<>(SB), Y4, Y5
	VMULPS      Y4, Y5, Y5
	VFNMADD213PS Y3, Y2, Y5              // erf(z) = 1 - poly e^(-z²)
	VFMADD213PS Y0, Y1, Y5               // x + |x| erf
	VMULPS      half<>(SB), Y5, Y5
	VMOVUPS     Y5, (SI)
	ADDQ        $32, SI
	DECQ        CX
	JNZ         gelu
	VZEROUPPER
	RET

// func quantizeAVX2(dst *int16, src *float32, n int, levels, least float32) float32
TEXT ·quantizeAVX2(SB), NOSPLIT, $0-36
	MOVQ    dst+0(FP), DI
	MOVQ    src+8(FP), SI
	MOVQ    n+16(FP), R8
	SHRQ    $4, R8
	VMOVUPS absMask<>(SB), Y4
	VXORPS  Y0, Y0, Y0
	VXORPS  Y1, Y1, Y1
	MOVQ    SI, AX
	MOVQ    R8, CX

largest:
	VANDPS (AX), Y4, Y2
	VANDPS 32(AX), Y4, Y3
	VMAXPS Y2, Y0, Y0
	VMAXPS Y3, Y1, Y1
	ADDQ   $64, AX
	DECQ   CX
	JNZ    largest
	VMAXPS   Y1, Y0, Y0
	HMAX(Y0, X0, X1)
	VMOVSS   levels+24(FP), X2
	VUCOMISS least+28(FP), X0
	JBE      nothing
	VDIVSS   X0, X2, X3      // levels / peak
	VDIVSS   X2, X0, X0      // peak / levels
	VMOVSS   X0, ret+32(FP)
	VBROADCASTSS X3, Y3

integers:
	VMULPS    (SI), Y3, Y0
	VMULPS    32(SI), Y3, Y1
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VPACKSSDW Y1, Y0, Y0
	VPERMQ    $0xD8, Y0, Y0
	VMOVDQU   Y0, (DI)
	ADDQ      $64, SI
	ADDQ      $32, DI
	DECQ      R8
	JNZ       integers
	VZEROUPPER
	RET

nothing:
	VXORPS X0, X0, X0
	VMOVSS X0, ret+32(FP)
	VPXOR  Y0, Y0, Y0

zeros:
	VMOVDQU Y0, (DI)
	ADDQ    $32, DI
	DECQ    R8
	JNZ     zeros
	VZEROUPPER
	RET

// func addNormAVX2(x, y, w, b *float32, n int, share, eps float32)
TEXT ·addNormAVX2(SB), NOSPLIT, $0-48
	MOVQ x+0(FP), DI
	MOVQ y+8(FP), SI
	MOVQ w+16(FP), R10
	MOVQ b+24(FP), R11
	MOVQ n+32(FP), R8
	SHRQ $3, R8
	VXORPS Y0, Y0, Y0
	MOVQ DI, AX
	MOVQ R8, CX

sum:
	VMOVUPS (AX), Y1
	VADDPS  (SI), Y1, Y1
	VMOVUPS Y1, (AX)
	VADDPS  Y1, Y0, Y0
	ADDQ    $32, AX
	ADDQ    $32, SI
	DECQ    CX
	JNZ     sum
	HSUM(Y0, X0, X1)
	VMULSS       share+40(FP), X0, X0
	VBROADCASTSS X0, Y4
	VXORPS       Y0, Y0, Y0
	MOVQ         DI, AX
	MOVQ         R8, CX

variance:
	VMOVUPS     (AX), Y1
	VSUBPS      Y4, Y1, Y1
	VMOVUPS     Y1, (AX)
	VFMADD231PS Y1, Y1, Y0
	ADDQ        $32, AX
	DECQ        CX
	JNZ         variance
	HSUM(Y0, X0, X1)
	VMULSS       share+40(FP), X0, X0
	VADDSS       eps+44(FP), X0, X0
	VSQRTSS      X0, X0, X0
	VMOVSS       one<>(SB), X1
	VDIVSS       X0, X1, X0
	VBROADCASTSS X0, Y4

scaled:
	VMULPS      (DI), Y4, Y1
	VMOVUPS     (R11), Y2
	VFMADD231PS (R10), Y1, Y2
	VMOVUPS     Y2, (DI)
	ADDQ        $32, DI
	ADDQ        $32, R10
	ADDQ        $32, R11
	DECQ        R8
	JNZ         scaled
	VZEROUPPER
	RET
