package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// few emits the count of words by up to sixteen values: a register of counters
// for each value, which is broadcast from memory in the comparison.
func few(c *Context, bits int) {
	name, lanes := fmt.Sprintf("Few%dAVX512", bits), 512/bits
	t := fmt.Sprintf("uint%d", bits)
	function(c, name, fmt.Sprintf("func(x *%s, n int, values *[16]%s, m int, counts *[16][%d]%s)", t, t, lanes, t))
	c.Doc(fmt.Sprintf("%s counts in counts[v], lane by lane, the words of x[:n] that are values[v], v < m.", name),
		fmt.Sprintf("n is a multiple of %d, and not 0; m is 4, 8, 12 or 16.", lanes))
	x, n := loadParam(c, "x", reg.RSI), loadParam(c, "n", reg.RCX)
	values, counts := loadParam(c, "values", reg.RDX), loadParam(c, "counts", reg.RDI)
	m := loadParam(c, "m", reg.RAX)
	one, v := reg.Z31, reg.Z30
	c.MOVL(operand.U32(1), reg.EBX)
	for i := range 16 {
		c.VPXORQ(zmm[i], zmm[i], zmm[i])
	}
	if bits == 32 {
		c.VPBROADCASTD(reg.EBX, one)
	} else {
		c.VPBROADCASTQ(reg.RBX, one)
	}
	for _, rows := range []int{4, 8, 12} {
		c.CMPQ(m, operand.U32(rows))
		c.JLE(operand.LabelRef(fmt.Sprint("rows", rows)))
	}
	for _, rows := range []int{16, 12, 8, 4} {
		c.Label(fmt.Sprint("rows", rows))
		c.PREFETCHT0(operand.Mem{Base: x, Disp: twoAhead})
		c.VMOVDQU64(operand.Mem{Base: x}, v)
		for i := range rows {
			k := []reg.Register{reg.K1, reg.K2, reg.K3, reg.K4}[i%4]
			at := operand.Mem{Base: values, Disp: i * bits / 8}
			if bits == 32 {
				c.VPCMPEQD_BCST(at, v, k)
				c.VPADDD(one, zmm[i], k, zmm[i])
			} else {
				c.VPCMPEQQ_BCST(at, v, k)
				c.VPADDQ(one, zmm[i], k, zmm[i])
			}
		}
		c.ADDQ(operand.U32(64), x)
		c.SUBQ(operand.U32(lanes), n)
		c.JNZ(operand.LabelRef(fmt.Sprint("rows", rows)))
		if rows > 4 {
			c.JMP(operand.LabelRef("store"))
		}
	}
	c.Label("store")
	for i := range 16 {
		c.VMOVDQU64(zmm[i], operand.Mem{Base: counts, Disp: 64 * i})
	}
	c.VZEROUPPER()
	c.RET()
}
