#include "textflag.h"

// Kernels of 512 bits, for processors with AVX-512 VNNI. Strides are in bytes.

// func expandAVX512(dst *int16, src *int8, n int)
TEXT ·expandAVX512(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	SHRQ $5, CX

expand:
	VPMOVSXBW (SI), Z0
	VMOVDQU64 Z0, (DI)
	ADDQ      $32, SI
	ADDQ      $64, DI
	DECQ      CX
	JNZ       expand
	VZEROUPPER
	RET

// One pair of a block: its values times the steps of the sixteen outputs.
#define STEPPED(N) \
	VPMOVSXBW (32*N)(SI), Z0 \
	VPMULLW Z2, Z0, Z0 \
	VMOVDQU64 Z0, (64*N)(DI)

// func expandBlocksAVX512(dst *int16, src *int8, steps *int16, blocks int)
TEXT ·expandBlocksAVX512(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ steps+16(FP), DX
	MOVQ blocks+24(FP), R8

block:
	VMOVDQU64 (DX), Z2
	MOVQ      $4, CX

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

// A pair of values of four rows times sixteen columns, added to the sums: AX is the first
// row and BX the one below it; CX is the fifth and R15 the sixth.
#define FOUR(N, W, A, B, S0, S1, S2, S3) \
	VPDPWSSD.BCST (4*N)(A), W, S0 \
	VPDPWSSD.BCST (4*N)(A)(R9*1), W, S1 \
	VPDPWSSD.BCST (4*N)(A)(R9*2), W, S2 \
	VPDPWSSD.BCST (4*N)(B)(R9*2), W, S3

// A row of sums becomes numbers: times its scale and the columns' plus the bias.
#define SCALED(N, ODD, SUM, OUT) \
	VPADDD ODD, SUM, SUM \
	VCVTDQ2PS SUM, SUM \
	VMULPS.BCST (4*N)(R13), SUM, SUM \
	VFMADD213PS Z31, Z30, SUM \
	VMOVUPS SUM, OUT

// func panelAVX512(out *float32, outStride int, a *int16, aStride int, rows int, w *int16, pairs int, rowScales, colScales, bias *float32)
//
// Even and odd pairs have sums of their own, so that no product waits for the one before.
TEXT ·panelAVX512(SB), NOSPLIT, $0-80
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
	VMOVUPS (AX), Z30
	VMOVUPS (BX), Z31
	SHRQ    $2, R12

	CMPQ R10, $8
	JLT  quad

octet:
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z4, Z4, Z4
	VPXORD Z5, Z5, Z5
	VPXORD Z6, Z6, Z6
	VPXORD Z7, Z7, Z7
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	VPXORD Z12, Z12, Z12
	VPXORD Z13, Z13, Z13
	VPXORD Z14, Z14, Z14
	VPXORD Z15, Z15, Z15
	MOVQ   SI, AX
	LEAQ   (SI)(R9*1), BX
	LEAQ   (SI)(R9*4), CX
	LEAQ   (CX)(R9*1), R15
	MOVQ   R11, DX
	MOVQ   R12, R14

pair8:
	VMOVDQU64 (DX), Z16
	VMOVDQU64 64(DX), Z17
	VMOVDQU64 128(DX), Z18
	VMOVDQU64 192(DX), Z19
	FOUR(0, Z16, AX, BX, Z0, Z1, Z2, Z3)
	FOUR(0, Z16, CX, R15, Z4, Z5, Z6, Z7)
	FOUR(1, Z17, AX, BX, Z8, Z9, Z10, Z11)
	FOUR(1, Z17, CX, R15, Z12, Z13, Z14, Z15)
	FOUR(2, Z18, AX, BX, Z0, Z1, Z2, Z3)
	FOUR(2, Z18, CX, R15, Z4, Z5, Z6, Z7)
	FOUR(3, Z19, AX, BX, Z8, Z9, Z10, Z11)
	FOUR(3, Z19, CX, R15, Z12, Z13, Z14, Z15)
	ADDQ $16, AX
	ADDQ $16, BX
	ADDQ $16, CX
	ADDQ $16, R15
	ADDQ $256, DX
	DECQ R14
	JNZ  pair8

	LEAQ (DI)(R8*2), AX
	LEAQ (DI)(R8*4), BX
	LEAQ (AX)(R8*4), CX
	SCALED(0, Z8, Z0, (DI))
	SCALED(1, Z9, Z1, (DI)(R8*1))
	SCALED(2, Z10, Z2, (AX))
	SCALED(3, Z11, Z3, (AX)(R8*1))
	SCALED(4, Z12, Z4, (BX))
	SCALED(5, Z13, Z5, (BX)(R8*1))
	SCALED(6, Z14, Z6, (CX))
	SCALED(7, Z15, Z7, (CX)(R8*1))
	LEAQ (DI)(R8*8), DI
	LEAQ (SI)(R9*8), SI
	ADDQ $32, R13
	SUBQ $8, R10
	CMPQ R10, $8
	JGE  octet
	TESTQ R10, R10
	JZ   done

quad:
	VPXORD Z0, Z0, Z0
	VPXORD Z1, Z1, Z1
	VPXORD Z2, Z2, Z2
	VPXORD Z3, Z3, Z3
	VPXORD Z8, Z8, Z8
	VPXORD Z9, Z9, Z9
	VPXORD Z10, Z10, Z10
	VPXORD Z11, Z11, Z11
	MOVQ   SI, AX
	LEAQ   (SI)(R9*1), BX
	MOVQ   R11, DX
	MOVQ   R12, R14

pair4:
	VMOVDQU64 (DX), Z16
	VMOVDQU64 64(DX), Z17
	VMOVDQU64 128(DX), Z18
	VMOVDQU64 192(DX), Z19
	FOUR(0, Z16, AX, BX, Z0, Z1, Z2, Z3)
	FOUR(1, Z17, AX, BX, Z8, Z9, Z10, Z11)
	FOUR(2, Z18, AX, BX, Z0, Z1, Z2, Z3)
	FOUR(3, Z19, AX, BX, Z8, Z9, Z10, Z11)
	ADDQ $16, AX
	ADDQ $16, BX
	ADDQ $256, DX
	DECQ R14
	JNZ  pair4

	LEAQ (DI)(R8*2), AX
	SCALED(0, Z8, Z0, (DI))
	SCALED(1, Z9, Z1, (DI)(R8*1))
	SCALED(2, Z10, Z2, (AX))
	SCALED(3, Z11, Z3, (AX)(R8*1))
	LEAQ (DI)(R8*4), DI
	LEAQ (SI)(R9*4), SI
	ADDQ $16, R13
	SUBQ $4, R10
	JNZ  quad

done:
	VZEROUPPER
	RET
