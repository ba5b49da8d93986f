package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mergeTwo emits MergeTwo32 and MergeTwo64, without vector instructions: each step
// takes the smaller of two first words and the larger of two last ones, without a
// branch. A step waits for the one before; the two sides do not wait for each other.
func mergeTwo(c *Context, bits int) {
	name := fmt.Sprintf("MergeTwo%d", bits)
	function(c, name, fmt.Sprintf("func(dst, end, a, b *uint%d, k, l, n int) (taken, left int)", bits))
	c.Doc(name+" writes the n first words of the stable merge of a and b to dst, and the n last",
		"down from end; a[k] and b[l] are the last. taken is how many first words are a's, and",
		"left the last of a that is none of the last ones.")
	size := bits / 8
	dst, end := loadParam(c, "dst", reg.RDI), loadParam(c, "end", reg.RSI)
	a, b := loadParam(c, "a", reg.R8), loadParam(c, "b", reg.R9)
	i, j := reg.R10, reg.R11
	c.XORQ(i, i)
	c.XORQ(j, j)
	k, l := loadParam(c, "k", reg.R12), loadParam(c, "l", reg.R13)
	n := loadParam(c, "n", reg.RCX)
	at := func(base, index reg.Register) operand.Mem {
		return operand.Mem{Base: base, Index: index, Scale: uint8(size)}
	}
	word := func(r reg.GPPhysical) reg.Register {
		if bits == 32 {
			return r.As32()
		}
		return r.As64()
	}
	load := func(m operand.Mem, r reg.GPPhysical) {
		if bits == 32 {
			c.MOVL(m, word(r))
		} else {
			c.MOVQ(m, word(r))
		}
	}
	store := func(r reg.GPPhysical, m operand.Mem) {
		if bits == 32 {
			c.MOVL(word(r), m)
		} else {
			c.MOVQ(word(r), m)
		}
	}
	// below makes to from, and mask all ones, else 0, where x is below y.
	below := func(x, y, from, to, mask reg.GPPhysical) {
		if bits == 32 {
			c.CMPL(word(x), word(y))
			c.CMOVLCS(word(from), word(to))
		} else {
			c.CMPQ(word(x), word(y))
			c.CMOVQCS(word(from), word(to))
		}
		c.SBBQ(mask, mask)
	}
	x, y, u, w, m := reg.RAX, reg.RBX, reg.RDX, reg.R15, reg.R14
	c.Label("loop")
	load(at(a, i), x)
	load(at(b, j), y)
	load(at(a, k), u)
	load(at(b, l), w)
	below(y, x, y, x, m) // of equal words a's is first
	store(x, operand.Mem{Base: dst})
	c.SUBQ(m, j)
	c.LEAQ(operand.Mem{Base: i, Index: m, Scale: 1, Disp: 1}, i)
	below(w, u, u, w, m) // and b's last
	store(w, operand.Mem{Base: end})
	c.ADDQ(m, k)
	c.NOTQ(m)
	c.ADDQ(m, l)
	c.ADDQ(operand.U8(size), dst)
	c.SUBQ(operand.U8(size), end)
	c.DECQ(n)
	c.JNZ(operand.LabelRef("loop"))
	c.Store(i, c.ReturnIndex(0))
	c.Store(k, c.ReturnIndex(1))
	c.RET()
}
