package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// zip emits Zip, or, given laneNumbers, ZipAt, which has positions in the place
// of values.
func zip(c *Context, numbers *operand.Mem) {
	at := numbers != nil
	w, k, n := reg.RDI, reg.RSI, reg.RCX
	v := reg.RDX
	if at {
		function(c, "ZipAtAVX2", "func(w *uint64, k *uint32, at uint64, n int)")
		c.Doc("ZipAtAVX2 makes w[i] = k[i] << 32 | at + i, at + n being at most 2^32.", "n is a multiple of 8, and not 0.")
		c.VMOVDQU(*numbers, reg.Y10)
		c.VMOVDQU(numbers.Offset(32), reg.Y11)
		c.Load(c.Param("at"), reg.RAX)
		c.VMOVQ(reg.RAX, reg.X0)
		c.VPBROADCASTD(reg.X0, reg.Y0)
		c.VPADDD(reg.Y0, reg.Y10, reg.Y10)
	} else {
		function(c, "ZipAVX2", "func(w *uint64, k *uint32, v *uint32, n int)")
		c.Doc("ZipAVX2 makes w[i] = k[i] << 32 | v[i].", "n is a multiple of 8, and not 0.")
		loadParam(c, "v", v)
	}
	loadParam(c, "w", w)
	loadParam(c, "k", k)
	loadParam(c, "n", n)
	c.Label("loop")
	c.VMOVDQU(operand.Mem{Base: k}, reg.Y0)
	low := reg.Y1
	if at {
		low = reg.Y10
	} else {
		c.VMOVDQU(operand.Mem{Base: v}, low)
	}
	c.VPUNPCKLDQ(reg.Y0, low, reg.Y2) // words 0, 1, 4, 5
	c.VPUNPCKHDQ(reg.Y0, low, reg.Y3) // words 2, 3, 6, 7
	c.VPERM2I128(operand.U8(0x20), reg.Y3, reg.Y2, reg.Y4)
	c.VPERM2I128(operand.U8(0x31), reg.Y3, reg.Y2, reg.Y5)
	c.VMOVDQU(reg.Y4, operand.Mem{Base: w})
	c.VMOVDQU(reg.Y5, operand.Mem{Base: w, Disp: 32})
	if at {
		c.VPADDD(reg.Y11, low, low)
	} else {
		c.ADDQ(operand.U32(32), v)
	}
	c.ADDQ(operand.U32(32), k)
	c.ADDQ(operand.U32(64), w)
	c.SUBQ(operand.U32(8), n)
	c.JNZ(operand.LabelRef("loop"))
	c.VZEROUPPER()
	c.RET()
}

// unzip emits Unzip.
func unzip(c *Context) {
	function(c, "UnzipAVX2", "func(k *uint32, v *uint32, w *uint64, n int)")
	c.Doc("UnzipAVX2 writes the high halves of w[:n] to k and the low ones to v.", "n is a multiple of 8, and not 0.")
	w, k, v, n := reg.RDI, reg.RSI, reg.RDX, reg.RCX
	loadParam(c, "k", k)
	loadParam(c, "v", v)
	loadParam(c, "w", w)
	loadParam(c, "n", n)
	c.Label("loop")
	c.VMOVDQU(operand.Mem{Base: w}, reg.Y0)
	c.VMOVDQU(operand.Mem{Base: w, Disp: 32}, reg.Y1)
	for half, out := range []reg.GPPhysical{v, k} {
		t := ymm[2+half]
		c.VSHUFPS(operand.U8([]uint8{0x88, 0xdd}[half]), reg.Y1, reg.Y0, t)
		c.VPERMQ(operand.U8(0xd8), t, t)
		c.VMOVDQU(t, operand.Mem{Base: out})
		c.ADDQ(operand.U32(32), out)
	}
	c.ADDQ(operand.U32(64), w)
	c.SUBQ(operand.U32(8), n)
	c.JNZ(operand.LabelRef("loop"))
	c.VZEROUPPER()
	c.RET()
}

// streamHalf emits StreamLow or StreamHigh.
func streamHalf(c *Context, high bool) {
	name, shuffle, what := "StreamLowAVX2", 0x88, "low"
	if high {
		name, shuffle, what = "StreamHighAVX2", 0xdd, "high"
	}
	function(c, name, "func(dst *uint32, src *uint64, n int)")
	c.Doc(name+" writes the "+what+" halves of src[:n] to dst past the caches. dst is a multiple of 64 bytes;",
		"n is a multiple of 16, and not 0. Others may read dst only after StreamDone.")
	dst, src, n := reg.RDI, reg.RSI, reg.RCX
	loadParam(c, "dst", dst)
	loadParam(c, "src", src)
	loadParam(c, "n", n)
	c.Label("loop")
	for i := range 2 {
		a, b := ymm[2*i], ymm[2*i+1]
		c.VMOVDQU(operand.Mem{Base: src, Disp: 64 * i}, a)
		c.VMOVDQU(operand.Mem{Base: src, Disp: 64*i + 32}, b)
		c.VSHUFPS(operand.U8(uint8(shuffle)), b, a, a)
		c.VPERMQ(operand.U8(0xd8), a, a)
	}
	c.VMOVNTDQ(reg.Y0, operand.Mem{Base: dst})
	c.VMOVNTDQ(reg.Y2, operand.Mem{Base: dst, Disp: 32})
	c.ADDQ(operand.U32(128), src)
	c.ADDQ(operand.U32(64), dst)
	c.SUBQ(operand.U32(16), n)
	c.JNZ(operand.LabelRef("loop"))
	c.VZEROUPPER()
	c.RET()
}

// streamWord emits StreamFirst or StreamSecond.
func streamWord(c *Context, second bool) {
	name, what := "StreamFirstAVX2", "first"
	if second {
		name, what = "StreamSecondAVX2", "second"
	}
	function(c, name, "func(dst *uint64, src *uint64, n int)")
	c.Doc(name+" writes the "+what+" words of the n pairs at src to dst past the caches. dst is a multiple of",
		"64 bytes; n is a multiple of 8, and not 0. Others may read dst only after StreamDone.")
	dst, src, n := reg.RDI, reg.RSI, reg.RCX
	loadParam(c, "dst", dst)
	loadParam(c, "src", src)
	loadParam(c, "n", n)
	c.Label("loop")
	for i := range 2 {
		a, b := ymm[2*i], ymm[2*i+1]
		c.VMOVDQU(operand.Mem{Base: src, Disp: 64 * i}, a)
		c.VMOVDQU(operand.Mem{Base: src, Disp: 64*i + 32}, b)
		if second {
			c.VPUNPCKHQDQ(b, a, a) // words 0, 2, 1, 3
		} else {
			c.VPUNPCKLQDQ(b, a, a)
		}
		c.VPERMQ(operand.U8(0xd8), a, a)
	}
	c.VMOVNTDQ(reg.Y0, operand.Mem{Base: dst})
	c.VMOVNTDQ(reg.Y2, operand.Mem{Base: dst, Disp: 32})
	c.ADDQ(operand.U32(128), src)
	c.ADDQ(operand.U32(64), dst)
	c.SUBQ(operand.U32(8), n)
	c.JNZ(operand.LabelRef("loop"))
	c.VZEROUPPER()
	c.RET()
}
