package cpu

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

const (
	// nearlyMin is the least number of keys that are looked at for strays: fewer are
	// sorted in the time that takes.
	nearlyMin = 512
	// nearlyRun keys in a row go one way where few are out of place.
	nearlyRun = 9
	// nearlyPairs neighbours show which way most keys go; one of them may go the other
	// way, or nearlyOdd if these are a quarter of the others.
	nearlyPairs, nearlyOdd = 16, 2
	// strayBytes and strayFew bound the strays: one in so many bytes of keys, and so many
	// more. To find and insert one takes some 200 ns, a sort of a KiB 1 µs.
	strayBytes, strayFew = 1 << 10, 4
)

// nearlyMoves is how many bytes are moved, if the sort can be cancelled, without a
// look at the context: some 30 ms. A variable, for tests.
var nearlyMoves = 256 << 20

// keysNearlyInOrder sorts x and reports true if no key, or few, are out of place in
// ascending or descending order. If not, x is as it was. If the sort is cancelled
// it reports true, and x is in some order.
func keysNearlyInOrder[U key.Word](r *run, x []U, c key.Codec) bool {
	up := scan(r, x, c, false)
	if up < 0 {
		return true
	}
	down := scan(r, x, c^key.CodecDesc, false)
	if down < 0 {
		r.inSteps(len(x)/2, 2*int(unsafe.Sizeof(x[0])), func(lo, hi int) { mirror(x, lo, hi) })
		return true
	}
	if len(x) < nearlyMin {
		return false
	}
	// Where neither way goes far, one does in the middle, but for strays there too.
	if up < nearlyRun && down < nearlyRun {
		mid := x[len(x)/2:][:nearlyRun]
		if firstPair(mid, c, false) >= 0 && firstPair(mid, c^key.CodecDesc, false) >= 0 {
			return false
		}
	}
	switch rises, falls := tendency(x, c); {
	case mostly(rises, falls):
		return sortStrays(r, x, c, up)
	case mostly(falls, rises):
		if !sortStrays(r, x, c^key.CodecDesc, down) {
			return false
		}
		r.inSteps(len(x)/2, 2*int(unsafe.Sizeof(x[0])), func(lo, hi int) { mirror(x, lo, hi) })
		return true
	}
	return false
}

// mostly reports whether so many neighbours that go one way are most, few enough going
// the other.
func mostly(one, other int) bool { return other <= 1 || other <= nearlyOdd && 4*other <= one }

// tendency counts which way neighbours go at random places, without a branch that
// depends on it. It takes NaNs for numbers.
func tendency[U key.Word](x []U, c key.Codec) (rises, falls int) {
	m, float := intMask[U](c), U(0)
	if isFloat(c) {
		m, float = intMask[U](c|key.CodecSigned), ^U(0)
	}
	sign := 8*uint(unsafe.Sizeof(x[0])) - 1
	seed := rand.Uint64()
	for range nearlyPairs {
		seed = seed*0xd1342543de82ef95 + 1
		hi, _ := bits.Mul64(seed, uint64(len(x)-1))
		y := x[hi : hi+2 : hi+2]
		a, b := y[0], y[1]
		a ^= m ^ (-(a >> (sign & 63)) & float >> 1)
		b ^= m ^ (-(b >> (sign & 63)) & float >> 1)
		// A branch would wait for memory, pair by pair.
		_, rise := bits.Sub64(uint64(a), uint64(b), 0)
		_, fall := bits.Sub64(uint64(b), uint64(a), 0)
		rises += int(rise)
		falls += int(fall)
	}
	return rises, falls
}

// strays is a sort of keys of which few are out of place. Those are taken out, and
// inserted again between the others, which move by as many places as it takes.
type strays[U key.Word] struct {
	*run
	x []U
	c key.Codec
	// runs are the places of the keys that stay in their order; all others are
	// strays.
	runs  []span
	out   []U    // encoded keys of the strays, ascending
	moves []move // of the runs, in order, cut where strays go
}

// sortStrays sorts x, of which the first keys are in order, and reports true, or
// reports false if it has too many strays; x is then as it was.
func sortStrays[U key.Word](r *run, x []U, c key.Codec, first int) bool {
	most := mostStrays[U](len(x))
	// find ends with two strays too many at most, each of which parts two runs; each
	// stray that is inserted cuts one run into two moves.
	out, runs, moves := getScratch[U](most+2), getScratch[span](most+4), getScratch[move](2*most+8)
	defer out.put()
	defer runs.put()
	defer moves.put()
	s := strays[U]{run: r, x: x, c: c, runs: append(runs.s[:0], span{0, first}), out: out.s[:0], moves: moves.s[:0]}
	if !s.find() || s.cancelled() {
		return s.cancelled()
	}
	s.takeOut()
	s.plan()
	if !s.mayMove() {
		return false
	}
	s.move()
	return true
}

