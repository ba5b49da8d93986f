package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mapper emits loops that map src[:n] to dst[:n] one word at a time.
type mapper struct {
	c    *Context
	bits int
}

func (m *mapper) emit() {
	t := fmt.Sprintf("uint%d", m.bits)
	sig := fmt.Sprintf("func(dst, src *%s, n int, f *[5]%s)", t, t)
	ops := m.ops()
	setUp := m.floatConsts
	m.loop(fmt.Sprintf("Encode%dAVX512", m.bits), sig, "the encoded keys of src[:n] under a float codec", setUp, m.encode)
	m.loop(fmt.Sprintf("Decode%dAVX512", m.bits), sig, "the keys whose encoded keys are src[:n] under a float codec", setUp, func(v, t, u reg.VecPhysical, k reg.Register) {
		ops.xor(zFlip, v, v)
		ops.add(zLast, v, v)
		ops.sub(zM, v, t) // p = y − m
		ops.less(zM, t, k)
		ops.sub(v, zTwice, u)
		ops.move(u, k, t)
		ops.sra(operand.U8(m.bits-1), t, u)
		// p ^ (^u | sign)
		m.c.VMOVDQA64(t, v)
		ops.tern(operand.U8(0x4b), zSign, u, v)
	})
	loose := " under a float codec whose M is 0"
	m.loop(fmt.Sprintf("EncodeLoose%dAVX512", m.bits), sig, "the encoded keys of src[:n]"+loose, setUp, func(v, t, _ reg.VecPhysical, _ reg.Register) { m.encodeLoose(v, t) })
	m.loop(fmt.Sprintf("DecodeLoose%dAVX512", m.bits), sig, "the keys whose encoded keys are src[:n]"+loose, setUp, func(v, t, _ reg.VecPhysical, _ reg.Register) {
		ops.xor(zFlip, v, v)
		ops.add(zLast, v, v) // p
		ops.sra(operand.U8(m.bits-1), v, t)
		ops.tern(operand.U8(0x4b), zSign, t, v) // p ^ (^t | sign)
	})
	m.loop(fmt.Sprintf("Xor%dAVX512", m.bits), fmt.Sprintf("func(dst, src *%s, n int, mask %s)", t, t), "src[i] XOR mask", func() { m.broadcastParam("mask", zFlip) }, func(v, _, _ reg.VecPhysical, _ reg.Register) { ops.xor(zFlip, v, v) })
}

// The constants of a float codec, in the order of simd.FloatMap.
var (
	zM, zTwice, zSign, zLast, zFlip = reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31
)

// floatConsts loads them from parameter f.
func (m *mapper) floatConsts() {
	f := loadParam(m.c, "f", reg.RAX)
	for i, z := range []reg.VecPhysical{zM, zTwice, zSign, zLast, zFlip} {
		m.ops().broadcast(operand.Mem{Base: f, Disp: i * m.bits / 8}, z)
	}
}

// broadcastParam fills z with a word parameter. It uses RAX.
func (m *mapper) broadcastParam(name string, z reg.VecPhysical) {
	if m.bits == 32 {
		m.c.Load(m.c.Param(name), reg.EAX)
		m.c.VPBROADCASTD(reg.EAX, z)
	} else {
		m.c.Load(m.c.Param(name), reg.RAX)
		m.c.VPBROADCASTQ(reg.RAX, z)
	}
}

// encode maps v to its encoded key under a float codec.
func (m *mapper) encode(v, t, u reg.VecPhysical, k reg.Register) {
	ops := m.ops()
	ops.sra(operand.U8(m.bits-1), v, t)
	ops.tern(operand.U8(0x1e), zSign, t, v) // p = v ^ (t | sign)
	ops.less(zM, v, k)
	ops.sub(v, zTwice, u)
	ops.add(zM, v, v)
	ops.move(u, k, v)
	ops.sub(zLast, v, v)
	ops.xor(zFlip, v, v)
}

// encodeLoose is encode where M is 0.
func (m *mapper) encodeLoose(v, t reg.VecPhysical) {
	ops := m.ops()
	ops.sra(operand.U8(m.bits-1), v, t)
	ops.tern(operand.U8(0x1e), zSign, t, v)
	ops.sub(zLast, v, v)
	ops.xor(zFlip, v, v)
}

