package main

// place is where a key stands in the order of a pair of rows: its row of the
// two, and its column.
type place struct{ row, col int }

// pair says which place each lane of two registers holds.
type pair [2][]place

// inOrder is the pair before and after the levels within rows.
func inOrder(lanes int) pair {
	p := pair{make([]place, lanes), make([]place, lanes)}
	for r := range p {
		for c := range p[r] {
			p[r][c] = place{r, c}
		}
	}
	return p
}

// facing is the arrangement in which lane j of register 0 holds a low place
// and lane j of register 1 the high place it is compared with. partner is an
// involution on columns.
func facing(lanes int, partner func(c int) int) pair {
	p := pair{make([]place, lanes), make([]place, lanes)}
	for c := range lanes {
		d := partner(c)
		if c < d {
			p[0][c], p[1][c] = place{0, c}, place{0, d}
		} else {
			p[0][c], p[1][c] = place{1, d}, place{1, c}
		}
	}
	return p
}

// indices returns, for both registers, the two-table permutation that turns
// arrangement from into to: lane numbers, plus lanes for register 1.
func indices(from, to pair) [2][]uint64 {
	at := map[place]uint64{}
	lanes := len(from[0])
	for r := range from {
		for l, p := range from[r] {
			at[p] = uint64(r*lanes + l)
		}
	}
	var idx [2][]uint64
	for r := range to {
		for _, p := range to[r] {
			idx[r] = append(idx[r], at[p])
		}
	}
	return idx
}

// mirror compares column c with its mirror image in groups of 2·g.
func mirror(g int) func(c int) int {
	return func(c int) int { return c ^ (2*g - 1) }
}

// distance compares columns d apart.
func distance(d int) func(c int) int {
	return func(c int) int { return c ^ d }
}

// oddEven is Batcher's odd-even merge sort of r wires: the comparators of the
// network for the next power of two that stay below r. The wires above would
// hold the largest values and never move.
func oddEven(r int) [][2]int {
	n := pow2(r)
	var cs [][2]int
	for p := 1; p < n; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < n; j += 2 * k {
				for i := range k {
					a, b := i+j, i+j+k
					if a/(2*p) == b/(2*p) && b < r {
						cs = append(cs, [2]int{a, b})
					}
				}
			}
		}
	}
	return cs
}

func pow2(r int) int {
	n := 1
	for n < r {
		n *= 2
	}
	return n
}
