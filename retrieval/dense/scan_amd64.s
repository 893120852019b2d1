#include "textflag.h"

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
	VMOVDQU    (SI)(AX*1), Y1
	VPABSB     Y1, Y2
	VMOVDQU    (DX)(AX*1), Y3
	VPSIGNB    Y1, Y3, Y3
	VPMADDUBSW Y3, Y2, Y3
	VPMADDWD   Y7, Y3, Y3
	VPADDD     Y3, Y0, Y0
	ADDQ       $32, AX
	CMPQ       AX, CX
	JLT        step

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
