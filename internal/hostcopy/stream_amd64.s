//go:build amd64 && !noasm

#include "textflag.h"

// func stream(dst, src unsafe.Pointer, n uintptr)
TEXT ·stream(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	TESTQ CX, CX
	JZ   done

loop:
	VMOVDQU  (SI), Y0
	VMOVDQU  32(SI), Y1
	VMOVDQU  64(SI), Y2
	VMOVDQU  96(SI), Y3
	VMOVNTDQ Y0, (DI)
	VMOVNTDQ Y1, 32(DI)
	VMOVNTDQ Y2, 64(DI)
	VMOVNTDQ Y3, 96(DI)
	ADDQ     $128, SI
	ADDQ     $128, DI
	SUBQ     $128, CX
	JNZ      loop

	// Streaming stores are weakly ordered: who is told of the copy sees it.
	SFENCE
	VZEROUPPER

done:
	RET

// func streamTwice(a, b, src unsafe.Pointer, n uintptr)
TEXT ·streamTwice(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), DX
	MOVQ src+16(FP), SI
	MOVQ n+24(FP), CX
	TESTQ CX, CX
	JZ   done

loop:
	VMOVDQU  (SI), Y0
	VMOVDQU  32(SI), Y1
	VMOVDQU  64(SI), Y2
	VMOVDQU  96(SI), Y3
	VMOVNTDQ Y0, (DI)
	VMOVNTDQ Y1, 32(DI)
	VMOVNTDQ Y2, 64(DI)
	VMOVNTDQ Y3, 96(DI)
	VMOVNTDQ Y0, (DX)
	VMOVNTDQ Y1, 32(DX)
	VMOVNTDQ Y2, 64(DX)
	VMOVNTDQ Y3, 96(DX)
	ADDQ     $128, SI
	ADDQ     $128, DI
	ADDQ     $128, DX
	SUBQ     $128, CX
	JNZ      loop
	SFENCE
	VZEROUPPER

done:
	RET
