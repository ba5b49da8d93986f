package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mergeFunc emits Merge32AVX2 and Merge64AVX2, which make of the network for eight
// rows one for sixteen.
//
// With m words in eight rows, word m-1-q of the first half, a, meets word q of the
// second, b, where words that are not there are the largest: the smaller ones are the
// first half of the result, the larger ones the second, and both are bitonic sequences
// over q. Each is then sorted by halves: between rows first, and then within them.
func (n *net256) mergeFunc() {
	const half = 8 // rows
	words := half * n.lanes
	name := fmt.Sprintf("Merge%dAVX2", n.bits)
	function(n.c, name, fmt.Sprintf("func(x *uint%d, n int)", n.bits))
	n.c.Doc(fmt.Sprintf("%s sorts x[:n] by unsigned value, %d < n ≤ %d, of which x[:%d] and the", name, words, 2*words, words),
		"rest are each in order.")
	x := loadParam(n.c, "x", reg.RDI)
	count := loadParam(n.c, "n", reg.RSI)
	if n.bits == 32 {
		n.c.VMOVDQU(n.table.Offset(n.offset["mirror4"]), yIdx)
	} else {
		n.signBit()
	}
	n.c.SUBQ(operand.U32(words), count)
	for rows := 2; rows < half; rows += 2 {
		n.c.CMPQ(count, operand.U32(rows*n.lanes))
		n.c.JLE(operand.LabelRef(fmt.Sprintf("rows%d", rows)))
	}
	second := reg.RDX
	for rows := half; rows >= 2; rows -= 2 {
		n.c.Label(fmt.Sprintf("rows%d", rows))
		n.c.SUBQ(operand.U32((rows-2)*n.lanes), count)
		n.lastMasks(count)
		n.c.LEAQ(operand.Mem{Base: x, Disp: 32 * half}, second)
		n.row, n.spare = append([]reg.VecPhysical(nil), ymm[:half]...), yT
		for r, low := range n.row {
			at := operand.Mem{Base: x, Disp: 32 * (half - 1 - r)}
			if n.bits == 32 {
				n.c.VPERMD(at, yIdx, low)
			} else {
				n.c.VPERMQ(operand.U8(0x1b), at, low)
			}
			n.flip(low)
			if r < rows {
				n.meet(r, rows, low, second)
			}
		}
		n.halves(half, half)
		n.storeMerged(half, half+2, x)
		n.row, n.spare = append([]reg.VecPhysical(nil), ymm[:rows]...), yT
		for r, v := range n.row {
			n.loadRow(r, rows, second, v)
			n.flip(v)
		}
		n.halves(rows, half)
		n.storeMerged(rows, rows, second)
		n.c.VZEROUPPER()
		n.c.RET()
	}
}

// flip changes the sign bit of 64-bit words, which are compared as signed numbers.
func (n *net256) flip(v reg.VecPhysical) {
	if n.bits == 64 {
		n.c.VPXOR(ySign, v, v)
	}
}

// meet leaves in low the smaller of its words and those of row r at x, which gets the
// larger ones.
func (n *net256) meet(r, rows int, low reg.VecPhysical, x reg.GPPhysical) {
	n.loadRow(r, rows, x, yV)
	if n.bits == 32 {
		n.c.VPMAXUD(low, yV, yT)
		n.c.VPMINUD(low, yV, low)
		n.keepRow(yT, r, rows, x)
		return
	}
	n.flip(yV)
	n.less2(low, yV)
	n.flip(yV)
	n.keepRow(yV, r, rows, x)
}

// storeMerged writes rows that halves has sorted to x, the last two of so many masked.
func (n *net256) storeMerged(rows, masked int, x reg.GPPhysical) {
	for r := 0; r < rows; r += 2 {
		if n.bits == 32 {
			n.storeHalves(r, masked, x)
			continue
		}
		for i := r; i < r+2; i++ {
			n.flip(n.row[i])
			n.storeRow(i, masked, x)
		}
	}
}

// halves sorts rows, an even number of them, that are a bitonic sequence with those
// up to all, which hold the largest words. It leaves each pair of rows of 32-bit words
// as storeHalves wants it.
func (n *net256) halves(rows, all int) {
	for d := all / 2; d >= 1; d /= 2 {
		for i := range rows {
			if i&d != 0 || i+d >= rows {
				continue
			}
			if n.bits == 32 {
				n.compare(i, i+d)
			} else {
				n.less2(n.row[i], n.row[i+d])
			}
		}
	}
	if n.bits == 64 {
		for d := n.lanes / 2; d >= 1; d /= 2 {
			for _, v := range n.row {
				n.within(v, fmt.Sprint("distance", d))
			}
		}
		return
	}
	for i := 0; i < rows; i += 2 {
		// a0 … a3 b0 … b3 and a4 … a7 b4 … b7
		n.both(i, func(a, b, dst reg.VecPhysical) { n.c.VPERM2I128(operand.U8(0x20), b, a, dst) },
			func(a, b, dst reg.VecPhysical) { n.c.VPERM2I128(operand.U8(0x31), b, a, dst) })
	}
	for range 3 {
		for i := 0; i < rows; i += 2 {
			n.compare(i, i+1)
			n.interleave(i)
		}
	}
}
