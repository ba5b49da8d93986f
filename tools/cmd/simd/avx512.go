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
		n := &net512{Context: c, bits: bits, lanes: 512 / bits}
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
	function(n.Context, name, fmt.Sprintf("func(x *uint%d, n int)", n.bits))
	n.Doc(fmt.Sprintf("%s sorts x[:n] by unsigned value, 1 ≤ n ≤ %d, in registers.", name, 16*n.lanes))
	x := loadParam(n.Context, "x", reg.RDI)
	count := loadParam(n.Context, "n", reg.RSI)
	two := 2 * n.lanes
	for rows := 2; rows < 16; rows += 2 {
		n.CMPQ(count, operand.U32(rows/2*two))
		n.JLE(operand.LabelRef(fmt.Sprintf("rows%d", rows)))
	}
	for rows := 16; rows >= 2; rows -= 2 {
		n.Label(fmt.Sprintf("rows%d", rows))
		n.row = append([]reg.VecPhysical(nil), zmm[:rows]...)
		n.spare = zmm[16]
		n.loadRows(x, count, rows)
		n.sort(rows)
		n.storeRows(x, rows)
		n.VZEROUPPER()
		n.RET()
	}
}

func (n *net512) at(x reg.Register, row int) operand.Mem {
	return operand.Mem{Base: x, Disp: 64 * row}
}

// loadRows loads all rows, filling up with the largest key. K1 and K2 are then
// the masks of the last two.
func (n *net512) loadRows(x, count reg.Register, rows int) {
	n.MOVQ(operand.I64(-1), reg.RAX)
	n.SUBQ(operand.U32((rows-2)*n.lanes), count)
	n.BZHIQ(count, reg.RAX, reg.RAX)
	n.KMOVQ(reg.RAX, reg.K1)
	n.KSHIFTRQ(operand.U8(n.lanes), reg.K1, reg.K2)
	for r := range rows - 2 {
		n.VMOVDQU64(n.at(x, r), n.row[r])
	}
	for i, k := range []reg.Register{reg.K1, reg.K2} {
		r := rows - 2 + i
		n.VPTERNLOGD(operand.U8(0xff), n.row[r], n.row[r], n.row[r])
		if n.bits == 32 {
			n.VMOVDQU32(n.at(x, r), k, n.row[r])
		} else {
			n.VMOVDQU64(n.at(x, r), k, n.row[r])
		}
	}
}

func (n *net512) storeRows(x reg.Register, rows int) {
	for r := range rows - 2 {
		n.VMOVDQU64(n.row[r], n.at(x, r))
	}
	for i, k := range []reg.Register{reg.K1, reg.K2} {
		r := rows - 2 + i
		if n.bits == 32 {
			n.VMOVDQU32(n.row[r], k, n.at(x, r))
		} else {
			n.VMOVDQU64(n.row[r], k, n.at(x, r))
		}
	}
}

