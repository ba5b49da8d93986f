package dist

import (
	"math"
	"math/bits"
)

// The rows that arrange keys. g.at(r) is the key of rank r of a sorted input.

// ranked makes a row from the rank that each position holds.
func ranked(rank func(g *gen, i uint64) uint64) func(*gen, uint64, []uint64) {
	return func(g *gen, lo uint64, out []uint64) {
		for i := range out {
			out[i] = g.at(rank(g, lo+uint64(i)))
		}
	}
}

// root returns ⌊√n⌋, at least 1.
func (g *gen) root() uint64 {
	r := uint64(math.Sqrt(float64(g.n)))
	for r > 0 && r*r > g.n {
		r--
	}
	return max(r, 1)
}

var (
	sorted  = ranked(func(_ *gen, i uint64) uint64 { return i })
	reverse = ranked(func(g *gen, i uint64) uint64 { return g.n - 1 - i })

	pipeOrgan = ranked(func(g *gen, i uint64) uint64 {
		if 2*i < g.n {
			return 2 * i
		}
		return 2 * (g.n - 1 - i)
	})

	sawsLong = ranked(func(g *gen, i uint64) uint64 {
		run := max((g.n+7)/8, 1)
		j, up := i%run, i/run%2 == 0
		if !up {
			j = run - 1 - j
		}
		return min(j*8+i/run, g.n-1)
	})

	sawTeeth = ranked(func(g *gen, i uint64) uint64 {
		r := g.root()
		return min(i%r*r+i/r%r, g.n-1)
	})

	pushFront  = ranked(func(g *gen, i uint64) uint64 { return (i + 1) % g.n })
	pushMiddle = ranked(func(g *gen, i uint64) uint64 {
		m := g.n / 2
		switch {
		case i == g.n-1:
			return m
		case i >= m:
			return i + 1
		}
		return i
	})

	interleaved = ranked(func(g *gen, i uint64) uint64 {
		if i%2 == 0 {
			return i / 2
		}
		return (g.n+1)/2 + i/2
	})

	staggered = ranked(func(g *gen, i uint64) uint64 {
		hi, lo := bits.Mul64(i, g.root()*2+1)
		return bits.Rem64(hi, lo, g.n)
	})

	bitReversed = ranked(func(g *gen, i uint64) uint64 {
		hi, _ := bits.Mul64(bits.Reverse64(i), g.n) // i/2^64 mirrored, scaled to n
		return hi
	})

	// med3Killer is Musser's sequence ("Introspective sorting and selection
	// algorithms", 1997): 1, k+1, 3, k+3, … then the even numbers. Ranks here
	// count from 0.
	med3Killer = ranked(func(g *gen, i uint64) uint64 {
		k := g.n / 2
		switch {
		case i >= k:
			return min(2*(i-k)+1, g.n-1)
		case i%2 == 0:
			return i
		}
		return min(k+i-1, g.n-1)
	})
)

func almostSorted(g *gen, lo uint64, out []uint64) {
	r := g.root()
	for i := range out {
		if g.below(r) == 0 {
			out[i] = g.frac(g.next())
		} else {
			out[i] = g.at(lo + uint64(i))
		}
	}
}

func sawsShort(g *gen, lo uint64, out []uint64) {
	const run = 64 // divides BlockItems: a run never crosses blocks
	down := false
	for i := range out {
		j := uint64(i % run)
		if j == 0 {
			down = g.next()&1 != 0
		}
		if down {
			j = run - 1 - j
		}
		out[i] = g.frac(j<<58 | g.next()>>6)
	}
}

func plateau(g *gen, lo uint64, out []uint64) {
	r := g.root()
	for i := range out {
		out[i] = g.count(min(lo+uint64(i), r), r)
	}
}

func rootDupls(g *gen, lo uint64, out []uint64) {
	r := g.root()
	for i := range out {
		out[i] = g.count((lo+uint64(i))%r, r)
	}
}

// powDupes is i^p + n/2 mod n, computed without overflow. p is a power of 2.
func powDupes(p int) func(*gen, uint64, []uint64) {
	return func(g *gen, lo uint64, out []uint64) {
		for i := range out {
			v := (lo + uint64(i)) % g.n
			for k := 1; k < p; k *= 2 {
				hi, l := bits.Mul64(v, v)
				v = bits.Rem64(hi, l, g.n)
			}
			out[i] = g.count((v+g.n/2)%g.n, g.n)
		}
	}
}
