package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tag emits what argsort needs around its sort of words: TagAVX512 makes them,
// key above position, partitioned, and Low32AVX512 takes the positions out.
func tag(c *Context) {
	function(c, "TagAVX512", "func(k *uint32, n int, at uint64, pivot uint64, left *uint64, last *uint64, table *[256]uint64) int")
	c.Doc("TagAVX512 makes the words k[i] << 32 | at + i, writes those below pivot from left on upwards",
		"and the others from last on downwards, and returns how many are below. n is a multiple of 8,",
		"and there is room for n + 8 words from left to last. table orders the lanes of a vector by mask.")
	k := loadParam(c, "k", reg.RSI)
	n := loadParam(c, "n", reg.RCX)
	left, right := loadParam(c, "left", reg.R8), loadParam(c, "last", reg.R9)
	c.ADDQ(operand.U32(8), right) // its end
	loadParam(c, "table", reg.R12)
	pivot, place, eight := reg.Z31, reg.Z30, reg.Z29
	c.Load(c.Param("pivot"), reg.RAX)
	c.VPBROADCASTQ(reg.RAX, pivot)
	lanes := c.StaticGlobal("firstLanes")
	c.DataAttributes(attrRODATA)
	for i := range 8 {
		c.AddDatum(i, operand.U8(i))
	}
	c.Load(c.Param("at"), reg.RAX)
	c.VPBROADCASTQ(reg.RAX, place)
	c.VPMOVZXBQ(lanes, reg.Z0)
	c.VPADDQ(reg.Z0, place, place)
	c.MOVL(operand.U32(8), reg.EAX)
	c.VPBROADCASTQ(reg.RAX, eight)
	v, t, m := reg.Z0, reg.Z1, reg.RAX
	c.TESTQ(n, n)
	c.JZ(operand.LabelRef("done"))
	c.Label("loop")
	c.VPMOVZXDQ(operand.Mem{Base: k}, v)
	c.VPSLLQ(operand.U8(32), v, v)
	c.VPORQ(place, v, v)
	c.VPADDQ(eight, place, place)
	c.VPCMPUQ(operand.U8(1), pivot, v, reg.K1) // v < pivot
	c.KMOVB(reg.K1, m.As32())
	c.VPMOVZXBQ(operand.Mem{Base: reg.R12, Index: m, Scale: 8}, t)
	c.VPERMQ(v, t, t)
	c.POPCNTL(m.As32(), m.As32())
	c.VMOVDQU64(t, operand.Mem{Base: left})
	c.VMOVDQU64(t, operand.Mem{Base: right, Disp: -64})
	c.LEAQ(operand.Mem{Base: left, Index: m, Scale: 8}, left)
	c.LEAQ(operand.Mem{Base: right, Index: m, Scale: 8, Disp: -64}, right)
	c.ADDQ(operand.U32(32), k)
	c.SUBQ(operand.U32(8), n)
	c.JNZ(operand.LabelRef("loop"))
	c.Label("done")
	c.VZEROUPPER()
	c.Load(c.Param("left"), reg.RAX)
	c.SUBQ(reg.RAX, left)
	c.SHRQ(operand.U8(3), left)
	c.Store(left, c.ReturnIndex(0))
	c.RET()

	function(c, "Low32AVX512", "func(dst *uint32, src *uint64, n int)")
	c.Doc("Low32AVX512 writes the low halves of src[:n] to dst. n is a multiple of 8, and not 0.")
	dst, src := loadParam(c, "dst", reg.RDI), loadParam(c, "src", reg.RSI)
	loadParam(c, "n", reg.RCX)
	c.Label("loop")
	c.VMOVDQU64(operand.Mem{Base: src}, v)
	c.VPMOVQD(v, reg.Y0)
	c.VMOVDQU(reg.Y0, operand.Mem{Base: dst})
	c.ADDQ(operand.U32(64), src)
	c.ADDQ(operand.U32(32), dst)
	c.SUBQ(operand.U32(8), n)
	c.JNZ(operand.LabelRef("loop"))
	c.VZEROUPPER()
	c.RET()
}
