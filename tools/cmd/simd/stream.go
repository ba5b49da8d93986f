package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// streamBytes is the length of a line that Stream256 copies.
const streamBytes = 256

// stream emits the copy of one write-combining line past the caches.
func stream(c *Context) {
	function(c, "Stream256AVX2", "func(dst *uint64, src *uint64)")
	c.Doc("Stream256AVX2 copies 256 bytes past the caches. dst is a multiple of 32 bytes.",
		"Others may read dst only after StreamDone.")
	dst := loadParam(c, "dst", reg.RDI)
	src := loadParam(c, "src", reg.RSI)
	for i := range streamBytes / 32 {
		c.VMOVDQU(operand.Mem{Base: src, Disp: 32 * i}, ymm[i])
	}
	for i := range streamBytes / 32 {
		c.VMOVNTDQ(ymm[i], operand.Mem{Base: dst, Disp: 32 * i})
	}
	c.VZEROUPPER()
	c.RET()

	function(c, "StreamDone", "func()")
	c.Doc("StreamDone orders the copies of Stream256AVX2 before all later stores.")
	c.SFENCE()
	c.RET()
}
