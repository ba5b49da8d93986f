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
	function(n.c, "Part64AVX512", "func(x *uint64, n int, pivot uint64, buf *uint64, table *[256]uint64) int")
	n.c.Doc("Part64AVX512 moves the keys of x[:n] below pivot to the front and returns their number.",
		"It is stable. buf is scratch for n keys and 128 bytes. table lists for each mask",
		"the lanes in it, then the others from the last on, one byte a lane.")
	x := loadParam(n.c, "x", reg.RDI)
	count := loadParam(n.c, "n", reg.RSI)
	right := loadParam(n.c, "buf", reg.R10)
	loadParam(n.c, "table", reg.R12)
	n.c.Load(n.c.Param("pivot"), reg.RAX)
	n.c.VPBROADCASTQ(reg.RAX, reg.Z31)
	left, end := reg.R9, reg.R8
	n.c.MOVQ(x, left)
	// The buffer ends behind a vector of room and n keys rounded up.
	n.c.LEAQ(operand.Mem{Base: count, Disp: 15}, end)
	n.c.ANDQ(operand.I32(-8), end)
	n.c.LEAQ(operand.Mem{Base: right, Index: end, Scale: 8}, end)
	n.c.MOVQ(end, right)
	masks := []reg.GPPhysical{reg.RAX, reg.RBX, reg.RDX, reg.R11}
	step := func(i int) {
		m, v := masks[i%4], zmm[i]
		n.c.VPCMPUQ(operand.U8(6), n.at(x, i), reg.Z31, reg.K2) // pivot > x
		n.c.KMOVB(reg.K2, m.As32())
		n.c.VPMOVZXBQ(operand.Mem{Base: reg.R12, Index: m, Scale: 8}, v)
		n.c.VPERMQ(n.at(x, i), v, v)
		n.c.POPCNTL(m.As32(), m.As32())
		n.c.VMOVDQU64(v, operand.Mem{Base: right, Disp: -64})
		n.c.VMOVDQU64(v, operand.Mem{Base: left})
		n.c.LEAQ(operand.Mem{Base: left, Index: m, Scale: 8}, left)
		n.c.LEAQ(operand.Mem{Base: right, Index: m, Scale: 8, Disp: -64}, right)
	}
	loop := func(vectors int, name, next string) {
		n.c.Label(name)
		n.c.CMPQ(count, operand.U32(8*vectors))
		n.c.JL(operand.LabelRef(next))
		for i := range vectors {
			step(i)
		}
		n.c.ADDQ(operand.U32(64*vectors), x)
		n.c.SUBQ(operand.U32(8*vectors), count)
		n.c.JMP(operand.LabelRef(name))
	}
	loop(4, "loop", "single")
	loop(1, "single", "tail")
	n.c.Label("tail")
	n.c.TESTQ(count, count)
	n.c.JZ(operand.LabelRef("back"))
	// The lanes that are not there count as others; being last they come
	// lowest in the buffer, where they are forgotten.
	n.c.MOVQ(operand.I32(-1), reg.RAX)
	n.c.BZHIQ(count, reg.RAX, reg.RAX)
	n.c.KMOVQ(reg.RAX, reg.K1)
	n.c.VMOVDQU64_Z(n.at(x, 0), reg.K1, reg.Z0)
	n.c.VPCMPUQ(operand.U8(1), reg.Z31, reg.Z0, reg.K1, reg.K2)
	n.c.KMOVB(reg.K2, reg.EAX)
	n.c.VPMOVZXBQ(operand.Mem{Base: reg.R12, Index: reg.RAX, Scale: 8}, reg.Z1)
	n.c.VPERMQ(reg.Z0, reg.Z1, reg.Z1)
	n.c.VMOVDQU64(reg.Z1, operand.Mem{Base: right, Disp: -64})
	n.c.POPCNTL(reg.EAX, reg.EAX)
	n.c.SUBQ(reg.RAX, count)
	n.c.SHLQ(operand.U8(3), count)
	n.c.SUBQ(count, right)
	n.c.MOVQ(operand.I32(-1), reg.RDX)
	n.c.BZHIQ(reg.RAX, reg.RDX, reg.RDX)
	n.c.KMOVQ(reg.RDX, reg.K1)
	n.c.VMOVDQU64(reg.Z1, reg.K1, operand.Mem{Base: left}) // a full store could pass the end of x
	n.c.LEAQ(operand.Mem{Base: left, Index: reg.RAX, Scale: 8}, left)
	n.c.Label("back")
	// Copy [right, end) behind left, last key first.
	to, reverse := reg.R11, reg.Z30
	n.c.MOVQ(left, to)
	n.c.VMOVDQU64(n.table.Offset(n.offset["mirror4"]), reverse)
	n.c.Label("backLoop")
	n.c.MOVQ(end, reg.RAX)
	n.c.SUBQ(right, reg.RAX)
	n.c.CMPQ(reg.RAX, operand.U32(64))
	n.c.JL(operand.LabelRef("backTail"))
	n.c.VPERMQ(operand.Mem{Base: end, Disp: -64}, reverse, reg.Z0)
	n.c.VMOVDQU64(reg.Z0, operand.Mem{Base: to})
	n.c.SUBQ(operand.I32(64), end)
	n.c.ADDQ(operand.I32(64), to)
	n.c.JMP(operand.LabelRef("backLoop"))
	n.c.Label("backTail")
	n.c.SHRQ(operand.U8(3), reg.RAX)
	n.c.MOVQ(operand.I32(-1), reg.RDX)
	n.c.BZHIQ(reg.RAX, reg.RDX, reg.RDX)
	n.c.KMOVQ(reg.RDX, reg.K1)
	n.c.VPERMQ(operand.Mem{Base: end, Disp: -64}, reverse, reg.Z0)
	n.c.VMOVDQU64(reg.Z0, reg.K1, operand.Mem{Base: to})
	n.c.Load(n.c.Param("x"), reg.RAX)
	n.c.SUBQ(reg.RAX, left)
	n.c.SHRQ(operand.U8(3), left)
	n.c.VZEROUPPER()
	n.c.Store(left, n.c.ReturnIndex(0))
	n.c.RET()
}
