package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ordered emits OrderedXor and OrderedFloat of m's width. zen: in the order of
// addresses and without prefetches, which AMD's processors read faster than streams, from
// their caches 1.2 to 1.4 times as fast; with prefetches integers take 1.15 to 1.25 times
// as long from 10^6 keys on, floats the same (Zen 4).
func (m *mapper) ordered(zen bool) {
	for _, codec := range []string{"Xor", "Float"} {
		suffix, last := "AVX512", fmt.Sprintf("mask uint%d", m.bits)
		if zen {
			suffix = "ZenAVX512"
		}
		if codec == "Float" {
			last = fmt.Sprintf("f *[5]uint%d", m.bits)
		}
		name := fmt.Sprintf("Ordered%d%s%s", m.bits, codec, suffix)
		function(m.c, name, fmt.Sprintf("func(x *uint%d, n int, %s) int", m.bits, last))
		m.c.Doc(fmt.Sprintf("%s returns an i, x[:i+1] being in order of the encoded keys of its keys,", name),
			"that is at most a few vectors short of the first disorder or of n, which is at least 100.")
		x, n := loadParam(m.c, "x", reg.RDI), loadParam(m.c, "n", reg.RCX)
		if codec == "Float" {
			m.floatConsts()
		} else {
			m.broadcastParam("mask", zFlip)
		}
		i, end := reg.RDX, reg.RSI
		m.c.XORQ(i, i)
		if zen {
			m.orderedLine(codec, x, i, n, end)
		} else {
			m.orderedStreams(codec, x, i, n, end)
			m.orderedRest(codec, x, i, n, end)
		}
		m.c.Label("done")
		m.c.VZEROUPPER()
		m.c.Store(i, m.c.ReturnIndex(0))
		m.c.RET()
	}
}

// orderedRest moves i on by vectors while they and one word more of the n at x are in
// order.
func (m *mapper) orderedRest(codec string, x, i, n, end reg.GPPhysical) {
	const unroll = 4
	lanes, size := 512/m.bits, m.bits/8
	m.c.LEAQ(operand.Mem{Base: n, Disp: -unroll*lanes - 1}, end)
	m.c.Label("loop")
	m.c.CMPQ(i, end)
	m.c.JG(operand.LabelRef("done"))
	for u := range unroll {
		at := operand.Mem{Base: x, Index: i, Scale: uint8(size), Disp: 64 * u}
		m.c.PREFETCHT0(at.Offset(2 * splitAhead))
		m.fall(codec, at, u, []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4}[u])
	}
	m.c.KORW(reg.K1, reg.K2, reg.K1)
	m.c.KORW(reg.K3, reg.K4, reg.K3)
	m.c.KORTESTW(reg.K1, reg.K3)
	m.c.JNZ(operand.LabelRef("done"))
	m.c.ADDQ(operand.U32(unroll*lanes), i)
	m.c.JMP(operand.LabelRef("loop"))
}

// orderedLine is orderedRest with each word read and encoded once: the words after
// those of a vector are its own and the first of the next.
func (m *mapper) orderedLine(codec string, x, i, n, end reg.GPPhysical) {
	const unroll = 4
	lanes, size := 512/m.bits, m.bits/8
	at := operand.Mem{Base: x, Index: i, Scale: uint8(size)}
	load := func(at operand.Mem, v reg.VecPhysical) {
		m.c.VMOVDQU64(at, v)
		if codec == "Float" {
			m.encode(v, zmm[8], zmm[9], reg.K5)
		} else {
			m.ops().xor(zFlip, v, v)
		}
	}
	m.c.LEAQ(operand.Mem{Base: n, Disp: -(unroll + 1) * lanes}, end)
	load(at, zmm[0])
	m.c.Label("loop")
	m.c.CMPQ(i, end)
	m.c.JG(operand.LabelRef("done"))
	for u := range unroll {
		k := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4}[u]
		load(at.Offset(64*(u+1)), zmm[u+1])
		if m.bits == 32 {
			m.c.VALIGND(operand.U8(1), zmm[u], zmm[u+1], zmm[7])
		} else {
			m.c.VALIGNQ(operand.U8(1), zmm[u], zmm[u+1], zmm[7])
		}
		m.ops().less(zmm[u], zmm[7], k)
	}
	m.c.VMOVDQA64(zmm[unroll], zmm[0])
	m.c.KORW(reg.K1, reg.K2, reg.K1)
	m.c.KORW(reg.K3, reg.K4, reg.K3)
	m.c.KORTESTW(reg.K1, reg.K3)
	m.c.JNZ(operand.LabelRef("done"))
	m.c.ADDQ(operand.U32(unroll*lanes), i)
	m.c.JMP(operand.LabelRef("loop"))
}

// orderedStreams moves i on by blocks of streams while they and one word more of
// the n at x are in order. It clobbers end.
func (m *mapper) orderedStreams(codec string, x, i, n, end reg.GPPhysical) {
	size := m.bits / 8
	from := reg.R8
	m.c.Label("block")
	m.c.LEAQ(operand.Mem{Base: n, Disp: -streamsBlock/size - 1}, end)
	m.c.CMPQ(i, end)
	m.c.JG(operand.LabelRef("rest"))
	m.c.LEAQ(operand.Mem{Base: x, Index: i, Scale: uint8(size)}, from)
	streamLoop(m.c, from, reg.R9, reg.R10, 64, func(s int, at operand.Mem) {
		if s < 2 {
			m.fall(codec, at, s, []reg.Register{reg.K1, reg.K2}[s])
			return
		}
		m.fall(codec, at, s%4, reg.K3)
		m.c.KORW(reg.K3, reg.K1, reg.K1)
	}, func() {
		m.c.KORTESTW(reg.K1, reg.K2)
		m.c.JNZ(operand.LabelRef("rest"))
	})
	m.c.ADDQ(operand.U32(streamsBlock/size), i)
	m.c.JMP(operand.LabelRef("block"))
	m.c.Label("rest")
}

// fall sets k to the words of the vector at that are above the word after them,
// with the registers of one of four places.
func (m *mapper) fall(codec string, at operand.Mem, place int, k reg.Register) {
	z := zmm[4*place:]
	m.c.VMOVDQU64(at, z[0])
	m.c.VMOVDQU64(at.Offset(m.bits/8), z[1])
	if codec == "Float" {
		m.encode(z[0], z[2], z[3], reg.K5)
		m.encode(z[1], z[2], z[3], reg.K5)
	} else {
		m.ops().xor(zFlip, z[0], z[0])
		m.ops().xor(zFlip, z[1], z[1])
	}
	m.ops().less(z[0], z[1], k)
}
