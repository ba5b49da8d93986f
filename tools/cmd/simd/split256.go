package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// split256 emits Split32AVX2 and Split64AVX2, or with codec Float the one that
// encodes the keys first.
func split256(n *net256, codec string) {
	c := n.c
	s := &splitter{
		c: c, name: fmt.Sprintf("Split%d%sAVX2", n.bits, codec), bits: n.bits, lanes: n.lanes, unroll: 4, ahead: splitAhead,
		table: "[256][8]uint32", by: " by mask", waiting: ymm[0:8], work: ymm[8:14],
	}
	pivot, sign := reg.Y14, reg.Y15
	if n.bits == 64 {
		s.table = "[16][8]uint32"
	}
	if codec != "" {
		s.note = encodedNote
		s.extra = fmt.Sprintf(", f *[5]uint%d", n.bits)
		s.setExtra = func() { loadParam(c, "f", reg.R15) }
		s.encode = func(v, t, _ reg.VecPhysical) { encode256(n, v, t, sign) }
	}
	s.setPivot = func() {
		if n.bits == 32 {
			c.VMOVD(reg.EAX, reg.X14)
			c.VPBROADCASTD(reg.X14, pivot)
			c.VPCMPEQD(sign, sign, sign)
			c.VPSLLD(operand.U8(31), sign, sign)
		} else {
			c.VMOVQ(reg.RAX, reg.X14)
			c.VPBROADCASTQ(reg.X14, pivot)
			c.VPCMPEQQ(sign, sign, sign)
			c.VPSLLQ(operand.U8(63), sign, sign)
		}
		c.VPXOR(sign, pivot, pivot)
	}
	s.below = func(v reg.VecPhysical, m reg.GPPhysical) {
		t := s.work[len(s.work)-1]
		c.VPXOR(sign, v, t)
		if n.bits == 32 {
			c.VPCMPGTD(t, pivot, t)
			c.VMOVMSKPS(t, m.As32())
		} else {
			c.VPCMPGTQ(t, pivot, t)
			c.VMOVMSKPD(t, m.As32())
		}
	}
	s.order = func(v reg.VecPhysical, m reg.GPPhysical, dst reg.VecPhysical) {
		c.SHLL(operand.U8(5), m.As32())
		c.VMOVDQU(operand.Mem{Base: reg.R12, Index: m, Scale: 1}, dst)
		c.VPERMD(v, dst, dst)
	}
	s.load = func(from operand.Mem, v reg.VecPhysical) { c.VMOVDQU(from, v) }
	s.store = func(v reg.VecPhysical, to operand.Mem) { c.VMOVDQU(v, to) }
	s.vectorLeft = func(left, edge reg.GPPhysical) { n.vectorLeft(s, left, edge) }
	s.emit()
}

// vectorLeft is splitter.vectorLeft: of the words left, those below the pivot
// change places with as many at the edge.
func (n *net256) vectorLeft(s *splitter, left, edge reg.GPPhysical) {
	size := n.bits / 8
	shift := operand.U8(map[int]int{32: 2, 64: 3}[n.bits])
	there, below, words, moved, split := ymm[0], ymm[1], ymm[2], ymm[3], ymm[4]
	// first makes a mask of the first count lanes.
	first := func(count reg.GPPhysical, mask reg.VecPhysical) {
		n.c.LEAQ(n.table.Offset(n.offset["ones"]+64), reg.RBX)
		n.c.MOVQ(count, reg.RDX)
		n.c.SHLQ(shift, reg.RDX)
		n.c.SUBQ(reg.RDX, reg.RBX)
		n.c.VMOVDQU(operand.Mem{Base: reg.RBX}, mask)
	}
	first(left, there)
	at, to := operand.Mem{Base: reg.R13}, operand.Mem{Base: edge}
	n.c.VPMASKMOVD(at, there, words)
	s.below(words, reg.RAX)
	n.c.BZHIL(left.As32(), reg.EAX, reg.EAX)
	n.c.POPCNTL(reg.EAX, reg.R10L)
	s.order(words, reg.RAX, split)
	first(reg.R10, below)
	s.load(to, moved)
	n.c.VPBLENDVB(below, moved, split, moved)
	n.c.VPMASKMOVD(moved, there, at)
	n.c.VPMASKMOVD(split, below, to)
	n.c.LEAQ(operand.Mem{Base: edge, Index: reg.R10, Scale: uint8(size)}, edge)
}

// encode256 maps v to its encoded key under the float codec at R15, whose M is 0: the
// usual encoded key less Last, XOR Flip.
func encode256(n *net256, v, t, sign reg.VecPhysical) {
	constant := func(i int, to reg.VecPhysical) {
		at := operand.Mem{Base: reg.R15, Disp: i * n.bits / 8}
		if n.bits == 32 {
			n.c.VPBROADCASTD(at, to)
		} else {
			n.c.VPBROADCASTQ(at, to)
		}
	}
	if n.bits == 32 {
		n.c.VPSRAD(operand.U8(31), v, t)
	} else {
		n.c.VPXOR(t, t, t)
		n.c.VPCMPGTQ(v, t, t)
	}
	n.c.VPOR(sign, t, t)
	n.c.VPXOR(t, v, v)
	constant(3, t)
	(&mapper256{n.c, n.bits}).sub(t, v, v)
	constant(4, t)
	n.c.VPXOR(t, v, v)
}
