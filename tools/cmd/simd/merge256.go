package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// mergeFunc emits Merge32AVX2, which makes of the network for 64 words one for 128.
//
// Word 63-q of the first half, a, meets word q of the second, b, where words that are
// not there are the largest: the smaller ones are the first half of the result, the
// larger ones the second, and both are bitonic sequences over q. Each is then sorted
// by halves: between rows first, and within them on pairs of rows as in sort32, whose
// order of lanes at distance 4 they are brought to.
func (n *net256) mergeFunc() {
	function(n.Context, "Merge32AVX2", "func(x *uint32, n int)")
	n.Doc("Merge32AVX2 sorts x[:n] by unsigned value, 64 < n ≤ 128, of which x[:64] and the",
		"rest are each in order.")
	x := loadParam(n.Context, "x", reg.RDI)
	count := loadParam(n.Context, "n", reg.RSI)
	n.VMOVDQU(n.table.Offset(n.offset["mirror4"]), yIdx)
	const half = 8 // rows
	n.SUBQ(operand.U32(half*n.lanes), count)
	for rows := 2; rows < half; rows += 2 {
		n.CMPQ(count, operand.U32(rows*n.lanes))
		n.JLE(operand.LabelRef(fmt.Sprintf("rows%d", rows)))
	}
	second := reg.RDX
	for rows := half; rows >= 2; rows -= 2 {
		n.Label(fmt.Sprintf("rows%d", rows))
		n.SUBQ(operand.U32((rows-2)*n.lanes), count)
		n.lastMasks(count)
		n.LEAQ(operand.Mem{Base: x, Disp: 32 * half}, second)
		n.row, n.spare = append([]reg.VecPhysical(nil), ymm[:half]...), yT
		for r, low := range n.row {
			n.VPERMD(operand.Mem{Base: x, Disp: 32 * (half - 1 - r)}, yIdx, low)
			if r < rows {
				n.loadRow(r, rows, second, yU)
				n.VPMAXUD(low, yU, yV)
				n.VPMINUD(low, yU, low)
				n.keepRow(yV, r, rows, second)
			}
		}
		n.halves(half, half)
		for r := 0; r < half; r += 2 {
			n.storePair(r, x)
		}
		n.row, n.spare = append([]reg.VecPhysical(nil), ymm[:rows]...), yT
		for r, v := range n.row {
			n.loadRow(r, rows, second, v)
		}
		n.halves(rows, half)
		for r := 0; r < rows; r += 2 {
			n.storeHalves(r, rows, second)
		}
		n.VZEROUPPER()
		n.RET()
	}
}

// halves sorts rows, an even number of them, that are a bitonic sequence with those
// up to all, which hold the largest words. It leaves each pair of rows as storePair
// and storeHalves want it.
func (n *net256) halves(rows, all int) {
	for d := all / 2; d >= 1; d /= 2 {
		for i := range rows {
			if i&d == 0 && i+d < rows {
				n.compare(i, i+d)
			}
		}
	}
	for i := 0; i < rows; i += 2 {
		// a0 … a3 b0 … b3 and a4 … a7 b4 … b7
		n.both(i, func(a, b, dst reg.VecPhysical) { n.VPERM2I128(operand.U8(0x20), b, a, dst) },
			func(a, b, dst reg.VecPhysical) { n.VPERM2I128(operand.U8(0x31), b, a, dst) })
	}
	for range 3 {
		for i := 0; i < rows; i += 2 {
			n.compare(i, i+1)
			n.interleave(i)
		}
	}
}
