package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Levels within two rows a and b at once, for 32-bit words: one register gets the
// lower partners of both, the other the higher, so that one comparator does for
// two rows and nothing is blended; from one level to the next go two shuffles,
// each of one instruction. Where the partner of a column is its mirror image, the
// higher words come out in reverse. That needs no repair: they are a bitonic
// sequence either way, which is all that the levels after it ask for.
//
// In the comments, a0 … a7 are the columns of a; what is said of four lanes holds
// of the other half of the registers alike.

// compare puts the smaller keys of rows i and j, lane by lane, in row i.
func (n *net256) compare(i, j int) {
	a, b := n.row[i], n.row[j]
	n.c.VPMINUD(a, b, n.spare)
	n.c.VPMAXUD(a, b, b)
	n.row[i], n.spare = n.spare, a
}

// compareMirror is compare with row j mirrored in groups of 2·g columns; its
// result stays mirrored.
func (n *net256) compareMirror(i, j, g int) {
	a, b, t := n.row[i], n.row[j], n.spare
	switch g {
	case 1:
		n.c.VPSHUFD(operand.U8(0xb1), b, t)
	case 2:
		n.c.VPSHUFD(operand.U8(0x1b), b, t)
	default:
		n.c.VPERMD(b, yIdx, t)
	}
	n.c.VPMINUD(a, t, b)
	n.c.VPMAXUD(a, t, t)
	n.row[i], n.row[j], n.spare = b, t, a
}

// both replaces rows i and i+1, a and b, by low(a, b, dst) and high(a, b, dst).
func (n *net256) both(i int, low, high func(a, b, dst reg.VecPhysical)) {
	a, b, t := n.row[i], n.row[i+1], n.spare
	low(a, b, t)
	high(a, b, b)
	n.row[i], n.row[i+1], n.spare = t, b, a
}

// interleave makes a0 b0 a1 b1 and a2 b2 a3 b3 of rows i and i+1.
func (n *net256) interleave(i int) {
	n.both(i, n.unpackLow, n.unpackHigh)
}

func (n *net256) unpackLow(a, b, dst reg.VecPhysical)  { n.c.VPUNPCKLDQ(b, a, dst) }
func (n *net256) unpackHigh(a, b, dst reg.VecPhysical) { n.c.VPUNPCKHDQ(b, a, dst) }

// pick is a function for both: lanes of a and then of b.
func (n *net256) pick(lanes uint8) func(a, b, dst reg.VecPhysical) {
	return func(a, b, dst reg.VecPhysical) { n.c.VSHUFPS(operand.U8(lanes), b, a, dst) }
}

// enter brings rows i and i+1 from order to the level of mirror(g).
func (n *net256) enter(i, g int) {
	switch g {
	case 1: // a0 a2 b0 b2 and a1 a3 b1 b3
		n.both(i, n.pick(0x88), n.pick(0xdd))
	case 2: // a0 b0 a1 b1 and a3 b3 a2 b2
		n.interleave(i)
		n.c.VPSHUFD(operand.U8(0x4e), n.row[i+1], n.row[i+1])
	default: // a0 … a3 b4 … b7 and a7 … a4 b3 … b0
		n.both(i, func(a, b, dst reg.VecPhysical) { n.c.VPBLENDD(operand.U8(0xf0), b, a, dst) },
			func(a, b, dst reg.VecPhysical) { n.c.VPERM2I128(operand.U8(0x21), b, a, dst) })
		n.c.VPSHUFD(operand.U8(0x1b), n.row[i+1], n.row[i+1])
	}
}

// sort32 emits the network for an even number of rows, and their stores to x.
//
// Each level after the first interleaves: from a0 b0 a1 b1 and a2 b2 a3 b3 (g = 2)
// to a0 a2 b0 b2 and a1 a3 b1 b3, and from there to order; from a0 a1 a2 a3 and
// a4 a5 a6 a7, b in the other half (g = 4), to a0 a4 a1 a5 and a2 a6 a3 a7, to
// a0 a2 a4 a6 and a1 a3 a5 a7, and to a0 … a3 and a4 … a7.
func (n *net256) sort32(rows int, x reg.GPPhysical) {
	n.spare = yT
	for _, c := range oddEven(rows) {
		n.compare(c[0], c[1])
	}
	n.c.VMOVDQU(n.table.Offset(n.offset["mirror4"]), yIdx)
	for g := 1; g < n.lanes; g *= 2 {
		mirrored(rows, func(low, high int) { n.compareMirror(low, high, g) })
		for i := 0; i < rows; i += 2 {
			n.enter(i, g)
		}
		for d := g; d >= 1; d /= 2 {
			for i := 0; i < rows; i += 2 {
				n.compare(i, i+1)
				n.interleave(i)
			}
		}
	}
	for i := 0; i < rows; i += 2 {
		n.storeHalves(i, rows, x)
	}
}

// storeHalves writes rows i and i+1, of which one register holds the first halves
// and the other the second, to x.
func (n *net256) storeHalves(i, rows int, x reg.GPPhysical) {
	if i == rows-2 {
		p, q := n.row[i], n.row[i+1]
		n.c.VPERM2I128(operand.U8(0x20), q, p, n.spare)
		n.c.VPERM2I128(operand.U8(0x31), q, p, q)
		n.row[i], n.row[i+1], n.spare = n.spare, q, p
		n.storeRow(i, rows, x)
		n.storeRow(i+1, rows, x)
		return
	}
	for k, half := range n.row[i : i+2] {
		at := operand.Mem{Base: x, Disp: 32*i + 16*k}
		n.c.VMOVDQU(half.AsX(), at)
		n.c.VEXTRACTI128(operand.U8(1), half, at.Offset(32))
	}
}
