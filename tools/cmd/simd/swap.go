package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// swapBytes is what a turn of Swap exchanges.
const swapBytes = 128

// swap emits Swap.
func swap(c *Context) {
	function(c, "SwapAVX2", "func(a, b *uint64, n int)")
	c.Doc("SwapAVX2 exchanges the n bytes at a with those at b, n being a multiple of 128.")
	a, b := loadParam(c, "a", reg.RDI), loadParam(c, "b", reg.RSI)
	n := loadParam(c, "n", reg.RCX)
	c.Label("loop")
	c.SUBQ(operand.U32(swapBytes), n)
	c.JL(operand.LabelRef("done"))
	for i := 0; i < swapBytes; i += 64 {
		c.PREFETCHT0(operand.Mem{Base: a, Disp: streamsAhead + i})
		c.PREFETCHT0(operand.Mem{Base: b, Disp: streamsAhead + i})
	}
	for k, p := range []reg.GPPhysical{a, b} {
		for i := range swapBytes / 32 {
			c.VMOVDQU(operand.Mem{Base: p, Disp: 32 * i}, ymm[4*k+i])
		}
	}
	for k, p := range []reg.GPPhysical{b, a} {
		for i := range swapBytes / 32 {
			c.VMOVDQU(ymm[4*k+i], operand.Mem{Base: p, Disp: 32 * i})
		}
		c.ADDQ(operand.U32(swapBytes), p)
	}
	c.JMP(operand.LabelRef("loop"))
	c.Label("done")
	c.VZEROUPPER()
	c.RET()
}
