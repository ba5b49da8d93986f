package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tags emits Tags, by eight words at a time where words are neighbours.
func (s *spreader) tags() {
	name := fmt.Sprintf("Tags%dAVX2", 8*s.size)
	function(s.c, name, "func(src *uint64, n int, shift uint64, place uint64, tags *uint32)")
	s.c.Doc(fmt.Sprintf("%s makes the tags of src[:n], elements of %d bytes: word >> shift << place | i.", name, s.size))
	loadParam(s.c, "src", sSrc)
	loadParam(s.c, "n", sCount)
	loadParam(s.c, "shift", sShift)
	loadParam(s.c, "place", sMask)
	loadParam(s.c, "tags", sDst)
	i := sAt
	s.c.XORL(i.As32(), i.As32())
	if s.size == 8 {
		s.c.VMOVQ(sShift, reg.X8)
		s.c.VMOVQ(sMask, reg.X9)
		s.c.VMOVDQU(s.iota, reg.Y10)
		s.c.VMOVDQU(s.iota.Offset(32), reg.Y11)
		s.c.SUBQ(operand.U32(8), sCount)
		s.c.JL(operand.LabelRef("tail"))
		s.c.Label("vectors")
		s.c.VMOVDQU(operand.Mem{Base: sSrc, Index: i, Scale: 8}, reg.Y0)
		s.c.VMOVDQU(operand.Mem{Base: sSrc, Index: i, Scale: 8, Disp: 32}, reg.Y1)
		s.c.VPSRLQ(reg.X8, reg.Y0, reg.Y0)
		s.c.VPSRLQ(reg.X8, reg.Y1, reg.Y1)
		s.c.VSHUFPS(operand.U8(0x88), reg.Y1, reg.Y0, reg.Y0)
		s.c.VPERMQ(operand.U8(0xd8), reg.Y0, reg.Y0)
		s.c.VPSLLD(reg.X9, reg.Y0, reg.Y0)
		s.c.VPOR(reg.Y10, reg.Y0, reg.Y0)
		s.c.VPADDD(reg.Y11, reg.Y10, reg.Y10)
		s.c.VMOVDQU(reg.Y0, operand.Mem{Base: sDst, Index: i, Scale: 4})
		s.c.ADDQ(operand.U32(8), i)
		s.c.SUBQ(operand.U32(8), sCount)
		s.c.JGE(operand.LabelRef("vectors"))
		s.c.Label("tail")
		s.c.VZEROUPPER()
		s.c.ADDQ(operand.U32(8), sCount)
		s.c.LEAQ(operand.Mem{Base: sSrc, Index: i, Scale: 8}, sSrc)
	}
	s.c.TESTQ(sCount, sCount)
	s.c.JZ(operand.LabelRef("end"))
	s.c.Label("words")
	s.c.SHRXQ(sShift, s.word(0), sWord)
	s.c.SHLXL(sMask.As32(), sWord.As32(), sWord.As32())
	s.c.ORL(i.As32(), sWord.As32())
	s.c.MOVL(sWord.As32(), operand.Mem{Base: sDst, Index: i, Scale: 4})
	s.c.INCQ(i)
	s.c.ADDQ(operand.U32(s.size), sSrc)
	s.c.DECQ(sCount)
	s.c.JNZ(operand.LabelRef("words"))
	s.c.Label("end")
	s.c.RET()
}

// laneNumbers emits a vector of the numbers of 32-bit lanes, and behind it one
// of how many there are.
func laneNumbers(c *Context) operand.Mem {
	t := c.StaticGlobal("laneNumbers")
	c.DataAttributes(attrRODATA)
	for i := range 8 {
		c.AddDatum(4*i, operand.U32(i))
	}
	for i := range 8 {
		c.AddDatum(32+4*i, operand.U32(8))
	}
	return t
}

// fetch emits Fetch. Single loads are as fast as gathers.
func (s *spreader) fetch() {
	name := fmt.Sprintf("Fetch%dAVX2", 8*s.size)
	function(s.c, name, "func(tags *uint32, n int, mask uint64, src *uint64, dst *uint64)")
	s.c.Doc(fmt.Sprintf("%s copies src[tags[i] & mask] to dst[i] for the n tags, elements of %d bytes.", name, s.size))
	loadParam(s.c, "tags", sSrc)
	loadParam(s.c, "n", sCount)
	loadParam(s.c, "mask", sMask)
	loadParam(s.c, "src", sBase)
	loadParam(s.c, "dst", sDst)
	t := &spreader{c: s.c, size: 4}
	t.loop(func(u int) {
		s.c.MOVL(t.word(at(u)), sAt.As32())
		s.c.ANDL(sMask.As32(), sAt.As32())
		if s.size == 8 {
			s.c.MOVQ(operand.Mem{Base: sBase, Index: sAt, Scale: 8}, sWord)
			s.c.MOVQ(sWord, operand.Mem{Base: sDst, Disp: 8 * at(u)})
		} else {
			s.c.ADDQ(sAt, sAt)
			s.c.VMOVDQU(operand.Mem{Base: sBase, Index: sAt, Scale: 8}, reg.X0)
			s.c.VMOVDQU(reg.X0, operand.Mem{Base: sDst, Disp: 16 * at(u)})
		}
		if u >= spreadUnroll-1 {
			s.c.ADDQ(operand.U32((at(u)+1)*s.size), sDst)
		}
	})
	s.c.RET()
}

// nearest emits Nearest.
func nearest(c *Context) {
	function(c, "NearestAVX2", "func(x *uint32, n int) uint32")
	c.Doc("NearestAVX2 returns the least x[i] ^ x[i+1] of x[:n]. n − 1 is a multiple of 8, and not 0.")
	x, n, least := reg.RSI, reg.RCX, reg.Y0
	loadParam(c, "x", x)
	loadParam(c, "n", n)
	c.DECQ(n)
	c.VPCMPEQD(least, least, least)
	c.Label("loop")
	c.VMOVDQU(operand.Mem{Base: x}, reg.Y1)
	c.VPXOR(operand.Mem{Base: x, Disp: 4}, reg.Y1, reg.Y1)
	c.VPMINUD(reg.Y1, least, least)
	c.ADDQ(operand.U32(32), x)
	c.SUBQ(operand.U32(8), n)
	c.JNZ(operand.LabelRef("loop"))
	c.VEXTRACTI128(operand.U8(1), least, reg.X1)
	c.VPMINUD(reg.X1, reg.X0, reg.X0)
	for _, order := range []uint8{0x4e, 0xb1} {
		c.VPSHUFD(operand.U8(order), reg.X0, reg.X1)
		c.VPMINUD(reg.X1, reg.X0, reg.X0)
	}
	c.VMOVD(reg.X0, reg.EAX)
	c.VZEROUPPER()
	c.Store(reg.EAX, c.ReturnIndex(0))
	c.RET()
}
