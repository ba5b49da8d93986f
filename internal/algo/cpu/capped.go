package cpu

import (
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// A sort of pairs under a cap on its scratch sorts parts that fit, one after the other,
// and merges them in place with what buffer there is. One of positions divides them
// (cappedindex.go).

const (
	// itemScratch is the most scratch of a sort of pairs or positions, for each of them.
	itemScratch = 2 * unsafe.Sizeof(rec{})
	// leastCap is the scratch below which a cap is not obeyed: parts would be so short
	// that merging them takes all the time.
	leastCap = 8 << 20
)

// capped reports whether a sort of n pairs or positions must do with less scratch
// than it would take.
func (o Options) capped(n int) bool {
	return o.MemoryCap != 0 && uint64(n) > max(o.MemoryCap, leastCap)/uint64(itemScratch)
}

// half is how many elements of size bytes fit in half the cap: parts and the merges'
// buffer have one each.
func (o Options) half(size uintptr) int {
	return int(max(o.MemoryCap, leastCap) / 2 / uint64(size))
}

// merging is what is merged: elements, and a buffer for some of them.
type merging interface {
	encodedKey(i int) uint64 // what element i is ordered by
	buffered(i int) uint64   // the same of the buffer's
	save(from, n int)        // copies elements to the buffer's beginning
	restore(to, at, n int)   // copies elements at, at+1, … of the buffer back
	move(to, from, n int)    // as copy does
	reverse(lo, hi int)
	room() int // elements that the buffer holds
}

// sortParts sorts n elements: part by part, then merged by twos. After an error they
// are permuted.
func sortParts(n, part int, m merging, o Options, sort func(lo, hi int) error) error {
	for lo := 0; lo < n; lo += part {
		if err := sort(lo, min(lo+part, n)); err != nil {
			return err
		}
	}
	for ; part < n; part *= 2 {
		for lo := 0; lo+part < n; lo += 2 * part {
			if err := mergeRuns(m, lo, lo+part, min(lo+2*part, n), o); err != nil {
				return err
			}
		}
	}
	return o.err()
}

// mergeRuns merges the runs [lo, mid) and [mid, hi) stably. Where neither fits into
// the buffer, both are cut at one key and the inner parts exchanged.
func mergeRuns(m merging, lo, mid, hi int, o Options) error {
	for lo < mid && mid < hi && m.encodedKey(mid) < m.encodedKey(mid-1) {
		if err := o.err(); err != nil {
			return err
		}
		switch {
		case mid-lo <= min(m.room(), hi-mid):
			mergeUp(m, lo, mid, hi)
			return nil
		case hi-mid <= m.room():
			mergeDown(m, lo, mid, hi)
			return nil
		}
		a, b := lo+(mid-lo)/2, mid+(hi-mid)/2
		if mid-lo >= hi-mid {
			x := m.encodedKey(a)
			b = bound(mid, hi, func(i int) bool { return m.encodedKey(i) < x })
		} else {
			x := m.encodedKey(b)
			a = bound(lo, mid, func(i int) bool { return m.encodedKey(i) <= x })
		}
		rotate(m, a, mid, b)
		cut := a + b - mid
		if err := mergeRuns(m, lo, a, cut, o); err != nil {
			return err
		}
		lo, mid = cut, b
	}
	return nil
}

// mergeUp merges [lo, mid), which fits into the buffer, and [mid, hi) from below. No
// run is empty.
func mergeUp(m merging, lo, mid, hi int) {
	n, at := mid-lo, 0
	m.save(lo, n)
	left, right := m.buffered(at), m.encodedKey(mid)
	for to := lo; ; to++ {
		if right < left {
			m.move(to, mid, 1)
			if mid++; mid == hi {
				m.restore(to+1, at, n-at)
				return
			}
			right = m.encodedKey(mid)
			continue
		}
		m.restore(to, at, 1)
		if at++; at == n {
			return
		}
		left = m.buffered(at)
	}
}

// mergeDown merges [lo, mid) and [mid, hi), which fits into the buffer, from above. No
// run is empty.
func mergeDown(m merging, lo, mid, hi int) {
	at := hi - mid - 1
	m.save(mid, hi-mid)
	left, right := m.encodedKey(mid-1), m.buffered(at)
	for to := hi - 1; ; to-- {
		if right < left {
			mid--
			m.move(to, mid, 1)
			if mid == lo {
				m.restore(lo, 0, at+1)
				return
			}
			left = m.encodedKey(mid - 1)
			continue
		}
		m.restore(to, at, 1)
		if at--; at < 0 {
			return
		}
		right = m.buffered(at)
	}
}

// rotate exchanges [lo, mid) and [mid, hi).
func rotate(m merging, lo, mid, hi int) {
	left, right := mid-lo, hi-mid
	switch {
	case left == 0 || right == 0:
	case left <= min(m.room(), right):
		m.save(lo, left)
		m.move(lo, mid, right)
		m.restore(hi-left, 0, left)
	case right <= m.room():
		m.save(mid, right)
		m.move(hi-left, lo, left)
		m.restore(lo, 0, right)
	default:
		m.reverse(lo, mid)
		m.reverse(mid, hi)
		m.reverse(lo, hi)
	}
}

// bound returns the first i of [lo, hi) for which below is false, which it is from
// there on.
func bound(lo, hi int, below func(i int) bool) int {
	for lo < hi {
		if i := lo + (hi-lo)/2; below(i) {
			lo = i + 1
		} else {
			hi = i
		}
	}
	return lo
}

// pairRuns merges pairs.
type pairRuns[U key.Word, V wide] struct {
	k, bk []U
	v, bv []V
	c     key.Codec
}

func (p *pairRuns[U, V]) encodedKey(i int) uint64 { return uint64(key.Encode(p.c, p.k[i])) }
func (p *pairRuns[U, V]) buffered(i int) uint64   { return uint64(key.Encode(p.c, p.bk[i])) }
func (p *pairRuns[U, V]) room() int               { return len(p.bk) }
func (p *pairRuns[U, V]) save(from, n int) {
	copy(p.bk, p.k[from:from+n])
	copy(p.bv, p.v[from:from+n])
}
func (p *pairRuns[U, V]) restore(to, at, n int) {
	copy(p.k[to:], p.bk[at:at+n])
	copy(p.v[to:], p.bv[at:at+n])
}
func (p *pairRuns[U, V]) move(to, from, n int) {
	copy(p.k[to:], p.k[from:from+n])
	copy(p.v[to:], p.v[from:from+n])
}
func (p *pairRuns[U, V]) reverse(lo, hi int) {
	slices.Reverse(p.k[lo:hi])
	slices.Reverse(p.v[lo:hi])
}

// cappedPairs is pairsByKey under a cap.
func cappedPairs[U key.Word, V wide](k []U, v []V, c key.Codec, o Options) error {
	n := o.half(unsafe.Sizeof(k[0]) + unsafe.Sizeof(v[0]))
	bk, bv := getScratch[U](n), getScratch[V](n)
	defer bk.put()
	defer bv.put()
	part := o.half(itemScratch)
	o.MemoryCap = 0
	return sortParts(len(k), part, &pairRuns[U, V]{k, bk.s, v, bv.s, c}, o, func(lo, hi int) error {
		return pairsByKey(k[lo:hi], v[lo:hi], c, o)
	})
}
