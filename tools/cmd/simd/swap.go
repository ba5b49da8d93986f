package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// swapBytes is what a turn of Swap exchanges.
const swapBytes = 128

// swap emits Swap, which goes through the first and the second half of either
// range side by side: four streams, see streams.go.
func swap(c *Context) {
	function(c, "SwapAVX2", "func(a, b *uint64, n int)")
	c.Doc("SwapAVX2 exchanges the n bytes at a with those at b, n being a multiple of 128.")
	a, b := loadParam(c, "a", reg.RDI), loadParam(c, "b", reg.RSI)
	n := loadParam(c, "n", reg.RCX)
	a2, b2 := reg.R8, reg.R9
	c.SHRQ(operand.U8(1), n)
	c.LEAQ(operand.Mem{Base: a, Index: n, Scale: 1}, a2)
	c.LEAQ(operand.Mem{Base: b, Index: n, Scale: 1}, b2)
	c.Label("loop")
	c.SUBQ(operand.U32(swapBytes/2), n)
	c.JL(operand.LabelRef("done"))
	all, to := []reg.GPPhysical{a, b, a2, b2}, []reg.GPPhysical{b, a, b2, a2}
	for k, p := range all {
		c.PREFETCHT0(operand.Mem{Base: p, Disp: streamsAhead})
		for i := range 2 {
			c.VMOVDQU(operand.Mem{Base: p, Disp: 32 * i}, ymm[2*k+i])
		}
	}
	for k, p := range to {
		for i := range 2 {
			c.VMOVDQU(ymm[2*k+i], operand.Mem{Base: p, Disp: 32 * i})
		}
	}
	for _, p := range all {
		c.ADDQ(operand.U32(swapBytes/2), p)
	}
	c.JMP(operand.LabelRef("loop"))
	c.Label("done")
	c.VZEROUPPER()
	c.RET()
}
