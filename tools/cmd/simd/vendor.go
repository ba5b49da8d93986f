package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// vendor emits CPUVendor. golang.org/x/sys/cpu does not tell the maker, and the
// library that does asks for all there is to know at start: each question is
// some microseconds in a virtual machine.
func vendor(c *Context) {
	function(c, "CPUVendor", "func() uint32")
	c.Doc("CPUVendor returns the first four letters of the processor's maker, the first lowest: 0x68747541 is AMD's.")
	c.XORL(reg.EAX, reg.EAX)
	c.XORL(reg.ECX, reg.ECX)
	c.CPUID()
	c.Store(reg.EBX, c.ReturnIndex(0))
	c.RET()
}