// part512 emits Part32AVX512 or Part64AVX512: a stable partition that packs
// the keys below the pivot in place, which never overtakes the reads, and the
// others in a buffer that is copied behind them.
func part512(n *net512) {
	name := fmt.Sprintf("Part%dAVX512", n.bits)
	size := n.bits / 8
	function(n.Context, name, fmt.Sprintf("func(x *uint%d, n int, pivot uint%d, buf *uint%d) int", n.bits, n.bits, n.bits))
	n.Doc(fmt.Sprintf("%s moves the keys of x[:n] below pivot to the front and returns their number.", name),
		"It is stable. buf is scratch for n keys and 64 bytes.")
	x := loadParam(n.Context, "x", reg.RDI)
	count := loadParam(n.Context, "n", reg.RSI)
	buf := loadParam(n.Context, "buf", reg.R8)
	if n.bits == 32 {
		n.Load(n.Param("pivot"), reg.EAX)
		n.VPBROADCASTD(reg.EAX, reg.Z31)
	} else {
		n.Load(n.Param("pivot"), reg.RAX)
		n.VPBROADCASTQ(reg.RAX, reg.Z31)
	}
	left, right := reg.R9, reg.R10
	n.MOVQ(x, left)
	n.MOVQ(buf, right)
	const unroll = 4
	step := func(i int, masked bool) {
		v, l, g := zmm[i], zmm[4+i], zmm[8+i]
		k, nk := reg.K2, reg.K3
		cnt, tot := reg.RAX, reg.RDX
		if masked {
			n.loadMasked(n.at(x, i), reg.K1, v)
			n.cmpLess(v, reg.Z31, k, reg.K1)
			n.KANDNQ(reg.K1, k, nk)
		} else {
			n.VMOVDQU64(n.at(x, i), v)
			n.cmpLess(v, reg.Z31, k, nil)
			if n.bits == 32 {
				n.KNOTW(k, nk)
			} else {
				n.KNOTB(k, nk)
			}
		}
		n.compress(v, k, l)
		n.compress(v, nk, g)
		if n.bits == 32 {
			n.KMOVW(k, reg.EAX)
		} else {
			n.KMOVB(k, reg.EAX)
		}
		n.POPCNTL(reg.EAX, reg.EAX)
		if masked {
			// A full store could pass the end of x.
			n.MOVQ(operand.I32(-1), tot)
			n.BZHIQ(cnt, tot, tot)
			n.KMOVQ(tot, k)
			n.storeMasked(l, k, operand.Mem{Base: left})
		} else {
			n.VMOVDQU64(l, operand.Mem{Base: left})
		}
		n.VMOVDQU64(g, operand.Mem{Base: right})
		n.LEAQ(operand.Mem{Base: left, Index: cnt, Scale: uint8(size)}, left)
		if masked {
			n.KMOVQ(nk, cnt)
			n.POPCNTQ(cnt, cnt)
			n.LEAQ(operand.Mem{Base: right, Index: cnt, Scale: uint8(size)}, right)
		} else {
			n.NEGQ(cnt)
			n.LEAQ(operand.Mem{Base: right, Index: cnt, Scale: uint8(size), Disp: 64}, right)
		}
	}
	n.SUBQ(operand.U32(unroll*n.lanes), count)
	n.JL(operand.LabelRef("single"))
	n.Label("loop")
	for i := range unroll {
		step(i, false)
	}
	n.ADDQ(operand.U32(64*unroll), x)
	n.SUBQ(operand.U32(unroll*n.lanes), count)
	n.JGE(operand.LabelRef("loop"))
	n.Label("single")
	n.ADDQ(operand.U32(unroll*n.lanes), count)
	n.Label("one")
	n.CMPQ(count, operand.U32(n.lanes))
	n.JL(operand.LabelRef("tail"))
	step(0, false)
	n.ADDQ(operand.U32(64), x)
	n.SUBQ(operand.U32(n.lanes), count)
	n.JMP(operand.LabelRef("one"))
	n.Label("tail")
	n.TESTQ(count, count)
	n.JZ(operand.LabelRef("back"))
	n.MOVQ(operand.I32(-1), reg.RAX)
	n.BZHIQ(count, reg.RAX, reg.RAX)
	n.KMOVQ(reg.RAX, reg.K1)
	step(0, true)
	n.Label("back")
	n.SUBQ(buf, right) // bytes to copy back
	n.copyBack(buf, left, right)
	n.Load(n.Param("x"), reg.RAX)
	n.MOVQ(left, reg.RDX)
	n.SUBQ(reg.RAX, reg.RDX)
	n.SHRQ(operand.U8(map[int]int{4: 2, 8: 3}[size]), reg.RDX)
	n.VZEROUPPER()
	n.Store(reg.RDX, n.ReturnIndex(0))
	n.RET()
}

// copyBack copies bytes (a multiple of the key size) from src to dst; left
// unchanged: dst. src and bytes are used up.
func (n *net512) copyBack(src, dst, bytes reg.GPPhysical) {
	to := reg.R11
	n.MOVQ(dst, to)
	n.SUBQ(operand.U32(128), bytes)
	n.JL(operand.LabelRef("backTail"))
	n.Label("backLoop")
	n.VMOVDQU64(operand.Mem{Base: src}, reg.Z0)
	n.VMOVDQU64(operand.Mem{Base: src, Disp: 64}, reg.Z1)
	n.VMOVDQU64(reg.Z0, operand.Mem{Base: to})
	n.VMOVDQU64(reg.Z1, operand.Mem{Base: to, Disp: 64})
	n.ADDQ(operand.U32(128), src)
	n.ADDQ(operand.U32(128), to)
	n.SUBQ(operand.U32(128), bytes)
	n.JGE(operand.LabelRef("backLoop"))
	n.Label("backTail")
	n.ADDQ(operand.U32(128), bytes)
	n.SHRQ(operand.U8(map[int]int{32: 2, 64: 3}[n.bits]), bytes)
	n.MOVQ(operand.I32(-1), reg.RDX)
	n.BZHIQ(bytes, reg.RDX, reg.RDX)
	n.KMOVQ(reg.RDX, reg.K1)
	n.KSHIFTRQ(operand.U8(n.lanes), reg.K1, reg.K2)
	for i, k := range []reg.Register{reg.K1, reg.K2} {
		n.loadMasked(operand.Mem{Base: src, Disp: 64 * i}, k, reg.Z0)
		n.storeMasked(reg.Z0, k, operand.Mem{Base: to, Disp: 64 * i})
	}
}

// loadMasked loads the lanes of mask k and clears the others.
func (n *net512) loadMasked(m operand.Mem, k, v operand.Op) {
	if n.bits == 32 {
		n.VMOVDQU32_Z(m, k, v)
	} else {
		n.VMOVDQU64_Z(m, k, v)
	}
}

func (n *net512) storeMasked(v, k operand.Op, m operand.Mem) {
	if n.bits == 32 {
		n.VMOVDQU32(v, k, m)
	} else {
		n.VMOVDQU64(v, k, m)
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
		n.VPCMPUD(ops...)
	} else {
		n.VPCMPUQ(ops...)
	}
}

func (n *net512) compress(v, k, dst operand.Op) {
	if n.bits == 32 {
		n.VPCOMPRESSD_Z(v, k, dst)
	} else {
		n.VPCOMPRESSQ_Z(v, k, dst)
	}
}
