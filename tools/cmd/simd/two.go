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

// two emits what scans words that are one of two values: in the order of
// addresses, and by streams side by side, which are written over.
func two(c *Context, bits int, avx512 bool) {
	t := &twoScan{c: c, bits: bits, level: "AVX2", vec: 32, regs: ymm}
	if avx512 {
		t.level, t.vec, t.regs = "AVX512", 64, zmm
	}
	t.scan()
	t.fill()
}

// twoScan emits the scans of one width and level.
type twoScan struct {
	c     *Context
	bits  int
	level string
	vec   int // bytes of a vector
	regs  []reg.VecPhysical
}

// The values, broadcast, are in these registers, the number of words that are
// the first of them in twoMask after a step.
const twoA, twoB, twoV = 14, 15, 11

var twoMask, twoCount = reg.RAX, reg.R8

// stepBytes is how much a step looks at.
func (t *twoScan) stepBytes() int { return twoVectors * t.vec }

func (t *twoScan) scan() {
	step := t.stepBytes() * 8 / t.bits
	name := fmt.Sprintf("Two%d%s", t.bits, t.level)
	function(t.c, name, fmt.Sprintf("func(x *uint%d, n int, a uint%d, b uint%d) (done int, equal int)", t.bits, t.bits, t.bits))
	t.c.Doc(fmt.Sprintf("%s counts in equal the words of x[:done] that are a, all the others there being b.", name),
		fmt.Sprintf("done is a multiple of %d words, so many short of n or of the first word that is neither.", step))
	x := loadParam(t.c, "x", reg.RDI)
	n := loadParam(t.c, "n", reg.RSI)
	t.broadcast("a", twoA)
	t.broadcast("b", twoB)
	t.c.XORQ(twoCount, twoCount)
	t.c.SUBQ(operand.U32(step), n)
	t.c.JL(operand.LabelRef("done"))
	t.c.Label("loop")
	for i := 0; i < t.stepBytes(); i += 64 {
		t.c.PREFETCHT0(operand.Mem{Base: x, Disp: twoAhead + i})
	}
	t.step(operand.Mem{Base: x})
	t.c.ADDQ(twoMask, twoCount)
	t.c.ADDQ(operand.U32(t.stepBytes()), x)
	t.c.SUBQ(operand.U32(step), n)
	t.c.JGE(operand.LabelRef("loop"))
	t.c.Label("done")
	t.c.VZEROUPPER()
	t.c.Load(t.c.Param("x"), reg.RAX)
	t.c.SUBQ(reg.RAX, x)
	t.c.SHRQ(operand.U8(map[int]int{32: 2, 64: 3}[t.bits]), x)
	t.c.Store(x, t.c.Return("done"))
	t.c.Store(twoCount, t.c.Return("equal"))
	t.c.RET()
}

// fill emits the scan of one block of streams that is written over: what has
// been read is stored to while it is in the level-1 cache, which a core does in
// the time that it waits for memory anyway.
func (t *twoScan) fill() {
	name := fmt.Sprintf("TwoFill%d%s", t.bits, t.level)
	function(t.c, name, fmt.Sprintf("func(x *uint%d, a, b, v uint%d) (steps int, equal int)", t.bits, t.bits))
	t.c.Doc(fmt.Sprintf("%s looks at the %d bytes at x in steps of %d, one of each of %d streams in turn;", name, streamsBlock, t.stepBytes(), streams),
		"the streams lie one behind the other. It counts in equal the words that are a, and",
		"writes v over those of the step. It ends before the first step that has a word",
		"which is neither a nor b, and returns how many steps it took.")
	x := loadParam(t.c, "x", reg.RDI)
	t.broadcast("a", twoA)
	t.broadcast("b", twoB)
	t.broadcast("v", twoV)
	t.c.XORQ(twoCount, twoCount)
	steps := reg.RSI
	t.c.XORQ(steps, steps)
	streamLoop(t.c, x, reg.R9, reg.R10, t.stepBytes(), func(_ int, m operand.Mem) {
		t.step(m)
		for i := range twoVectors {
			t.store(t.regs[twoV], m.Offset(t.vec*i))
		}
		t.c.ADDQ(twoMask, twoCount)
		t.c.INCQ(steps)
	}, func() {})
	t.c.Label("done")
	t.c.VZEROUPPER()
	t.c.Store(steps, t.c.Return("steps"))
	t.c.Store(twoCount, t.c.Return("equal"))
	t.c.RET()
}

// broadcast fills register i with a parameter.
func (t *twoScan) broadcast(param string, i int) {
	low := []reg.VecPhysical{twoA: reg.X14, twoB: reg.X15, twoV: reg.X11}[i]
	if t.bits == 32 {
		t.c.Load(t.c.Param(param), reg.EAX)
		t.c.VMOVD(reg.EAX, low)
		t.c.VPBROADCASTD(low, t.regs[i])
		return
	}
	t.c.Load(t.c.Param(param), reg.RAX)
	t.c.VMOVQ(reg.RAX, low)
	t.c.VPBROADCASTQ(low, t.regs[i])
}

func (t *twoScan) store(v reg.VecPhysical, m operand.Mem) {
	if t.vec == 64 {
		t.c.VMOVDQU64(v, m)
	} else {
		t.c.VMOVDQU(v, m)
	}
}

// step leaves in twoMask how many words of the step at x are a, or goes to done
// if one is neither a nor b. It clobbers RBX.
func (t *twoScan) step(x operand.Mem) {
	a, b := t.regs[twoA], t.regs[twoB]
	if t.vec == 64 {
		twoStep512(t.c, t.bits, x, a, b, reg.RBX, twoMask)
	} else {
		twoStep256(t.c, t.bits, x, a, b, reg.RBX, twoMask)
	}
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
