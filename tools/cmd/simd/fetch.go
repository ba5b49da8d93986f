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
	function(s.Context, name, "func(src *uint64, n int, shift uint64, place uint64, tags *uint32)")
	s.Doc(fmt.Sprintf("%s makes the tags of src[:n], elements of %d bytes: word >> shift << place | i.", name, s.size))
	loadParam(s.Context, "src", sSrc)
	loadParam(s.Context, "n", sCount)
	loadParam(s.Context, "shift", sShift)
	loadParam(s.Context, "place", sMask)
	loadParam(s.Context, "tags", sDst)
	i := sAt
	s.XORL(i.As32(), i.As32())
	if s.size == 8 {
		s.VMOVQ(sShift, reg.X8)
		s.VMOVQ(sMask, reg.X9)
		s.VMOVDQU(s.iota, reg.Y10)
		s.VMOVDQU(s.iota.Offset(32), reg.Y11)
		s.SUBQ(operand.U32(8), sCount)
		s.JL(operand.LabelRef("tail"))
		s.Label("vectors")
		s.VMOVDQU(operand.Mem{Base: sSrc, Index: i, Scale: 8}, reg.Y0)
		s.VMOVDQU(operand.Mem{Base: sSrc, Index: i, Scale: 8, Disp: 32}, reg.Y1)
		s.VPSRLQ(reg.X8, reg.Y0, reg.Y0)
		s.VPSRLQ(reg.X8, reg.Y1, reg.Y1)
		s.VSHUFPS(operand.U8(0x88), reg.Y1, reg.Y0, reg.Y0)
		s.VPERMQ(operand.U8(0xd8), reg.Y0, reg.Y0)
		s.VPSLLD(reg.X9, reg.Y0, reg.Y0)
		s.VPOR(reg.Y10, reg.Y0, reg.Y0)
		s.VPADDD(reg.Y11, reg.Y10, reg.Y10)
		s.VMOVDQU(reg.Y0, operand.Mem{Base: sDst, Index: i, Scale: 4})
		s.ADDQ(operand.U32(8), i)
		s.SUBQ(operand.U32(8), sCount)
		s.JGE(operand.LabelRef("vectors"))
		s.Label("tail")
		s.VZEROUPPER()
		s.ADDQ(operand.U32(8), sCount)
		s.LEAQ(operand.Mem{Base: sSrc, Index: i, Scale: 8}, sSrc)
	}
	s.TESTQ(sCount, sCount)
	s.JZ(operand.LabelRef("end"))
	s.Label("words")
	s.SHRXQ(sShift, s.word(0), sWord)
	s.SHLXL(sMask.As32(), sWord.As32(), sWord.As32())
	s.ORL(i.As32(), sWord.As32())
	s.MOVL(sWord.As32(), operand.Mem{Base: sDst, Index: i, Scale: 4})
	s.INCQ(i)
	s.ADDQ(operand.U32(s.size), sSrc)
	s.DECQ(sCount)
	s.JNZ(operand.LabelRef("words"))
	s.Label("end")
	s.RET()
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
	function(s.Context, name, "func(tags *uint32, n int, mask uint64, src *uint64, dst *uint64)")
	s.Doc(fmt.Sprintf("%s copies src[tags[i] & mask] to dst[i] for the n tags, elements of %d bytes.", name, s.size))
	loadParam(s.Context, "tags", sSrc)
	loadParam(s.Context, "n", sCount)
	loadParam(s.Context, "mask", sMask)
	loadParam(s.Context, "src", sBase)
	loadParam(s.Context, "dst", sDst)
	t := &spreader{Context: s.Context, size: 4}
	t.loop(func(u int) {
		s.MOVL(t.word(at(u)), sAt.As32())
		s.ANDL(sMask.As32(), sAt.As32())
		if s.size == 8 {
			s.MOVQ(operand.Mem{Base: sBase, Index: sAt, Scale: 8}, sWord)
			s.MOVQ(sWord, operand.Mem{Base: sDst, Disp: 8 * at(u)})
		} else {
			s.ADDQ(sAt, sAt)
			s.VMOVDQU(operand.Mem{Base: sBase, Index: sAt, Scale: 8}, reg.X0)
			s.VMOVDQU(reg.X0, operand.Mem{Base: sDst, Disp: 16 * at(u)})
		}
		if u >= spreadUnroll-1 {
			s.ADDQ(operand.U32((at(u)+1)*s.size), sDst)
		}
	})
	s.RET()
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
