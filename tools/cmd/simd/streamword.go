package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// streamWord emits StreamFirst or StreamSecond.
func streamWord(c *Context, second bool) {
	name, unpack, what := "StreamFirstAVX2", c.VPUNPCKLQDQ, "first"
	if second {
		name, unpack, what = "StreamSecondAVX2", c.VPUNPCKHQDQ, "second"
	}
	function(c, name, "func(dst *uint64, src *uint64, n int)")
	c.Doc(name+" writes the "+what+" words of n pairs to dst past the caches. dst is a multiple of 64 bytes;",
		"n is a multiple of 8, and not 0. Others may read dst only after StreamDone.")
	dst, src, n := reg.RDI, reg.RSI, reg.RCX
	loadParam(c, "dst", dst)
	loadParam(c, "src", src)
	loadParam(c, "n", n)
	c.Label("loop")
	for i := range 2 {
		a, b := ymm[2*i], ymm[2*i+1]
		c.VMOVDQU(operand.Mem{Base: src, Disp: 64 * i}, a)
		c.VMOVDQU(operand.Mem{Base: src, Disp: 64*i + 32}, b)
		unpack(b, a, a) // words 0, 2, 1, 3
		c.VPERMQ(operand.U8(0xd8), a, a)
	}
	c.VMOVNTDQ(ymm[0], operand.Mem{Base: dst})
	c.VMOVNTDQ(ymm[2], operand.Mem{Base: dst, Disp: 32})
	c.ADDQ(operand.U32(128), src)
	c.ADDQ(operand.U32(64), dst)
	c.SUBQ(operand.U32(8), n)
	c.JNZ(operand.LabelRef("loop"))
	c.VZEROUPPER()
	c.RET()
}
