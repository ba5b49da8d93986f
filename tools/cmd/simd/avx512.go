package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const attrRODATA = attr.RODATA | attr.NOPTR

func genAVX512(c *Context) {
	for _, bits := range []int{32, 64} {
		n := &net512{c: c, bits: bits, lanes: 512 / bits}
		n.indexTable()
		n.sortFunc()
		if bits == 32 {
			part512(n)
		} else {
			part64(n)
		}
		m := &mapper{c, bits}
		m.emit()
		m.ordered(false)
		m.ordered(true)
		two(c, bits, true)
		few(c, bits)
	}
	same(c, true)
	sameLine(c)
	split512(c)
	tag(c)
	vendor(c)
}

// function starts a function that calls nothing.
func function(c *Context, name, signature string) {
	c.Function(name)
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr(signature)
}

// loadParam loads a parameter into a general-purpose register.
func loadParam(c *Context, name string, r reg.GPPhysical) reg.GPPhysical {
	c.Load(c.Param(name), r)
	return r
}

// sortFunc emits Sort32AVX512 or Sort64AVX512.
func (n *net512) sortFunc() {
	name := fmt.Sprintf("Sort%dAVX512", n.bits)
	function(n.c, name, fmt.Sprintf("func(x *uint%d, n int)", n.bits))
	n.c.Doc(fmt.Sprintf("%s sorts x[:n] by unsigned value, 1 ≤ n ≤ %d, in registers.", name, 16*n.lanes))
	x := loadParam(n.c, "x", reg.RDI)
	count := loadParam(n.c, "n", reg.RSI)
	two := 2 * n.lanes
	for rows := 2; rows < 16; rows += 2 {
		n.c.CMPQ(count, operand.U32(rows/2*two))
		n.c.JLE(operand.LabelRef(fmt.Sprintf("rows%d", rows)))
	}
	for rows := 16; rows >= 2; rows -= 2 {
		n.c.Label(fmt.Sprintf("rows%d", rows))
		n.row = append([]reg.VecPhysical(nil), zmm[:rows]...)
		n.spare = zmm[16]
		n.loadRows(x, count, rows)
		n.sort(rows)
		n.storeRows(x, rows)
		n.c.VZEROUPPER()
		n.c.RET()
	}
}

func (n *net512) at(x reg.Register, row int) operand.Mem {
	return operand.Mem{Base: x, Disp: 64 * row}
}

// loadRows loads all rows, filling up with the largest key. K1 and K2 are then
// the masks of the last two.
func (n *net512) loadRows(x, count reg.Register, rows int) {
	n.c.MOVQ(operand.I64(-1), reg.RAX)
	n.c.SUBQ(operand.U32((rows-2)*n.lanes), count)
	n.c.BZHIQ(count, reg.RAX, reg.RAX)
	n.c.KMOVQ(reg.RAX, reg.K1)
	n.c.KSHIFTRQ(operand.U8(n.lanes), reg.K1, reg.K2)
	for r := range rows - 2 {
		n.c.VMOVDQU64(n.at(x, r), n.row[r])
	}
	for i, k := range []reg.Register{reg.K1, reg.K2} {
		r := rows - 2 + i
		n.c.VPTERNLOGD(operand.U8(0xff), n.row[r], n.row[r], n.row[r])
		if n.bits == 32 {
			n.c.VMOVDQU32(n.at(x, r), k, n.row[r])
		} else {
			n.c.VMOVDQU64(n.at(x, r), k, n.row[r])
		}
	}
}

func (n *net512) storeRows(x reg.Register, rows int) {
	for r := range rows - 2 {
		n.c.VMOVDQU64(n.row[r], n.at(x, r))
	}
	for i, k := range []reg.Register{reg.K1, reg.K2} {
		r := rows - 2 + i
		if n.bits == 32 {
			n.c.VMOVDQU32(n.row[r], k, n.at(x, r))
		} else {
			n.c.VMOVDQU64(n.row[r], k, n.at(x, r))
		}
	}
}

