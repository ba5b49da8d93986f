package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mapper256 is the codec part of mapper for AVX2: whole vectors only.
type mapper256 struct {
	*Context
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
		m.VPADDD(b, a, d)
	} else {
		m.VPADDQ(b, a, d)
	}
}

func (m *mapper256) sub(b, a, d operand.Op) {
	if m.bits == 32 {
		m.VPSUBD(b, a, d)
	} else {
		m.VPSUBQ(b, a, d)
	}
}

// greater compares signed words: d = a > b.
func (m *mapper256) greater(b, a, d operand.Op) {
	if m.bits == 32 {
		m.VPCMPGTD(b, a, d)
	} else {
		m.VPCMPGTQ(b, a, d)
	}
}

// fold replaces p by 2m−1−from where p < m.
func (m *mapper256) fold(p, from, small, t operand.Op) {
	m.VPXOR(cSign, p, small)
	m.greater(small, cMFlipped, small)
	m.sub(from, cTwice, t)
}

func (m *mapper256) emit() {
	v, t, small, other := reg.Y0, reg.Y1, reg.Y2, reg.Y3
	m.function("Encode", "encoded keys of src[:n] under a float codec", func() {
		m.greater(v, cZero, t)
		m.VPOR(cSign, t, t)
		m.VPXOR(t, v, v)
		m.fold(v, v, small, other)
		m.add(cM, v, v)
		m.VPBLENDVB(small, other, v, v)
		m.sub(cLast, v, v)
		m.VPXOR(cFlip, v, v)
	})
	m.function("EncodeLoose", "encoded keys of src[:n] under a float codec whose M is 0", func() {
		m.spread(v, t)
		m.VPOR(cSign, t, t)
		m.VPXOR(t, v, v)
		m.sub(cLast, v, v)
		m.VPXOR(cFlip, v, v)
	})
	m.function("DecodeLoose", "keys whose encoded keys are src[:n] under a float codec whose M is 0", func() {
		m.VPXOR(cFlip, v, v)
		m.sub(v, cNotLast, v) // ¬p
		m.spread(v, t)
		m.VPANDN(cRest, t, t)
		m.VPXOR(t, v, v)
	})
	m.function("Decode", "keys whose encoded keys are src[:n] under a float codec", func() {
		if m.bits == 32 {
			m.decode32(v, t, small)
			return
		}
		m.VPXOR(cFlip, v, v)
		m.add(cLast, v, v)
		m.sub(cM, v, t)
		m.fold(t, v, small, other)
		m.VPBLENDVB(small, other, t, v)
		m.greater(v, cZero, t)
		m.VPXOR(cOnes, t, t)
		m.VPOR(cSign, t, t)
		m.VPXOR(t, v, v)
	})
}

// spread fills t with the sign bits of v.
func (m *mapper256) spread(v, t operand.Op) {
	if m.bits == 32 {
		m.VPSRAD(operand.U8(31), v, t)
	} else {
		m.greater(v, cZero, t)
	}
}

// decode32 maps encoded key v to its key; t and u are temporaries. With y the encoded key
// but for Last and Flip, and z = y − M, the usual encoded key p is z, or M − 1 − z
// where z < M. What is kept is its complement: ¬z and z − M.
func (m *mapper256) decode32(v, t, u operand.Op) {
	m.VPXOR(cFlip, v, v)
	m.VPADDD(cLastLessM, v, v) // z
	m.VPMAXUD(cM, v, t)
	m.VPCMPEQD(t, v, t) // where z ≥ M
	m.VPXOR(t, v, v)
	m.VPANDN(cM, t, t)
	m.VPSUBD(t, v, v) // ¬p
	m.VPSRAD(operand.U8(31), v, t)
	m.VPANDN(cRest, t, t)
	m.VPXOR(t, v, v)
}

func (m *mapper256) function(name, what string, body func()) {
	name = fmt.Sprintf("%s%dAVX2", name, m.bits)
	function(m.Context, name, fmt.Sprintf("func(dst, src *uint%d, n int, f *[5]uint%d)", m.bits, m.bits))
	m.Doc(fmt.Sprintf("%s writes to dst[:n] the %s. dst is src or disjoint;", name, what),
		fmt.Sprintf("n is a multiple of %d, and not 0.", 256/m.bits))
	f := loadParam(m.Context, "f", reg.RAX)
	for i, c := range []reg.VecPhysical{cM, cTwice, cSign, cLast, cFlip} {
		at := operand.Mem{Base: f, Disp: i * m.bits / 8}
		if m.bits == 32 {
			m.VPBROADCASTD(at, c)
		} else {
			m.VPBROADCASTQ(at, c)
		}
	}
	m.VPXOR(cZero, cZero, cZero)
	m.VPCMPEQD(cOnes, cOnes, cOnes)
	m.VPXOR(cSign, cM, cMFlipped)
	m.sub(cM, cLast, cLastLessM)
	m.VPXOR(cOnes, cSign, cRest)
	m.VPXOR(cOnes, cLast, cNotLast)
	dst, src := loadParam(m.Context, "dst", reg.RDI), loadParam(m.Context, "src", reg.RSI)
	n := loadParam(m.Context, "n", reg.RCX)
	m.Label("loop")
	m.VMOVDQU(operand.Mem{Base: src}, reg.Y0)
	body()
	m.VMOVDQU(reg.Y0, operand.Mem{Base: dst})
	m.ADDQ(operand.U32(32), src)
	m.ADDQ(operand.U32(32), dst)
	m.SUBQ(operand.U32(256/m.bits), n)
	m.JG(operand.LabelRef("loop"))
	m.VZEROUPPER()
	m.RET()
}
