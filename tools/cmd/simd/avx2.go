package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var ymm = []reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

func genAVX2(c *Context) {
	for _, bits := range []int{32, 64} {
		n := &net256{c: c, bits: bits, lanes: 256 / bits}
		n.tables()
		n.sortFunc()
		n.mergeFunc()
		split256(n, "")
		split256(n, "Float")
		(&mapper256{c, bits}).emit()
		two(c, bits, false)
	}
	for _, bits := range []int{32, 64} {
		mergeFour(c, bits, false)
		mergeFour(c, bits, true)
	}
	same(c, false)
	swap(c)
	stream(c)
	spread(c)
}

// net256 is net512 for AVX2: eight rows of one ymm register. Levels within rows
// are on pairs of registers for 32-bit words (pair256.go), else on one at a time.
// AVX2 compares 64-bit words only as signed numbers, so those have their sign bit
// flipped while they are in registers.
type net256 struct {
	c           *Context
	bits, lanes int
	row         []reg.VecPhysical
	spare       reg.VecPhysical // of sort32
	table       operand.Mem
	offset      map[string]int
}

// Registers beside the rows Y0 … Y7.
var (
	yT, yU, yV, yIdx = reg.Y8, reg.Y9, reg.Y10, reg.Y11
	yMask            = [2]reg.VecPhysical{reg.Y13, reg.Y14}
	ySign            = reg.Y15
)

// less2 makes a the lane-wise smaller and b the larger of 64-bit words. It uses
// yT and yU.
func (n *net256) less2(a, b reg.VecPhysical) {
	n.c.VPCMPGTQ(b, a, yT) // a > b
	n.c.VPXOR(a, b, yU)
	n.c.VPAND(yU, yT, yT) // what to exchange
	n.c.VPXOR(yT, a, a)
	n.c.VPXOR(yT, b, b)
}

// shuffle writes the lanes of v that partner names to dst.
func (n *net256) shuffle(v, dst reg.VecPhysical, name string) {
	n.c.VMOVDQU(n.table.Offset(n.offset[name]), yIdx)
	n.c.VPERMD(v, yIdx, dst)
}

// within compares 64-bit lanes of v with their partners.
func (n *net256) within(v reg.VecPhysical, name string) {
	n.shuffle(v, yV, name)
	n.c.VPCMPGTQ(yV, v, yT) // v > partner
	n.c.VPXOR(n.table.Offset(n.offset["high/"+name]), yT, yT)
	// A low lane takes its partner if it is larger, a high one if it is not:
	// if both are equal it does not matter.
	n.c.VPBLENDVB(yT, yV, v, v)
}

// sort64 emits the network for an even number of rows of 64-bit words.
func (n *net256) sort64(rows int) {
	for _, c := range oddEven(rows) {
		n.less2(n.row[c[0]], n.row[c[1]])
	}
	for g := 1; g < n.lanes; g *= 2 {
		mirrored(rows, func(low, high int) {
			n.shuffle(n.row[high], n.row[high], fmt.Sprint("mirror", g))
			n.less2(n.row[low], n.row[high])
		})
		for r := range rows {
			n.within(n.row[r], fmt.Sprint("mirror", g))
			for d := g / 2; d >= 1; d /= 2 {
				n.within(n.row[r], fmt.Sprint("distance", d))
			}
		}
	}
}

// mirrored calls compare for the levels between rows of a merge; a row that is
// not there holds the largest keys.
func mirrored(rows int, compare func(low, high int)) {
	all := pow2(rows)
	for b := all; b >= 2; b /= 2 {
		for s := 0; s < all; s += b {
			for i := range b / 2 {
				if high := s + b - 1 - i; high < rows {
					compare(s+i, high)
				}
			}
		}
	}
}