// part512 emits Part32AVX512 or Part64AVX512: a stable partition that packs
// the keys below the pivot in place, which never overtakes the reads, and the
// others in a buffer that is copied behind them.
func part512(n *net512) {
	name := fmt.Sprintf("Part%dAVX512", n.bits)
	size := n.bits / 8
	function(n.c, name, fmt.Sprintf("func(x *uint%d, n int, pivot uint%d, buf *uint%d) int", n.bits, n.bits, n.bits))
	n.c.Doc(fmt.Sprintf("%s moves the keys of x[:n] below pivot to the front and returns their number.", name),
		"It is stable. buf is scratch for n keys and 64 bytes.")
	x := loadParam(n.c, "x", reg.RDI)
	count := loadParam(n.c, "n", reg.RSI)
	buf := loadParam(n.c, "buf", reg.R8)
	if n.bits == 32 {
		n.c.Load(n.c.Param("pivot"), reg.EAX)
		n.c.VPBROADCASTD(reg.EAX, reg.Z31)
	} else {
		n.c.Load(n.c.Param("pivot"), reg.RAX)
		n.c.VPBROADCASTQ(reg.RAX, reg.Z31)
	}
	left, right := reg.R9, reg.R10
	n.c.MOVQ(x, left)
	n.c.MOVQ(buf, right)
	const unroll = 4
	step := func(i int, masked bool) {
		v, l, g := zmm[i], zmm[4+i], zmm[8+i]
		k, nk := reg.K2, reg.K3
		cnt, tot := reg.RAX, reg.RDX
		if masked {
			n.loadMasked(n.at(x, i), reg.K1, v)
			n.cmpLess(v, reg.Z31, k, reg.K1)
			n.c.KANDNQ(reg.K1, k, nk)
		} else {
			n.c.VMOVDQU64(n.at(x, i), v)
			n.cmpLess(v, reg.Z31, k, nil)
			if n.bits == 32 {
				n.c.KNOTW(k, nk)
			} else {
				n.c.KNOTB(k, nk)
			}
		}
		n.compress(v, k, l)
		n.compress(v, nk, g)
		if n.bits == 32 {
			n.c.KMOVW(k, reg.EAX)
		} else {
			n.c.KMOVB(k, reg.EAX)
		}
		n.c.POPCNTL(reg.EAX, reg.EAX)
		if masked {
			// A full store could pass the end of x.
			n.c.MOVQ(operand.I32(-1), tot)
			n.c.BZHIQ(cnt, tot, tot)
			n.c.KMOVQ(tot, k)
			n.storeMasked(l, k, operand.Mem{Base: left})
		} else {
			n.c.VMOVDQU64(l, operand.Mem{Base: left})
		}
		n.c.VMOVDQU64(g, operand.Mem{Base: right})
		n.c.LEAQ(operand.Mem{Base: left, Index: cnt, Scale: uint8(size)}, left)
		if masked {
			n.c.KMOVQ(nk, cnt)
			n.c.POPCNTQ(cnt, cnt)
			n.c.LEAQ(operand.Mem{Base: right, Index: cnt, Scale: uint8(size)}, right)
		} else {
			n.c.NEGQ(cnt)
			n.c.LEAQ(operand.Mem{Base: right, Index: cnt, Scale: uint8(size), Disp: 64}, right)
		}
	}
	n.c.SUBQ(operand.U32(unroll*n.lanes), count)
	n.c.JL(operand.LabelRef("single"))
	n.c.Label("loop")
	for i := range unroll {
		step(i, false)
	}
	n.c.ADDQ(operand.U32(64*unroll), x)
	n.c.SUBQ(operand.U32(unroll*n.lanes), count)
	n.c.JGE(operand.LabelRef("loop"))
	n.c.Label("single")
	n.c.ADDQ(operand.U32(unroll*n.lanes), count)
	n.c.Label("one")
	n.c.CMPQ(count, operand.U32(n.lanes))
	n.c.JL(operand.LabelRef("tail"))
	step(0, false)
	n.c.ADDQ(operand.U32(64), x)
	n.c.SUBQ(operand.U32(n.lanes), count)
	n.c.JMP(operand.LabelRef("one"))
	n.c.Label("tail")
	n.c.TESTQ(count, count)
	n.c.JZ(operand.LabelRef("back"))
	n.c.MOVQ(operand.I32(-1), reg.RAX)
	n.c.BZHIQ(count, reg.RAX, reg.RAX)
	n.c.KMOVQ(reg.RAX, reg.K1)
	step(0, true)
	n.c.Label("back")
	n.c.SUBQ(buf, right) // bytes to copy back
	n.copyBack(buf, left, right)
	n.c.Load(n.c.Param("x"), reg.RAX)
	n.c.MOVQ(left, reg.RDX)
	n.c.SUBQ(reg.RAX, reg.RDX)
	n.c.SHRQ(operand.U8(map[int]int{4: 2, 8: 3}[size]), reg.RDX)
	n.c.VZEROUPPER()
	n.c.Store(reg.RDX, n.c.ReturnIndex(0))
	n.c.RET()
}