// loop emits a function with two vectors per turn and masks at the end. body
// maps v with temporaries t, u and k.
func (m *mapper) loop(name, sig, what string, setUp func(), body func(v, t, u reg.VecPhysical, k reg.Register)) {
	function(m.c, name, sig)
	m.c.Doc(fmt.Sprintf("%s writes to dst[:n] %s. dst is src or disjoint.", name, what))
	setUp()
	dst, src := loadParam(m.c, "dst", reg.RDI), loadParam(m.c, "src", reg.RSI)
	n := loadParam(m.c, "n", reg.RCX)
	lanes := 512 / m.bits
	m.c.SUBQ(operand.U32(2*lanes), n)
	m.c.JL(operand.LabelRef("tail"))
	m.c.Label("loop")
	for i := range 2 {
		m.c.VMOVDQU64(operand.Mem{Base: src, Disp: 64 * i}, zmm[3*i])
	}
	for i := range 2 {
		body(zmm[3*i], zmm[3*i+1], zmm[3*i+2], []reg.Register{reg.K1, reg.K2}[i])
	}
	for i := range 2 {
		m.c.VMOVDQU64(zmm[3*i], operand.Mem{Base: dst, Disp: 64 * i})
	}
	m.c.ADDQ(operand.U32(128), src)
	m.c.ADDQ(operand.U32(128), dst)
	m.c.SUBQ(operand.U32(2*lanes), n)
	m.c.JGE(operand.LabelRef("loop"))
	m.c.Label("tail")
	m.c.ADDQ(operand.U32(2*lanes), n)
	m.c.MOVQ(operand.I32(-1), reg.RAX)
	m.c.BZHIQ(n, reg.RAX, reg.RAX)
	m.c.KMOVQ(reg.RAX, reg.K3)
	m.c.KSHIFTRQ(operand.U8(lanes), reg.K3, reg.K4)
	w := &net512{c: m.c, bits: m.bits}
	for i, k := range []reg.Register{reg.K3, reg.K4} {
		w.loadMasked(operand.Mem{Base: src, Disp: 64 * i}, k, zmm[0])
		body(zmm[0], zmm[1], zmm[2], reg.K1)
		w.storeMasked(zmm[0], k, operand.Mem{Base: dst, Disp: 64 * i})
	}
	m.c.VZEROUPPER()
	m.c.RET()
}

// wordOps are instructions by word width.
type wordOps struct {
	broadcast     func(a, b operand.Op)
	sra           func(i, a, b operand.Op)
	tern          func(i, a, b, c operand.Op)
	less          func(b, a, k operand.Op)
	sub, add, xor func(b, a, dst operand.Op)
	move          func(a, k, dst operand.Op)
}

func (m *mapper) ops() wordOps {
	if m.bits == 32 {
		return wordOps{
			broadcast: func(a, b operand.Op) { m.c.VPBROADCASTD(a, b) },
			sra:       func(i, a, b operand.Op) { m.c.VPSRAD(i, a, b) },
			tern:      func(i, a, b, c operand.Op) { m.c.VPTERNLOGD(i, a, b, c) },
			less:      func(b, a, k operand.Op) { m.c.VPCMPUD(operand.U8(1), b, a, k) },
			sub:       func(b, a, d operand.Op) { m.c.VPSUBD(b, a, d) },
			add:       func(b, a, d operand.Op) { m.c.VPADDD(b, a, d) },
			xor:       func(b, a, d operand.Op) { m.c.VPXORD(b, a, d) },
			move:      func(a, k, d operand.Op) { m.c.VMOVDQA32(a, k, d) },
		}
	}
	return wordOps{
		broadcast: func(a, b operand.Op) { m.c.VPBROADCASTQ(a, b) },
		sra:       func(i, a, b operand.Op) { m.c.VPSRAQ(i, a, b) },
		tern:      func(i, a, b, c operand.Op) { m.c.VPTERNLOGQ(i, a, b, c) },
		less:      func(b, a, k operand.Op) { m.c.VPCMPUQ(operand.U8(1), b, a, k) },
		sub:       func(b, a, d operand.Op) { m.c.VPSUBQ(b, a, d) },
		add:       func(b, a, d operand.Op) { m.c.VPADDQ(b, a, d) },
		xor:       func(b, a, d operand.Op) { m.c.VPXORQ(b, a, d) },
		move:      func(a, k, d operand.Op) { m.c.VMOVDQA64(a, k, d) },
	}
}