// less reports whether the key at i belongs before that at k.
func (s *strays[U]) less(i, k int) bool { return key.Encode(s.c, s.x[i]) < key.Encode(s.c, s.x[k]) }

// mostStrays is how many of n keys may be strays.
func mostStrays[U key.Word](n int) int {
	return strayFew + n*int(unsafe.Sizeof(U(0)))/strayBytes
}

// find finds the runs, and reports false if there are more strays than may be among
// the keys up to some place: it then has not looked far.
func (s *strays[U]) find() bool {
	n := 0 // strays
	for q := s.runs[0].hi; q < len(s.x); {
		if n > mostStrays[U](q) {
			return false
		}
		p := s.last()
		if p < 0 || !s.less(q, p) {
			f := scan(s.run, s.x[q:], s.c, false)
			if s.cancelled() {
				return false
			}
			if f < 0 {
				f = len(s.x) - q
			}
			s.keep(q, q+f)
			q += f
			continue
		}
		// One of the two is a stray, p if q would be in order without it.
		s.drop()
		b := s.last()
		switch {
		case b < 0 || !s.less(q, b):
			n++
		case q+1 < len(s.x) && !s.less(q+1, p):
			s.keep(p, p+1)
			n++
			q++
		default:
			n += 2
			q++
		}
	}
	return n <= mostStrays[U](len(s.x))
}

// last is the place of the last key that stays, −1 if there is none.
func (s *strays[U]) last() int {
	if len(s.runs) == 0 {
		return -1
	}
	return s.runs[len(s.runs)-1].hi - 1
}

// drop makes the last key that stays a stray.
func (s *strays[U]) drop() {
	g := &s.runs[len(s.runs)-1]
	if g.hi--; g.lo == g.hi {
		s.runs = s.runs[:len(s.runs)-1]
	}
}

// keep adds the keys at [lo, hi), which are behind the last that stays.
func (s *strays[U]) keep(lo, hi int) {
	if k := len(s.runs) - 1; k >= 0 && s.runs[k].hi == lo {
		s.runs[k].hi = hi
		return
	}
	s.runs = append(s.runs, span{lo, hi})
}

// takeOut copies the encoded keys of the strays, and sorts them.
func (s *strays[U]) takeOut() {
	at := 0
	for _, g := range append(s.runs, span{len(s.x), len(s.x)}) {
		for ; at < g.lo; at++ {
			s.out = append(s.out, key.Encode(s.c, s.x[at]))
		}
		at = g.hi
	}
	slices.Sort(s.out)
}

// plan makes the moves.
func (s *strays[U]) plan() {
	left, to := s.out, 0
	for _, g := range s.runs {
		last := key.Encode(s.c, s.x[g.hi-1])
		for g.lo < g.hi {
			n := g.hi - g.lo
			if len(left) > 0 && left[0] < last {
				n = sort.Search(n, func(i int) bool { return key.Encode(s.c, s.x[g.lo+i]) > left[0] })
			}
			if n == 0 {
				left = left[1:]
				to++
				continue
			}
			s.moves = append(s.moves, move{to, g.lo, n})
			to += n
			g.lo += n
		}
	}
}

// mayMove reports whether so much may be moved before the next look at the context.
func (s *strays[U]) mayMove() bool {
	n := 0
	for _, m := range s.moves {
		if m.to != m.from {
			n += m.n
		}
	}
	return s.look == nil || n <= nearlyMoves/int(unsafe.Sizeof(s.x[0]))
}

// move moves the runs, those that go down from the lowest on and those that go up
// from the highest on, so that none is written over before it has moved, and writes
// the strays to the places in between.
func (s *strays[U]) move() {
	for _, m := range s.moves {
		for ; m.to < m.from && m.n > 0; m.n -= min(m.n, moveItems) {
			n := min(m.n, moveItems)
			copy(s.x[m.to:m.to+n], s.x[m.from:])
			m.to, m.from = m.to+n, m.from+n
		}
	}
	for _, m := range slices.Backward(s.moves) {
		for ; m.to > m.from && m.n > 0; m.n -= min(m.n, moveItems) {
			lo := m.n - min(m.n, moveItems)
			copy(s.x[m.to+lo:m.to+m.n], s.x[m.from+lo:])
		}
	}
	for i, u := range s.out {
		s.out[i] = key.Decode(s.c, u)
	}
	at := 0
	for _, m := range append(s.moves, move{to: len(s.x)}) {
		n := copy(s.x[at:m.to], s.out)
		s.out = s.out[n:]
		at = m.to + m.n
	}
}
