package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mergeFour emits MergeFour32 or MergeFour64, or with down MergeFourDown32 or MergeFourDown64, without vector
// instructions: a merge that is cut in two halves goes on at both ends of each. A step takes the first of two words, or
// the last, without a branch. It waits for the one before it at the same end; the four ends do not wait for each other.
// So that registers suffice there is one index for each end, into b: that into a follows from it and the step.
func mergeFour(c *Context, bits int, down bool) {
	name := fmt.Sprintf("MergeFour%d", bits)
	if down {
		name = fmt.Sprintf("MergeFourDown%d", bits)
	}
	function(c, name, fmt.Sprintf("func(dst, a, b *uint%d, half, n, at, bn, steps int) (j, l, j2, l2 int)", bits))
	c.Doc(name+" makes so many steps at each end of the halves of the stable merge of a and b, n words of which bn are",
		"b's, into dst: of the first `half` words, `at` are b's, and of either slice no fewer in either half than there are",
		"steps. It returns which of b's words are left in the first half, b[j:l], and in the second one, b[j2:l2].")
	size := bits / 8
	dst, a, b := loadParam(c, "dst", reg.RDI), loadParam(c, "a", reg.RSI), loadParam(c, "b", reg.RBX)
	// Steps at the four ends: the first half's first and last, and the second one's. At the last ones it is
	// one less than the place in dst.
	t, u, t2, u2 := reg.R8, reg.R9, loadParam(c, "half", reg.R10), loadParam(c, "n", reg.R11)
	// The next word of b at each.
	j, l, j2, l2 := reg.R12, reg.R13, loadParam(c, "at", reg.R14), loadParam(c, "bn", reg.R15)
	steps := loadParam(c, "steps", reg.RDX)
	c.XORQ(t, t)
	c.XORQ(j, j)
	c.LEAQ(operand.Mem{Base: t2, Disp: -2}, u)
	c.LEAQ(operand.Mem{Base: j2, Disp: -1}, l)
	c.SUBQ(operand.U8(2), u2)
	c.DECQ(l2)

	move, compare, ifBelow, ifNot := c.MOVQ, c.CMPQ, c.CMOVQCS, c.CMOVQCC
	word := reg.GPPhysical.As64
	if bits == 32 {
		move, compare, ifBelow, ifNot, word = c.MOVL, c.CMPL, c.CMOVLCS, c.CMOVLCC, reg.GPPhysical.As32
	}
	at := func(base, index reg.Register, disp int) operand.Mem {
		return operand.Mem{Base: base, Index: index, Scale: uint8(size), Disp: disp}
	}
	c.Label("loop")
	for _, end := range []struct {
		step, next, room reg.GPPhysical
		last             bool
	}{
		{t, j, reg.RAX, false}, {u, l, reg.RCX, true}, {t2, j2, reg.RAX, false}, {u2, l2, reg.RCX, true},
	} {
		x, y := word(end.room), at(b, end.next, 0)
		c.MOVQ(end.step, end.room)
		c.SUBQ(end.next, end.room)
		move(at(a, end.room, 0), x)
		if down { // the carry is set where y, which is b's, comes before x
			compare(x, y)
		} else {
			compare(y, x)
		}
		if end.last { // of equal words b's
			ifNot(y, x)
			c.ADCQ(operand.I8(-1), end.next)
			move(x, at(dst, end.step, size))
		} else { // of equal words a's
			ifBelow(y, x)
			c.ADCQ(operand.I8(0), end.next)
			move(x, at(dst, end.step, 0))
		}
	}
	c.INCQ(t)
	c.INCQ(t2)
	c.DECQ(u)
	c.DECQ(u2)
	c.DECQ(steps)
	c.JNZ(operand.LabelRef("loop"))
	c.INCQ(l)
	c.INCQ(l2)
	for i, r := range []reg.GPPhysical{j, l, j2, l2} {
		c.Store(r, c.ReturnIndex(i))
	}
	c.RET()
}
