package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// ordered emits OrderedXor and OrderedFloat of m's width.
func (m *mapper) ordered() {
	for _, codec := range []string{"Xor", "Float"} {
		name := fmt.Sprintf("Ordered%d%sAVX512", m.bits, codec)
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
		const unroll = 4
		m.LEAQ(operand.Mem{Base: n, Disp: -unroll*lanes - 1}, end)
		m.Label("loop")
		m.CMPQ(i, end)
		m.JG(operand.LabelRef("done"))
		for u := range unroll {
			at := operand.Mem{Base: x, Index: i, Scale: uint8(size), Disp: 64 * u}
			a, b, k := zmm[4*u], zmm[4*u+1], []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4}[u]
			m.PREFETCHT0(at.Offset(2 * ahead))
			m.VMOVDQU64(at, a)
			m.VMOVDQU64(at.Offset(size), b)
			if codec == "Float" {
				m.encode(a, zmm[4*u+2], zmm[4*u+3], reg.K5)
				m.encode(b, zmm[4*u+2], zmm[4*u+3], reg.K5)
			} else {
				m.ops().xor(zFlip, a, a)
				m.ops().xor(zFlip, b, b)
			}
			m.ops().less(a, b, k)
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
