package bytekeys

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/team"
)

const (
	// lookRows and lookBytes are how many rows and bytes are read between two looks at
	// the context.
	lookRows  = 1 << 12
	lookBytes = 4 << 20
	// prefixMost is the longest prefix that is skipped or compared in one round.
	prefixMost = lookBytes
	// sampled is of how many strings the common prefix is a guess at that of all.
	sampled = 16
)

// words says what the words of a group are.
type words struct {
	depth int  // where they begin
	kind  kind // how they go on
	equal bool // all strings are equal
}

type kind uint8

const (
	plain   kind = iota // 8 bytes; all strings have one length, beyond them
	last                // the same; none is longer
	counted             // 7 bytes and how many are left, at most 8
	pivoted             // the side of a pivot and the length of the prefix in common
	beyond              // the same; the pivot goes on past prefixMost
)

// next returns to what depth strings with the word w agree, and whether they may differ
// after that.
func (b words) next(w uint64) (depth int, open bool) {
	switch b.kind {
	case plain:
		return b.depth + 8, true
	case counted:
		return b.depth + 7, w&0xff == 8
	case pivoted, beyond:
		return b.depth + common(w), w != onPivot || b.kind == beyond
	}
	return 0, false
}

// load makes the words of g, behind the prefix that all its strings share.
func (t *sorter[S]) load(g group, workers int) words {
	prefix := t.bytes(g, g.lo)
	length, rest := len(prefix), counted
	prefix = prefix[:min(len(prefix), prefixMost)]
	alike := true
	for i := range sampled {
		b := t.bytes(g, g.lo+g.rows()/sampled*i+i*(g.rows()%sampled)/sampled)
		prefix = prefix[:Shared(prefix, b)]
		alike = alike && len(b) == length
	}
	for {
		if alike {
			rest = plain
			if length-len(prefix) <= 8 {
				rest = last
			}
		} else {
			rest = counted
		}
		by := words{depth: g.depth + len(prefix), kind: rest}
		got := t.loadAll(g, prefix, length, rest, workers)
		if got.prefix == len(prefix) && (got.alike || !alike) {
			by.equal = got.alike && len(prefix) == length
			return by
		}
		if t.cancelled() {
			return by
		}
		prefix, alike = prefix[:got.prefix], alike && got.alike
	}
}

// seen is what strings have in common.
type seen struct {
	prefix int  // bytes of the prefix that was expected
	alike  bool // the length that was expected
}

// loadAll is loadPart by so many workers.
func (t *sorter[S]) loadAll(g group, prefix []byte, length int, rest kind, workers int) seen {
	if workers == 1 {
		return t.loadPart(g, g.lo, g.hi, prefix, length, rest)
	}
	all := seen{len(prefix), true}
	parts := team.Options{Workers: 8 * workers}.Parts(g.rows(), forkRows)
	var mu sync.Mutex
	t.team(workers).Each(parts, func(i int) {
		lo, hi := team.Chunk(g.rows(), parts, i)
		got := t.loadPart(g, g.lo+lo, g.lo+hi, prefix, length, rest)
		mu.Lock()
		all.prefix, all.alike = min(all.prefix, got.prefix), all.alike && got.alike
		mu.Unlock()
	})
	return all
}

// loadPart makes words [lo, hi) of g, which follow the prefix, and returns what the strings
// do have in common. If that is less than was expected the words mean nothing.
func (t *sorter[S]) loadPart(g group, lo, hi int, prefix []byte, length int, rest kind) seen {
	all := seen{len(prefix), true}
	step := max(1, min(lookRows, lookBytes/(len(prefix)+1)))
	for lo < hi && !t.cancelled() {
		end := min(hi, lo+step)
		idx, words := t.idx[lo:end], t.words[lo:end]
		for i, row := range idx {
			if i%TouchRows == 0 {
				t.touch(idx[i:min(len(idx), i+TouchRows)], g.depth, len(prefix)+8)
			}
			b := t.s.Bytes(row)[g.depth:]
			all.alike = all.alike && len(b) == length
			if len(prefix) > 0 {
				if len(b) < len(prefix) || string(b[:len(prefix)]) != string(prefix) {
					prefix = prefix[:Shared(prefix, b)]
					all.prefix = len(prefix)
				}
				b = b[len(prefix):]
			}
			if rest != counted {
				words[i] = Word(b) ^ t.flip
			} else {
				words[i] = (Word(b)&^0xff | uint64(min(8, len(b)))) ^ t.flip
			}
		}
		lo = end
	}
	return all
}

// touch reads bytes of each string, so that all of them are fetched from memory at once: of n
// bytes behind the first depth ones. Inlined, it would be left out.
//
//go:noinline
func (t *sorter[S]) touch(idx []uint32, depth, n int) (sum byte) {
	if t.toucher != nil {
		return t.toucher.Touch(idx, depth, n)
	}
	for _, row := range idx {
		if b := t.s.Bytes(row); depth < len(b) {
			sum += b[depth]
		}
	}
	return sum
}

// bytes is what follows the depth of g in the string of idx[i].
func (t *sorter[S]) bytes(g group, i int) []byte { return t.s.Bytes(t.idx[i])[g.depth:] }

// Word returns the first 8 bytes of b, or b and zeros, as a big-endian number.
func Word(b []byte) uint64 {
	n := len(b)
	switch {
	case n >= 8:
		return binary.BigEndian.Uint64(b)
	case n >= 4:
		hi, lo := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[n-4:])
		return uint64(hi)<<32 | uint64(lo)<<(64-8*uint(n))
	case n > 0:
		mid := uint(n) >> 1
		return uint64(b[0])<<56 | uint64(b[mid])<<(56-8*mid) | uint64(b[n-1])<<(64-8*uint(n))
	}
	return 0
}

// WordText is Word of a text.
func WordText(s string) uint64 { return Word(unsafe.Slice(unsafe.StringData(s), len(s))) }

// SharedText is Shared of texts.
func SharedText(a, b string) int {
	return Shared(unsafe.Slice(unsafe.StringData(a), len(a)), unsafe.Slice(unsafe.StringData(b), len(b)))
}
