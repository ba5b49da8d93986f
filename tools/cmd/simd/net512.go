package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var zmm = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// firstIndex is the register from which index vectors are kept; those below
// hold up to 16 rows and one spare.
const firstIndex = 17

// net512 emits sorting networks over rows of one zmm register each: columns
// are sorted by comparing registers, then groups of g columns are merged two
// by two, until one group is left; it then lies in memory order.
//
// A comparator is a minimum and the XOR of both inputs and it, because
// VPMINU runs on one port and VPTERNLOG on two.
type net512 struct {
	c           *Context
	bits, lanes int
	row         []reg.VecPhysical // the register of each row
	spare       reg.VecPhysical
	table       operand.Mem // index vectors
	offset      map[string]int
	loaded      map[string]reg.VecPhysical
}

func (n *net512) minu(a, b, dst operand.Op) {
	if n.bits == 32 {
		n.c.VPMINUD(a, b, dst)
	} else {
		n.c.VPMINUQ(a, b, dst)
	}
}

// max3 makes dst the larger of dst and a, when m is the smaller.
func (n *net512) max3(a, m, dst operand.Op) {
	if n.bits == 32 {
		n.c.VPTERNLOGD(operand.U8(0x96), a, m, dst)
	} else {
		n.c.VPTERNLOGQ(operand.U8(0x96), a, m, dst)
	}
}

// compare puts the smaller keys of rows i and j, lane by lane, in row i.
func (n *net512) compare(i, j int) {
	n.minu(n.row[i], n.row[j], n.spare)
	n.max3(n.row[i], n.spare, n.row[j])
	n.row[i], n.spare = n.spare, n.row[i]
}

// compareMirror is compare with row j mirrored in groups of 2·g columns; its
// result stays mirrored.
func (n *net512) compareMirror(i, j, g int) {
	b, t := n.row[j], n.spare
	switch {
	case n.bits == 32 && g == 1:
		n.c.VPSHUFD(operand.U8(0xb1), b, t)
	case n.bits == 32 && g == 2:
		n.c.VPSHUFD(operand.U8(0x1b), b, t)
	case n.bits == 32:
		n.c.VPERMD(b, n.index(fmt.Sprint("mirror", g)), t)
	case g == 1:
		n.c.VPSHUFD(operand.U8(0x4e), b, t)
	case g == 2:
		n.c.VPERMQ(operand.U8(0x1b), b, t)
	default:
		n.c.VPERMQ(b, n.index(fmt.Sprint("mirror", g)), t)
	}
	n.minu(n.row[i], t, b)
	n.max3(n.row[i], b, t)
	n.spare, n.row[i], n.row[j] = n.row[i], b, t
}

// permute replaces rows i and i+1 by the two permutations called name.
func (n *net512) permute(i int, name string) {
	a, b, t := n.row[i], n.row[i+1], n.spare
	lo, hi := n.index(name+"/0"), n.index(name+"/1")
	n.c.VMOVDQA64(a, t)
	if n.bits == 32 {
		n.c.VPERMT2D(b, lo, a)
		n.c.VPERMT2D(b, hi, t)
	} else {
		n.c.VPERMT2Q(b, lo, a)
		n.c.VPERMT2Q(b, hi, t)
	}
	n.row[i+1], n.spare = t, b
}

// index returns the register of an index vector, loading it if it is not in
// one.
func (n *net512) index(name string) reg.VecPhysical {
	if r, ok := n.loaded[name]; ok {
		return r
	}
	r := zmm[firstIndex+len(n.loaded)]
	off, ok := n.offset[name]
	if !ok {
		panic("no index vector " + name)
	}
	n.c.VMOVDQU64(n.table.Offset(off), r)
	n.loaded[name] = r
	return r
}

// sort emits the network for an even number of rows.
func (n *net512) sort(rows int) {
	for _, c := range oddEven(rows) {
		n.compare(c[0], c[1])
	}
	all := pow2(rows)
	for g := 1; g < n.lanes; g *= 2 {
		n.loaded = map[string]reg.VecPhysical{}
		for b := all; b >= 2; b /= 2 {
			for s := 0; s < all; s += b {
				for i := range b / 2 {
					if s+b-1-i < rows { // a row that is not there holds the largest keys
						n.compareMirror(s+i, s+b-1-i, g)
					}
				}
			}
		}
		for _, step := range rowSteps(g) {
			for i := 0; i < rows; i += 2 {
				n.permute(i, step)
				if step[0] != 'x' {
					n.compare(i, i+1)
				}
			}
		}
	}
}

// rowSteps names the permutations of the levels within rows that merge groups
// of g columns: into the mirrored arrangement, through halving distances, and
// back to order.
func rowSteps(g int) []string {
	s := []string{fmt.Sprint("enter", g)}
	from := fmt.Sprint("m", g)
	for d := g / 2; d >= 1; d /= 2 {
		s = append(s, fmt.Sprint(from, "to", d))
		from = fmt.Sprint("d", d)
	}
	return append(s, "x"+from)
}

// indexTable emits the index vectors of all row steps and mirrors.
func (n *net512) indexTable() {
	n.offset = map[string]int{}
	n.table = n.c.StaticGlobal(fmt.Sprintf("index%d", n.bits))
	n.c.DataAttributes(attrRODATA)
	add := func(name string, idx []uint64) {
		if _, ok := n.offset[name]; ok {
			return
		}
		at := len(n.offset) * 64
		n.offset[name] = at
		for i, v := range idx {
			if n.bits == 32 {
				n.c.AddDatum(at+4*i, operand.U32(v))
			} else {
				n.c.AddDatum(at+8*i, operand.U64(v))
			}
		}
	}
	step := func(name string, from, to pair) {
		idx := indices(from, to)
		add(name+"/0", idx[0])
		add(name+"/1", idx[1])
	}
	order := inOrder(n.lanes)
	for g := 1; g < n.lanes; g *= 2 {
		if g >= 4 {
			var idx []uint64
			for c := range n.lanes {
				idx = append(idx, uint64(mirror(g)(c)))
			}
			add(fmt.Sprint("mirror", g), idx)
		}
		at, from := facing(n.lanes, mirror(g)), fmt.Sprint("m", g)
		step(fmt.Sprint("enter", g), order, at)
		for d := g / 2; d >= 1; d /= 2 {
			to := facing(n.lanes, distance(d))
			step(fmt.Sprint(from, "to", d), at, to)
			at, from = to, fmt.Sprint("d", d)
		}
		step("x"+from, at, order)
	}
}