// tables emits index vectors, in 32-bit lanes, and for 64-bit words the masks
// of the higher lanes; and 16 words of ones and 16 of zeros, from which a load
// at the right place makes a mask of the first lanes.
func (n *net256) tables() {
	n.offset = map[string]int{}
	n.table = n.c.StaticGlobal(fmt.Sprintf("lanes%d", n.bits))
	n.c.DataAttributes(attrRODATA)
	at := 0
	add := func(name string, words []uint32) {
		n.offset[name] = at
		for _, w := range words {
			n.c.AddDatum(at, operand.U32(w))
			at += 4
		}
	}
	per := n.bits / 32
	index := func(name string, partner func(int) int) {
		var idx, high []uint32
		for c := range n.lanes {
			for w := range per {
				idx = append(idx, uint32(partner(c)*per+w))
				h := uint32(0)
				if partner(c) < c {
					h = ^h
				}
				high = append(high, h)
			}
		}
		add(name, idx)
		if n.bits == 64 {
			add("high/"+name, high)
		}
	}
	if n.bits == 32 {
		index("mirror4", mirror(4))
	} else {
		for g := 1; g < n.lanes; g *= 2 {
			index(fmt.Sprint("mirror", g), mirror(g))
			index(fmt.Sprint("distance", g), distance(g))
		}
	}
	ones := make([]uint32, 32)
	for i := range 16 {
		ones[i] = ^uint32(0)
	}
	add("ones", ones)
}

func (n *net256) sortFunc() {
	name := fmt.Sprintf("Sort%dAVX2", n.bits)
	function(n.c, name, fmt.Sprintf("func(x *uint%d, n int)", n.bits))
	n.c.Doc(fmt.Sprintf("%s sorts x[:n] by unsigned value, 1 ≤ n ≤ %d, in registers.", name, 8*n.lanes))
	x := loadParam(n.c, "x", reg.RDI)
	count := loadParam(n.c, "n", reg.RSI)
	if n.bits == 64 {
		n.signBit()
	}
	for rows := 2; rows < 8; rows += 2 {
		n.c.CMPQ(count, operand.U32(rows*n.lanes))
		n.c.JLE(operand.LabelRef(fmt.Sprintf("rows%d", rows)))
	}
	for rows := 8; rows >= 2; rows -= 2 {
		n.c.Label(fmt.Sprintf("rows%d", rows))
		n.row = append([]reg.VecPhysical(nil), ymm[:rows]...)
		n.c.SUBQ(operand.U32((rows-2)*n.lanes), count)
		n.lastMasks(count)
		for r, v := range n.row {
			n.loadRow(r, rows, x, v)
			n.flip(v)
		}
		if n.bits == 32 {
			n.sort32(rows, x)
		} else {
			n.sort64(rows)
			for r, v := range n.row {
				n.flip(v)
				n.storeRow(r, rows, x)
			}
		}
		n.c.VZEROUPPER()
		n.c.RET()
	}
}

// signBit sets ySign to the sign bits of 64-bit words.
func (n *net256) signBit() {
	n.c.VPCMPEQQ(ySign, ySign, ySign)
	n.c.VPSLLQ(operand.U8(63), ySign, ySign)
}

// lastMasks sets yMask for the last two rows, which have so many words; it clobbers
// count.
func (n *net256) lastMasks(count reg.GPPhysical) {
	n.c.LEAQ(n.table.Offset(n.offset["ones"]+64), reg.RBX)
	n.c.SHLQ(operand.U8(map[int]int{32: 2, 64: 3}[n.bits]), count)
	n.c.SUBQ(count, reg.RBX)
	n.c.VMOVDQU(operand.Mem{Base: reg.RBX}, yMask[0])
	n.c.VMOVDQU(operand.Mem{Base: reg.RBX, Disp: 32}, yMask[1])
}

// loadRow reads row r of x into v. Lanes that are not there get the largest word. It
// clobbers yT.
func (n *net256) loadRow(r, rows int, x reg.GPPhysical, v reg.VecPhysical) {
	at := operand.Mem{Base: x, Disp: 32 * r}
	if r < rows-2 {
		n.c.VMOVDQU(at, v)
		return
	}
	m := yMask[r-rows+2]
	n.c.VPMASKMOVD(at, m, v)
	n.c.VPCMPEQD(yT, yT, yT)
	n.c.VPXOR(m, yT, yT)
	n.c.VPOR(yT, v, v)
}

// storeRow writes row r to x, without the lanes that are not there.
func (n *net256) storeRow(r, rows int, x reg.GPPhysical) { n.keepRow(n.row[r], r, rows, x) }

// keepRow is storeRow of row r in v.
func (n *net256) keepRow(v reg.VecPhysical, r, rows int, x reg.GPPhysical) {
	at := operand.Mem{Base: x, Disp: 32 * r}
	if r < rows-2 {
		n.c.VMOVDQU(v, at)
	} else {
		n.c.VPMASKMOVD(v, yMask[r-rows+2], at)
	}
}
