package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// twoVectors is the number of vectors that a step of Two looks at.
const twoVectors = 4

// twoAhead is how many bytes before their use words are prefetched.
const twoAhead = 4096

// two emits the scans of words that are one of two values: in the order of
// addresses, and by streams side by side.
func two(c *Context, bits int, avx512 bool) {
	twoScan(c, bits, avx512, false)
	twoScan(c, bits, avx512, true)
}

func twoScan(c *Context, bits int, avx512, side bool) {
	level, vec, regs := "AVX2", 32, ymm
	if avx512 {
		level, vec, regs = "AVX512", 64, zmm
	}
	name := fmt.Sprintf("Two%d%s", bits, level)
	step := twoVectors * vec * 8 / bits
	if side {
		name = fmt.Sprintf("TwoStreams%d%s", bits, level)
		step = streamsBlock * 8 / bits
	}
	function(c, name, fmt.Sprintf("func(x *uint%d, n int, a uint%d, b uint%d) (done int, equal int)", bits, bits, bits))
	c.Doc(fmt.Sprintf("%s counts in equal the words of x[:done] that are a, all the others there being b.", name),
		fmt.Sprintf("done is a multiple of %d words, so many short of n or of the first word that is neither.", step))
	x := loadParam(c, "x", reg.RDI)
	n := loadParam(c, "n", reg.RSI)
	a, b := regs[14], regs[15]
	for i, p := range []string{"a", "b"} {
		v := regs[14+i]
		low := []reg.VecPhysical{reg.X14, reg.X15}[i]
		if bits == 32 {
			c.Load(c.Param(p), reg.EAX)
			c.VMOVD(reg.EAX, low)
			c.VPBROADCASTD(low, v)
		} else {
			c.Load(c.Param(p), reg.RAX)
			c.VMOVQ(reg.RAX, low)
			c.VPBROADCASTQ(low, v)
		}
	}
	count, mask, t := reg.R8, reg.RAX, reg.RBX
	c.XORQ(count, count)
	c.SUBQ(operand.U32(step), n)
	c.JL(operand.LabelRef("done"))
	c.Label("loop")
	stepFrom := func(m operand.Mem) {
		if avx512 {
			twoStep512(c, bits, m, a, b, t, mask)
		} else {
			twoStep256(c, bits, m, a, b, t, mask)
		}
	}
	if side {
		// The count of a block is added when it is whole.
		block := reg.R11
		c.XORQ(block, block)
		streamLoop(c, x, reg.R9, reg.R10, twoVectors*vec, func(_ int, m operand.Mem) {
			stepFrom(m)
			c.ADDQ(mask, block)
		}, func() {})
		c.ADDQ(block, count)
		c.ADDQ(operand.U32(streamsBlock), x)
	} else {
		for i := 0; i < twoVectors*vec; i += 64 {
			c.PREFETCHT0(operand.Mem{Base: x, Disp: twoAhead + i})
		}
		stepFrom(operand.Mem{Base: x})
		c.ADDQ(mask, count)
		c.ADDQ(operand.U32(twoVectors*vec), x)
	}
	c.SUBQ(operand.U32(step), n)
	c.JGE(operand.LabelRef("loop"))
	c.Label("done")
	c.VZEROUPPER()
	c.Load(c.Param("x"), reg.RAX)
	c.SUBQ(reg.RAX, x)
	c.SHRQ(operand.U8(map[int]int{32: 2, 64: 3}[bits]), x)
	c.Store(x, c.Return("done"))
	c.Store(count, c.Return("equal"))
	c.RET()
}

// twoStep512 leaves in mask how many words of the step are a, or goes to done
// if one is neither.
func twoStep512(c *Context, bits int, x operand.Mem, a, b reg.VecPhysical, t, mask reg.GPPhysical) {
	eq := func(m operand.Op, v reg.VecPhysical, k reg.Register) {
		if bits == 32 {
			c.VPCMPEQD(m, v, k)
		} else {
			c.VPCMPEQQ(m, v, k)
		}
	}
	lanes := 512 / bits
	ka := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4}
	for i, k := range ka {
		c.VMOVDQU64(x.Offset(64*i), zmm[i])
		eq(zmm[i], a, k)
		eq(zmm[i], b, reg.K5)
		c.KORW(k, reg.K5, reg.K5)
		if i == 0 {
			c.KMOVW(reg.K5, reg.K6)
		} else {
			c.KANDW(reg.K5, reg.K6, reg.K6)
		}
	}
	c.KMOVW(reg.K6, t.As32())
	c.CMPL(t.As32(), operand.U32(1<<lanes-1))
	c.JNE(operand.LabelRef("done"))
	// The masks of two vectors side by side, so that one count serves both.
	c.KUNPCKWD(reg.K2, reg.K1, reg.K1)
	c.KUNPCKWD(reg.K4, reg.K3, reg.K3)
	c.KUNPCKDQ(reg.K3, reg.K1, reg.K1)
	c.KMOVQ(reg.K1, mask)
	c.POPCNTQ(mask, mask)
}

// twoStep256 is twoStep512 for AVX2.
func twoStep256(c *Context, bits int, x operand.Mem, a, b reg.VecPhysical, t, mask reg.GPPhysical) {
	eq := func(m operand.Op, v, dst reg.VecPhysical) {
		if bits == 32 {
			c.VPCMPEQD(m, v, dst)
		} else {
			c.VPCMPEQQ(m, v, dst)
		}
	}
	all, other := reg.Y12, reg.Y13
	for i := range twoVectors {
		c.VMOVDQU(x.Offset(32*i), ymm[i])
		eq(ymm[i], b, other)
		eq(ymm[i], a, ymm[i])
		c.VPOR(ymm[i], other, other)
		if i == 0 {
			c.VMOVDQA(other, all)
		} else {
			c.VPAND(other, all, all)
		}
	}
	c.VPMOVMSKB(all, t.As32())
	c.CMPL(t.As32(), operand.I32(-1))
	c.JNE(operand.LabelRef("done"))
	// Narrow the four masks to one byte a word, or two, and count the bits.
	c.VPACKSSDW(ymm[1], ymm[0], ymm[0])
	c.VPACKSSDW(ymm[3], ymm[2], ymm[2])
	c.VPACKSSWB(ymm[2], ymm[0], ymm[0])
	c.VPMOVMSKB(ymm[0], mask.As32())
	c.POPCNTL(mask.As32(), mask.As32())
	if bits == 64 {
		c.SHRQ(operand.U8(1), mask)
	}
}
