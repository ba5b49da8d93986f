package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// part64 emits Part64AVX512. A table orders each vector as its lanes below
// the pivot, then the others from last to first; it is stored whole at the
// growing front, and with its end at the falling end of the buffer, which
// thereby holds the others in reverse.
func part64(n *net512) {
	function(n.Context, "Part64AVX512", "func(x *uint64, n int, pivot uint64, buf *uint64, table *[256]uint64) int")
	n.Doc("Part64AVX512 moves the keys of x[:n] below pivot to the front and returns their number.",
		"It is stable. buf is scratch for n keys and 128 bytes. table lists for each mask",
		"the lanes in it, then the others from the last on, one byte a lane.")
	x := loadParam(n.Context, "x", reg.RDI)
	count := loadParam(n.Context, "n", reg.RSI)
	right := loadParam(n.Context, "buf", reg.R10)
	loadParam(n.Context, "table", reg.R12)
	n.Load(n.Param("pivot"), reg.RAX)
	n.VPBROADCASTQ(reg.RAX, reg.Z31)
	left, end := reg.R9, reg.R8
	n.MOVQ(x, left)
	// The buffer ends behind a vector of room and n keys rounded up.
	n.LEAQ(operand.Mem{Base: count, Disp: 15}, end)
	n.ANDQ(operand.I32(-8), end)
	n.LEAQ(operand.Mem{Base: right, Index: end, Scale: 8}, end)
	n.MOVQ(end, right)
	masks := []reg.GPPhysical{reg.RAX, reg.RBX, reg.RDX, reg.R11}
	step := func(i int) {
		m, v := masks[i%4], zmm[i]
		n.VPCMPUQ(operand.U8(6), n.at(x, i), reg.Z31, reg.K2) // pivot > x
		n.KMOVB(reg.K2, m.As32())
		n.VPMOVZXBQ(operand.Mem{Base: reg.R12, Index: m, Scale: 8}, v)
		n.VPERMQ(n.at(x, i), v, v)
		n.POPCNTL(m.As32(), m.As32())
		n.VMOVDQU64(v, operand.Mem{Base: right, Disp: -64})
		n.VMOVDQU64(v, operand.Mem{Base: left})
		n.LEAQ(operand.Mem{Base: left, Index: m, Scale: 8}, left)
		n.LEAQ(operand.Mem{Base: right, Index: m, Scale: 8, Disp: -64}, right)
	}
	loop := func(vectors int, name, next string) {
		n.Label(name)
		n.CMPQ(count, operand.U32(8*vectors))
		n.JL(operand.LabelRef(next))
		for i := range vectors {
			step(i)
		}
		n.ADDQ(operand.U32(64*vectors), x)
		n.SUBQ(operand.U32(8*vectors), count)
		n.JMP(operand.LabelRef(name))
	}
	loop(4, "loop", "single")
	loop(1, "single", "tail")
	n.Label("tail")
	n.TESTQ(count, count)
	n.JZ(operand.LabelRef("back"))
	// The lanes that are not there count as others; being last they come
	// lowest in the buffer, where they are forgotten.
	n.MOVQ(operand.I32(-1), reg.RAX)
	n.BZHIQ(count, reg.RAX, reg.RAX)
	n.KMOVQ(reg.RAX, reg.K1)
	n.VMOVDQU64_Z(n.at(x, 0), reg.K1, reg.Z0)
	n.VPCMPUQ(operand.U8(1), reg.Z31, reg.Z0, reg.K1, reg.K2)
	n.KMOVB(reg.K2, reg.EAX)
	n.VPMOVZXBQ(operand.Mem{Base: reg.R12, Index: reg.RAX, Scale: 8}, reg.Z1)
	n.VPERMQ(reg.Z0, reg.Z1, reg.Z1)
	n.VMOVDQU64(reg.Z1, operand.Mem{Base: right, Disp: -64})
	n.POPCNTL(reg.EAX, reg.EAX)
	n.SUBQ(reg.RAX, count)
	n.SHLQ(operand.U8(3), count)
	n.SUBQ(count, right)
	n.MOVQ(operand.I32(-1), reg.RDX)
	n.BZHIQ(reg.RAX, reg.RDX, reg.RDX)
	n.KMOVQ(reg.RDX, reg.K1)
	n.VMOVDQU64(reg.Z1, reg.K1, operand.Mem{Base: left}) // a full store could pass the end of x
	n.LEAQ(operand.Mem{Base: left, Index: reg.RAX, Scale: 8}, left)
	n.Label("back")
	// Copy [right, end) behind left, last key first.
	to, reverse := reg.R11, reg.Z30
	n.MOVQ(left, to)
	n.VMOVDQU64(n.table.Offset(n.offset["mirror4"]), reverse)
	n.Label("backLoop")
	n.MOVQ(end, reg.RAX)
	n.SUBQ(right, reg.RAX)
	n.CMPQ(reg.RAX, operand.U32(64))
	n.JL(operand.LabelRef("backTail"))
	n.VPERMQ(operand.Mem{Base: end, Disp: -64}, reverse, reg.Z0)
	n.VMOVDQU64(reg.Z0, operand.Mem{Base: to})
	n.SUBQ(operand.I32(64), end)
	n.ADDQ(operand.I32(64), to)
	n.JMP(operand.LabelRef("backLoop"))
	n.Label("backTail")
	n.SHRQ(operand.U8(3), reg.RAX)
	n.MOVQ(operand.I32(-1), reg.RDX)
	n.BZHIQ(reg.RAX, reg.RDX, reg.RDX)
	n.KMOVQ(reg.RDX, reg.K1)
	n.VPERMQ(operand.Mem{Base: end, Disp: -64}, reverse, reg.Z0)
	n.VMOVDQU64(reg.Z0, reg.K1, operand.Mem{Base: to})
	n.Load(n.Param("x"), reg.RAX)
	n.SUBQ(reg.RAX, left)
	n.SHRQ(operand.U8(3), left)
	n.VZEROUPPER()
	n.Store(left, n.ReturnIndex(0))
	n.RET()
}
