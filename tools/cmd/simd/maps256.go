package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mapper256 is the codec part of mapper for AVX2: whole vectors only.
type mapper256 struct {
	c    *Context
	bits int
}

// Registers of the constants.
var (
	cM, cTwice, cSign, cLast, cFlip = reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15
	cMFlipped, cOnes, cZero         = reg.Y10, reg.Y9, reg.Y8
	cLastLessM, cRest, cNotLast     = reg.Y7, reg.Y6, reg.Y5 // Last − M, ¬Sign, ¬Last
)

func (m *mapper256) add(b, a, d operand.Op) {
	if m.bits == 32 {
		m.c.VPADDD(b, a, d)
	} else {
		m.c.VPADDQ(b, a, d)
	}
}

func (m *mapper256) sub(b, a, d operand.Op) {
	if m.bits == 32 {
		m.c.VPSUBD(b, a, d)
	} else {
		m.c.VPSUBQ(b, a, d)
	}
}

// greater compares signed words: d = a > b.
func (m *mapper256) greater(b, a, d operand.Op) {
	if m.bits == 32 {
		m.c.VPCMPGTD(b, a, d)
	} else {
		m.c.VPCMPGTQ(b, a, d)
	}
}

// fold replaces p by 2m−1−from where p < m.
func (m *mapper256) fold(p, from, small, t operand.Op) {
	m.c.VPXOR(cSign, p, small)
	m.greater(small, cMFlipped, small)
	m.sub(from, cTwice, t)
}

func (m *mapper256) emit() {
	v, t, small, other := reg.Y0, reg.Y1, reg.Y2, reg.Y3
	m.function("Encode", "encoded keys of src[:n] under a float codec", func() {
		m.greater(v, cZero, t)
		m.c.VPOR(cSign, t, t)
		m.c.VPXOR(t, v, v)
		m.fold(v, v, small, other)
		m.add(cM, v, v)
		m.c.VPBLENDVB(small, other, v, v)
		m.sub(cLast, v, v)
		m.c.VPXOR(cFlip, v, v)
	})
	m.function("EncodeLoose", "encoded keys of src[:n] under a float codec whose M is 0", func() {
		m.spread(v, t)
		m.c.VPOR(cSign, t, t)
		m.c.VPXOR(t, v, v)
		m.sub(cLast, v, v)
		m.c.VPXOR(cFlip, v, v)
	})
	m.function("DecodeLoose", "keys whose encoded keys are src[:n] under a float codec whose M is 0", func() {
		m.c.VPXOR(cFlip, v, v)
		m.sub(v, cNotLast, v) // ¬p
		m.spread(v, t)
		m.c.VPANDN(cRest, t, t)
		m.c.VPXOR(t, v, v)
	})
	m.function("Decode", "keys whose encoded keys are src[:n] under a float codec", func() {
		if m.bits == 32 {
			m.decode32(v, t, small)
			return
		}
		m.c.VPXOR(cFlip, v, v)
		m.add(cLast, v, v)
		m.sub(cM, v, t)
		m.fold(t, v, small, other)
		m.c.VPBLENDVB(small, other, t, v)
		m.greater(v, cZero, t)
		m.c.VPXOR(cOnes, t, t)
		m.c.VPOR(cSign, t, t)
		m.c.VPXOR(t, v, v)
	})
}

// spread fills t with the sign bits of v.
func (m *mapper256) spread(v, t operand.Op) {
	if m.bits == 32 {
		m.c.VPSRAD(operand.U8(31), v, t)
	} else {
		m.greater(v, cZero, t)
	}
}

// decode32 maps encoded key v to its key; t and u are temporaries. With y the encoded key
// but for Last and Flip, and z = y − M, the usual encoded key p is z, or M − 1 − z
// where z < M. What is kept is its complement: ¬z and z − M.
func (m *mapper256) decode32(v, t, u operand.Op) {
	m.c.VPXOR(cFlip, v, v)
	m.c.VPADDD(cLastLessM, v, v) // z
	m.c.VPMAXUD(cM, v, t)
	m.c.VPCMPEQD(t, v, t) // where z ≥ M
	m.c.VPXOR(t, v, v)
	m.c.VPANDN(cM, t, t)
	m.c.VPSUBD(t, v, v) // ¬p
	m.c.VPSRAD(operand.U8(31), v, t)
	m.c.VPANDN(cRest, t, t)
	m.c.VPXOR(t, v, v)
}

func (m *mapper256) function(name, what string, body func()) {
	name = fmt.Sprintf("%s%dAVX2", name, m.bits)
	function(m.c, name, fmt.Sprintf("func(dst, src *uint%d, n int, f *[5]uint%d)", m.bits, m.bits))
	m.c.Doc(fmt.Sprintf("%s writes to dst[:n] the %s. dst is src or disjoint;", name, what),
		fmt.Sprintf("n is a multiple of %d, and not 0.", 256/m.bits))
	f := loadParam(m.c, "f", reg.RAX)
	for i, c := range []reg.VecPhysical{cM, cTwice, cSign, cLast, cFlip} {
		at := operand.Mem{Base: f, Disp: i * m.bits / 8}
		if m.bits == 32 {
			m.c.VPBROADCASTD(at, c)
		} else {
			m.c.VPBROADCASTQ(at, c)
		}
	}
	m.c.VPXOR(cZero, cZero, cZero)
	m.c.VPCMPEQD(cOnes, cOnes, cOnes)
	m.c.VPXOR(cSign, cM, cMFlipped)
	m.sub(cM, cLast, cLastLessM)
	m.c.VPXOR(cOnes, cSign, cRest)
	m.c.VPXOR(cOnes, cLast, cNotLast)
	dst, src := loadParam(m.c, "dst", reg.RDI), loadParam(m.c, "src", reg.RSI)
	n := loadParam(m.c, "n", reg.RCX)
	m.c.Label("loop")
	m.c.VMOVDQU(operand.Mem{Base: src}, reg.Y0)
	body()
	m.c.VMOVDQU(reg.Y0, operand.Mem{Base: dst})
	m.c.ADDQ(operand.U32(32), src)
	m.c.ADDQ(operand.U32(32), dst)
	m.c.SUBQ(operand.U32(256/m.bits), n)
	m.c.JG(operand.LabelRef("loop"))
	m.c.VZEROUPPER()
	m.c.RET()
}
