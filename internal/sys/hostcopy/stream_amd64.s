//go:build amd64 && !noasm

#include "textflag.h"

// func stream(dst, src unsafe.Pointer, n uintptr)
TEXT ·stream(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX

	// A line of each of eight pages in turn: a core's reads ahead end with the
	// page, and eight of them run beside each other.
pages:
	CMPQ CX, $32768
	JB   rest
	MOVQ $64, R8

line:
	VMOVDQU  (SI), Y0
	VMOVDQU  32(SI), Y1
	VMOVDQU  4096(SI), Y2
	VMOVDQU  4128(SI), Y3
	VMOVDQU  8192(SI), Y4
	VMOVDQU  8224(SI), Y5
	VMOVDQU  12288(SI), Y6
	VMOVDQU  12320(SI), Y7
	VMOVNTDQ Y0, 0(DI)
	VMOVNTDQ Y1, 32(DI)
	VMOVNTDQ Y2, 4096(DI)
	VMOVNTDQ Y3, 4128(DI)
	VMOVNTDQ Y4, 8192(DI)
	VMOVNTDQ Y5, 8224(DI)
	VMOVNTDQ Y6, 12288(DI)
	VMOVNTDQ Y7, 12320(DI)
	VMOVDQU  16384(SI), Y0
	VMOVDQU  16416(SI), Y1
	VMOVDQU  20480(SI), Y2
	VMOVDQU  20512(SI), Y3
	VMOVDQU  24576(SI), Y4
	VMOVDQU  24608(SI), Y5
	VMOVDQU  28672(SI), Y6
	VMOVDQU  28704(SI), Y7
	VMOVNTDQ Y0, 16384(DI)
	VMOVNTDQ Y1, 16416(DI)
	VMOVNTDQ Y2, 20480(DI)
	VMOVNTDQ Y3, 20512(DI)
	VMOVNTDQ Y4, 24576(DI)
	VMOVNTDQ Y5, 24608(DI)
	VMOVNTDQ Y6, 28672(DI)
	VMOVNTDQ Y7, 28704(DI)
	ADDQ     $64, SI
	ADDQ     $64, DI
	DECQ     R8
	JNZ      line
	ADDQ     $28672, SI
	ADDQ     $28672, DI
	SUBQ     $32768, CX
	JMP      pages

rest:
	TESTQ CX, CX
	JZ    done

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

done:
	// Streaming stores are weakly ordered: who is told of the copy sees it.
	SFENCE
	VZEROUPPER
	RET

// func streamTwice(a, b, src unsafe.Pointer, n uintptr)
TEXT ·streamTwice(SB), NOSPLIT, $0-32
	MOVQ a+0(FP), DI
	MOVQ b+8(FP), DX
	MOVQ src+16(FP), SI
	MOVQ n+24(FP), CX

	// A line of each of four pages in turn: a core's reads ahead end with the
	// page, and four of them run beside each other. Eight, with sixteen places to
	// write to, were measured no faster.
pages:
	CMPQ CX, $16384
	JB   rest
	MOVQ $64, R8

line:
	VMOVDQU  (SI), Y0
	VMOVDQU  32(SI), Y1
	VMOVDQU  4096(SI), Y2
	VMOVDQU  4128(SI), Y3
	VMOVDQU  8192(SI), Y4
	VMOVDQU  8224(SI), Y5
	VMOVDQU  12288(SI), Y6
	VMOVDQU  12320(SI), Y7
	VMOVNTDQ Y0, 0(DI)
	VMOVNTDQ Y1, 32(DI)
	VMOVNTDQ Y2, 4096(DI)
	VMOVNTDQ Y3, 4128(DI)
	VMOVNTDQ Y4, 8192(DI)
	VMOVNTDQ Y5, 8224(DI)
	VMOVNTDQ Y6, 12288(DI)
	VMOVNTDQ Y7, 12320(DI)
	VMOVNTDQ Y0, 0(DX)
	VMOVNTDQ Y1, 32(DX)
	VMOVNTDQ Y2, 4096(DX)
	VMOVNTDQ Y3, 4128(DX)
	VMOVNTDQ Y4, 8192(DX)
	VMOVNTDQ Y5, 8224(DX)
	VMOVNTDQ Y6, 12288(DX)
	VMOVNTDQ Y7, 12320(DX)
	ADDQ     $64, SI
	ADDQ     $64, DI
	ADDQ     $64, DX
	DECQ     R8
	JNZ      line
	ADDQ     $12288, SI
	ADDQ     $12288, DI
	ADDQ     $12288, DX
	SUBQ     $16384, CX
	JMP      pages

rest:
	TESTQ CX, CX
	JZ    done

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

done:
	// Streaming stores are weakly ordered: who is told of the copy sees it.
	SFENCE
	VZEROUPPER
	RET
