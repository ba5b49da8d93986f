package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ordered emits OrderedXor and OrderedFloat of m's width. zen: in the order of
// addresses, which AMD's processors read as fast from memory as streams, and from
// their caches 1.2 to 1.4 times as fast.
func (m *mapper) ordered(zen bool) {
	for _, codec := range []string{"Xor", "Float"} {
		name, ahead := fmt.Sprintf("Ordered%d%sAVX512", m.bits, codec), 2*splitAhead
		if zen {
			name, ahead = fmt.Sprintf("Ordered%d%sZenAVX512", m.bits, codec), 4*splitAhead
		}
		last := fmt.Sprintf("mask uint%d", m.bits)
		if codec == "Float" {
			last = fmt.Sprintf("f *[5]uint%d", m.bits)
		}
		function(m.Context, name, fmt.Sprintf("func(x *uint%d, n int, %s) int", m.bits, last))
		m.Doc(fmt.Sprintf("%s returns an i, x[:i+1] being in order of the images of its keys,", name),
			"that is at most a few vectors short of the first disorder or of n.")
		x, n := loadParam(m.Context, "x", reg.RDI), loadParam(m.Context, "n", reg.RCX)
		if codec == "Float" {
			m.floatConsts()
		} else {
			m.broadcastParam("mask", zFlip)
		}
		lanes, size := 512/m.bits, m.bits/8
		i, end := reg.RDX, reg.RSI
		m.XORQ(i, i)
		if !zen {
			m.orderedStreams(codec, x, i, n, end)
		}
		const unroll = 4
		m.LEAQ(operand.Mem{Base: n, Disp: -unroll*lanes - 1}, end)
		m.Label("loop")
		m.CMPQ(i, end)
		m.JG(operand.LabelRef("done"))
		for u := range unroll {
			at := operand.Mem{Base: x, Index: i, Scale: uint8(size), Disp: 64 * u}
			m.PREFETCHT0(at.Offset(ahead))
			m.fall(codec, at, u, []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4}[u])
		}
		m.KORW(reg.K1, reg.K2, reg.K1)
		m.KORW(reg.K3, reg.K4, reg.K3)
		m.KORTESTW(reg.K1, reg.K3)
		m.JNZ(operand.LabelRef("done"))
		m.ADDQ(operand.U32(unroll*lanes), i)
		m.JMP(operand.LabelRef("loop"))
		m.Label("done")
		m.VZEROUPPER()
		m.Store(i, m.ReturnIndex(0))
		m.RET()
	}
}

// orderedStreams moves i on by blocks of streams while they and one word more of
// the n at x are in order. It clobbers end.
func (m *mapper) orderedStreams(codec string, x, i, n, end reg.GPPhysical) {
	size := m.bits / 8
	from := reg.R8
	m.Label("block")
	m.LEAQ(operand.Mem{Base: n, Disp: -streamsBlock/size - 1}, end)
	m.CMPQ(i, end)
	m.JG(operand.LabelRef("rest"))
	m.LEAQ(operand.Mem{Base: x, Index: i, Scale: uint8(size)}, from)
	streamLoop(m.Context, from, reg.R9, reg.R10, 64, func(s int, at operand.Mem) {
		if s < 2 {
			m.fall(codec, at, s, []reg.Register{reg.K1, reg.K2}[s])
			return
		}
		m.fall(codec, at, s%4, reg.K3)
		m.KORW(reg.K3, reg.K1, reg.K1)
	}, func() {
		m.KORTESTW(reg.K1, reg.K2)
		m.JNZ(operand.LabelRef("rest"))
	})
	m.ADDQ(operand.U32(streamsBlock/size), i)
	m.JMP(operand.LabelRef("block"))
	m.Label("rest")
}

// fall sets k to the words of the vector at that are above the word after them,
// with the registers of one of four places.
func (m *mapper) fall(codec string, at operand.Mem, place int, k reg.Register) {
	z := zmm[4*place:]
	m.VMOVDQU64(at, z[0])
	m.VMOVDQU64(at.Offset(m.bits/8), z[1])
	if codec == "Float" {
		m.encode(z[0], z[2], z[3], reg.K5)
		m.encode(z[1], z[2], z[3], reg.K5)
	} else {
		m.ops().xor(zFlip, z[0], z[0])
		m.ops().xor(zFlip, z[1], z[1])
	}
	m.ops().less(z[0], z[1], k)
}