// copyBack copies bytes (a multiple of the key size) from src to dst; left
// unchanged: dst. src and bytes are used up.
func (n *net512) copyBack(src, dst, bytes reg.GPPhysical) {
	to := reg.R11
	n.c.MOVQ(dst, to)
	n.c.SUBQ(operand.U32(128), bytes)
	n.c.JL(operand.LabelRef("backTail"))
	n.c.Label("backLoop")
	n.c.VMOVDQU64(operand.Mem{Base: src}, reg.Z0)
	n.c.VMOVDQU64(operand.Mem{Base: src, Disp: 64}, reg.Z1)
	n.c.VMOVDQU64(reg.Z0, operand.Mem{Base: to})
	n.c.VMOVDQU64(reg.Z1, operand.Mem{Base: to, Disp: 64})
	n.c.ADDQ(operand.U32(128), src)
	n.c.ADDQ(operand.U32(128), to)
	n.c.SUBQ(operand.U32(128), bytes)
	n.c.JGE(operand.LabelRef("backLoop"))
	n.c.Label("backTail")
	n.c.ADDQ(operand.U32(128), bytes)
	n.c.SHRQ(operand.U8(map[int]int{32: 2, 64: 3}[n.bits]), bytes)
	n.c.MOVQ(operand.I32(-1), reg.RDX)
	n.c.BZHIQ(bytes, reg.RDX, reg.RDX)
	n.c.KMOVQ(reg.RDX, reg.K1)
	n.c.KSHIFTRQ(operand.U8(n.lanes), reg.K1, reg.K2)
	for i, k := range []reg.Register{reg.K1, reg.K2} {
		n.loadMasked(operand.Mem{Base: src, Disp: 64 * i}, k, reg.Z0)
		n.storeMasked(reg.Z0, k, operand.Mem{Base: to, Disp: 64 * i})
	}
}

// loadMasked loads the lanes of mask k and clears the others.
func (n *net512) loadMasked(m operand.Mem, k, v operand.Op) {
	if n.bits == 32 {
		n.c.VMOVDQU32_Z(m, k, v)
	} else {
		n.c.VMOVDQU64_Z(m, k, v)
	}
}

func (n *net512) storeMasked(v, k operand.Op, m operand.Mem) {
	if n.bits == 32 {
		n.c.VMOVDQU32(v, k, m)
	} else {
		n.c.VMOVDQU64(v, k, m)
	}
}

// cmpLess sets k to a < b, within mask if that is not nil.
func (n *net512) cmpLess(a, b, k, mask operand.Op) {
	ops := []operand.Op{operand.U8(1), b, a}
	if mask != nil {
		ops = append(ops, mask)
	}
	ops = append(ops, k)
	if n.bits == 32 {
		n.c.VPCMPUD(ops...)
	} else {
		n.c.VPCMPUQ(ops...)
	}
}

func (n *net512) compress(v, k, dst operand.Op) {
	if n.bits == 32 {
		n.c.VPCOMPRESSD_Z(v, k, dst)
	} else {
		n.c.VPCOMPRESSQ_Z(v, k, dst)
	}
}
