#include "textflag.h"

// MULTIPLY32 adds to Y0 the products of 32 values of a question (SI+AX) and of a row (DX+AX);
// Y7 holds ones.
#define MULTIPLY32 \
	VMOVDQU (SI)(AX*1), Y1; \
	VPABSB Y1, Y2; \
	VMOVDQU (DX)(AX*1), Y3; \
	VPSIGNB Y1, Y3, Y3; \
	VPMADDUBSW Y3, Y2, Y3; \
	VPMADDWD Y7, Y3, Y3; \
	VPADDD Y3, Y0, Y0

// STORE_SUM writes the sum of Y0 to DI.
#define STORE_SUM \
	VEXTRACTI128 $1, Y0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0x4e, X0, X1; \
	VPADDD X1, X0, X0; \
	VPSHUFD $0xb1, X0, X1; \
	VPADDD X1, X0, X0; \
	VMOVD X0, (DI)

// func dotRows(dots *int32, q, rows *int8, dims, count int)
// Multiplies |q| by the row with the sign of q, in bytes, and adds neighbours in
// int16. With all values in -127..127 a pair is at most 2*127*127 = 32258: nothing
// saturates, so sums are exact.
TEXT ·dotRows(SB), NOSPLIT, $0-40
	MOVQ dots+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ rows+16(FP), DX
	MOVQ dims+24(FP), CX
	MOVQ count+32(FP), R8

	VPCMPEQW Y7, Y7, Y7
	VPSRLW   $15, Y7, Y7 // ones

row:
	VPXOR Y0, Y0, Y0
	XORQ  AX, AX

step:
	MULTIPLY32
	ADDQ       $32, AX
	CMPQ       AX, CX
	JLT        step

	STORE_SUM
	ADDQ         $4, DI
	ADDQ         CX, DX
	DECQ         R8
	JNZ          row
	VZEROUPPER
	RET

// func dotSketches(dots *int32, q, sketches *int8, groups, count int)
// Multiplies the low and the high four bits of 32 bytes by 64 bytes of q and adds
// neighbours in int16: a pair is at most 2*15*127 = 3810, two of them fit. The prefetch reaches into
// the pages that come next, where the processor's own stops.
TEXT ·dotSketches(SB), NOSPLIT, $0-40
	MOVQ dots+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ sketches+16(FP), DX
	MOVQ groups+24(FP), CX
	MOVQ count+32(FP), R8

	VPCMPEQW     Y7, Y7, Y7
	VPSRLW       $15, Y7, Y7 // ones
	MOVL         $0x0f0f0f0f, AX
	VMOVD        AX, X6
	VPBROADCASTD X6, Y6      // the low four bits

row:
	VPXOR Y0, Y0, Y0
	MOVQ  SI, R9
	MOVQ  CX, R10

step:
	PREFETCHT0 4096(DX)
	VMOVDQU    (DX), Y1
	VPSRLW     $4, Y1, Y2
	VPAND      Y6, Y1, Y1
	VPAND      Y6, Y2, Y2
	VPMADDUBSW (R9), Y1, Y1
	VPMADDUBSW 32(R9), Y2, Y2
	VPADDW     Y2, Y1, Y1
	VPMADDWD   Y7, Y1, Y1
	VPADDD     Y1, Y0, Y0
	ADDQ       $32, DX
	ADDQ       $64, R9
	DECQ       R10
	JNZ        step

	STORE_SUM
	ADDQ         $4, DI
	DECQ         R8
	JNZ          row
	VZEROUPPER
	RET

// func dotRowsAt(dots *int32, q, rows *int8, places *int32, dims, count int)
// dotRows for rows that lie apart: the first bytes of the row that is eight further on are
// asked for before they are needed.
TEXT ·dotRowsAt(SB), NOSPLIT, $0-48
	MOVQ dots+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ rows+16(FP), R9
	MOVQ places+24(FP), R10
	MOVQ dims+32(FP), CX
	MOVQ count+40(FP), R8

	VPCMPEQW Y7, Y7, Y7
	VPSRLW   $15, Y7, Y7 // ones

row:
	MOVLQSX    32(R10), R11
	IMULQ      CX, R11
	ADDQ       R9, R11
	PREFETCHT0 (R11)
	PREFETCHT0 64(R11)
	PREFETCHT0 128(R11)
	PREFETCHT0 192(R11)
	MOVLQSX    (R10), DX
	IMULQ      CX, DX
	ADDQ       R9, DX
	VPXOR      Y0, Y0, Y0
	XORQ       AX, AX

step:
	MULTIPLY32
	ADDQ       $32, AX
	CMPQ       AX, CX
	JLT        step

	STORE_SUM
	ADDQ         $4, DI
	ADDQ         $4, R10
	DECQ         R8
	JNZ          row
	VZEROUPPER
	RET
