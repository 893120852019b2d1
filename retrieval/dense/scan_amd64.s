#include "textflag.h"

// func dotRows(dots *int32, q, rows *int8, dims, count int)
// Widens 16 int8 to int16 and multiplies in pairs: exact, unlike VPMADDUBSW, which
// saturates.
TEXT ·dotRows(SB), NOSPLIT, $0-40
	MOVQ dots+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ rows+16(FP), DX
	MOVQ dims+24(FP), CX
	MOVQ count+32(FP), R8

row:
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	XORQ  AX, AX

step:
	VPMOVSXBW (SI)(AX*1), Y2
	VPMOVSXBW (DX)(AX*1), Y3
	VPMADDWD  Y2, Y3, Y3
	VPADDD    Y3, Y0, Y0
	VPMOVSXBW 16(SI)(AX*1), Y4
	VPMOVSXBW 16(DX)(AX*1), Y5
	VPMADDWD  Y4, Y5, Y5
	VPADDD    Y5, Y1, Y1
	ADDQ      $32, AX
	CMPQ      AX, CX
	JLT       step

	VPADDD       Y1, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4e, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xb1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DI)
	ADDQ         $4, DI
	ADDQ         CX, DX
	DECQ         R8
	JNZ          row
	VZEROUPPER
	RET
