package bytekeys

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"

	"github.com/gpusort/gpusort/internal/algo/cpu/team"
)

// stallsMost is how many rounds in a row may leave most of a group together before it is
// divided by comparing with a pivot.
const stallsMost = 4

// The words of a group that is compared with one of its strings, the pivot. Strings below
// it are the higher the more they share with it, strings above it the lower.
const (
	onPivot    = 1 << 30 // equal to the pivot, as far as both are read
	abovePivot = 1 << 31 // less the length of the common prefix; below, it is that length
)

// common is how many bytes strings of word w share with the pivot and with one another.
func common(w uint64) int {
	switch {
	case w < onPivot:
		return int(w)
	case w == onPivot:
		return prefixMost
	}
	return int(abovePivot - w)
}

// compare makes the words of g by comparing its strings with one of them.
func (t *sorter[S]) compare(g group, workers int) words {
	pivot := t.bytes(g, g.lo+rand.IntN(g.rows()))
	by := words{depth: g.depth, kind: pivoted}
	if len(pivot) > prefixMost {
		pivot, by.kind = pivot[:prefixMost], beyond
	}
	parts := team.Options{Workers: 8 * workers}.Parts(g.rows(), 1<<10)
	t.team(workers).Each(parts, func(i int) {
		lo, hi := team.Chunk(g.rows(), parts, i)
		read := 0
		for i := g.lo + lo; i < g.lo+hi; i++ {
			b := t.bytes(g, i)
			n := Shared(pivot, b)
			w := uint64(onPivot)
			switch {
			case n < len(pivot) && (n == len(b) || b[n] < pivot[n]):
				w = uint64(n)
			case n < len(pivot) || len(b) > n && by.kind == pivoted:
				w = abovePivot - uint64(n)
			}
			t.words[i] = w ^ t.flip
			if read += n + lookBytes/lookRows; read >= lookBytes {
				if read = 0; t.cancelled() {
					return
				}
			}
		}
	})
	return by
}

// Shared returns how many bytes a and b begin with in common.
func Shared(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	i := 0
	const block = 64
	for ; i+block <= n && string(a[i:i+block]) == string(b[i:i+block]); i += block {
	}
	for ; i+8 <= n; i += 8 {
		if d := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); d != 0 {
			return i + bits.TrailingZeros64(d)/8
		}
	}
	for ; i < n && a[i] == b[i]; i++ {
	}
	return i
}

// few sorts fewer than fewRows rows of idx, in the order of rows, whose strings agree in
// depth bytes. If all strings are equal, and there is a rest to sort them by, it leaves that to be
// done.
func (t *sorter[S]) few(idx []uint32, depth int) (left bool) {
	if len(idx) < 2 {
		return false
	}
	first := t.s.Bytes(idx[0])[depth:]
	skip, alike := len(first), true
	for _, row := range idx[1:] {
		b := t.s.Bytes(row)[depth:]
		skip, alike = Shared(first[:skip], b), alike && len(b) == len(first)
	}
	if alike && skip == len(first) {
		return t.rest != nil
	}
	depth += skip
	var words [fewRows]uint64
	for i, row := range idx {
		w := Word(t.s.Bytes(row)[depth:]) ^ t.flip
		lo, hi := 0, i
		for lo < hi {
			// The last first: it is right for what is in order.
			mid := (lo + hi) / 2
			if hi == i && lo == 0 {
				mid = i - 1
			}
			if w < words[mid] || w == words[mid] && t.less(row, idx[mid], depth) {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		copy(words[lo+1:i+1], words[lo:i])
		copy(idx[lo+1:i+1], idx[lo:i])
		words[lo], idx[lo] = w, row
	}
	return false
}

// less reports whether row a comes before row b, whose strings agree in depth bytes.
func (t *sorter[S]) less(a, b uint32, depth int) bool {
	c := bytes.Compare(t.s.Bytes(a)[depth:], t.s.Bytes(b)[depth:])
	if c == 0 && t.rest != nil {
		c = bytes.Compare(t.rest.s.Bytes(a), t.rest.s.Bytes(b))
	}
	if t.flip != 0 {
		return c > 0
	}
	return c < 0
}
