package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Loops that only read get more from memory by several streams side by side,
// each in the order of addresses: one core's reads ahead of a stream end with
// its page, and the first line of a page waits for its address to be
// translated as well. A stream is half a KiB longer than whole pages, so that
// no two streams come to the end of a page at a time; and lines are prefetched
// across that end, since a prefetch translates too.
//
// Measured against one stream, as multiples of its rate: in the level-3 cache
// 1.1, in part there 1.3, in memory 1.45; 4 streams 1.1, 1.25, 1.35; without
// prefetches or half a KiB 1.07, 1.2, 1.3.
const (
	streams      = 8
	streamLength = 8*4096 + 512 // a multiple of every step
	streamsBlock = streams * streamLength
	streamsAhead = 1024
)

// streamLoop emits a loop over a block of streams from x on: in each turn body is
// called for the next step bytes of each stream, and turn when all are done. It
// clobbers at and end.
func streamLoop(c *Context, x, at, end reg.GPPhysical, step int, body func(stream int, m operand.Mem), turn func()) {
	c.MOVQ(x, at)
	c.LEAQ(operand.Mem{Base: x, Disp: streamLength}, end)
	c.Label("turn")
	for s := range streams {
		m := operand.Mem{Base: at, Disp: s * streamLength}
		for i := 0; i < step; i += 64 {
			c.PREFETCHT0(m.Offset(streamsAhead + i))
		}
		body(s, m)
	}
	turn()
	c.ADDQ(operand.U32(step), at)
	c.CMPQ(at, end)
	c.JLT(operand.LabelRef("turn"))
}

// same emits the scan for one value.
func same(c *Context, avx512 bool) {
	name, wide := "SameAVX2", reg.VecPhysical(reg.Y15)
	if avx512 {
		name, wide = "SameAVX512", reg.Z15
	}
	sameFunction(c, name, wide, streamsBlock, func(x reg.GPPhysical) {
		if avx512 {
			sameBlock512(c, x)
		} else {
			sameBlock256(c, x)
		}
	})
}

// sameFunction emits a function that has block look at so many bytes at x for others than
// those broadcast in wide, and go to done if there are any, block by block.
func sameFunction(c *Context, name string, wide reg.VecPhysical, bytes int, block func(x reg.GPPhysical)) {
	function(c, name, "func(x *uint64, n int, a uint64) (done int)")
	c.Doc(fmt.Sprintf("%s returns how many bytes at the front of x[:n], n in bytes, are those of a repeated,", name),
		fmt.Sprintf("in multiples of %d.", bytes))
	x := loadParam(c, "x", reg.RDI)
	n := loadParam(c, "n", reg.RSI)
	c.Load(c.Param("a"), reg.RAX)
	c.VMOVQ(reg.RAX, reg.X15)
	c.VPBROADCASTQ(reg.X15, wide)
	c.Label("block")
	c.SUBQ(operand.U32(bytes), n)
	c.JL(operand.LabelRef("done"))
	block(x)
	c.ADDQ(operand.U32(bytes), x)
	c.JMP(operand.LabelRef("block"))
	c.Label("done")
	c.VZEROUPPER()
	c.Load(c.Param("x"), reg.RAX)
	c.SUBQ(reg.RAX, x)
	c.Store(x, c.Return("done"))
	c.RET()
}

// sameLineBytes is how much sameLine looks at between two branches.
const sameLineBytes = 4 * 64

// sameLine emits same in the order of addresses, without prefetches and by vectors of 32
// bytes, for AMD's processors. GB/s on Zen 4, 40 MB partly in the level-3 cache, in memory
// with pages of 4 KiB and of 2 MiB: 41, 25 and 30; the streams 36, 24 and 24; in order with
// prefetches 30, 22 and 28; by vectors of 64 bytes, eight a turn, 40, 21 and 29.
func sameLine(c *Context) {
	sameFunction(c, "SameZenAVX512", reg.Y15, sameLineBytes, func(x reg.GPPhysical) {
		for i := range sameLineBytes / 32 {
			c.VPXOR(operand.Mem{Base: x, Disp: 32 * i}, reg.Y15, ymm[i])
		}
		for left := sameLineBytes / 32 / 2; left > 0; left /= 2 {
			for i := range left {
				c.VPOR(ymm[i+left], ymm[i], ymm[i])
			}
		}
		c.VPTEST(ymm[0], ymm[0])
		c.JNZ(operand.LabelRef("done"))
	})
}

// sameBlock512 goes to done if a word of the block at x is not that in Z15.
func sameBlock512(c *Context, x reg.GPPhysical) {
	diff := []reg.VecPhysical{reg.Z0, reg.Z1}
	for _, d := range diff {
		c.VPXORQ(d, d, d)
	}
	streamLoop(c, x, reg.R9, reg.R10, 64, func(s int, m operand.Mem) {
		c.VMOVDQU64(m, zmm[2+s])
		c.VPTERNLOGQ(operand.U8(0xf6), reg.Z15, zmm[2+s], diff[s%2]) // diff | v ^ a
	}, func() {
		c.VPORQ(diff[0], diff[1], reg.Z14)
		c.VPTESTMQ(reg.Z14, reg.Z14, reg.K1)
		c.KORTESTB(reg.K1, reg.K1)
		c.JNZ(operand.LabelRef("done"))
	})
}

// sameBlock256 is sameBlock512 for AVX2 and Y15.
func sameBlock256(c *Context, x reg.GPPhysical) {
	diff := []reg.VecPhysical{reg.Y0, reg.Y1}
	for _, d := range diff {
		c.VPXOR(d, d, d)
	}
	streamLoop(c, x, reg.R9, reg.R10, 64, func(s int, m operand.Mem) {
		for i, d := range diff {
			v := ymm[2+(2*s+i)%8]
			c.VPXOR(m.Offset(32*i), reg.Y15, v)
			c.VPOR(v, d, d)
		}
	}, func() {
		c.VPOR(diff[0], diff[1], reg.Y14)
		c.VPTEST(reg.Y14, reg.Y14)
		c.JNZ(operand.LabelRef("done"))
	})
}
