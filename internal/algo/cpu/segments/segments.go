// Package segments sorts each of many parts of a slice by itself.
package segments

import (
	"math"
	"sort"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// bounds are segments one behind the other: the i-th of count is [at(i), at(i+1)).
type bounds struct {
	count int
	at    func(i int) int
}

// between are the segments between neighbouring offsets, which ascend from 0 or more to
// n or less; else it returns an error.
func between[O op.Integer](offsets []O, n int) (bounds, error) {
	for i, at := range offsets {
		if at < 0 || uint64(at) > uint64(n) {
			return bounds{}, op.Refuse("offset %d is %d, but the slice has %d items: offsets are from 0 to that", i, at, n)
		}
		if i > 0 && at < offsets[i-1] {
			return bounds{}, op.Refuse("offset %d is %d and the one before %d: offsets must ascend", i, at, offsets[i-1])
		}
	}
	return bounds{max(0, len(offsets)-1), func(i int) int { return int(offsets[i]) }}, nil
}

// Sort sorts the segments of x between neighbouring offsets in the order o. Scratch is
// that of a sort of the longest segment. After an error of the context each segment holds
// a permutation of its keys.
func Sort[T any, O op.Integer](t key.Type, x []T, offsets []O, o key.Order, h cpu.Options) error {
	b, err := between(offsets, len(x))
	if err != nil {
		return err
	}
	return sortAll(t, x, b, o, h)
}

// SortRows is Sort of the rows of a matrix, of so many columns each.
func SortRows[T any](t key.Type, x []T, columns int, o key.Order, h cpu.Options) error {
	if columns < 1 || len(x)%columns != 0 {
		return op.Refuse("%d items are no rows of %d: columns are 1 or more and divide the length", len(x), columns)
	}
	return sortAll(t, x, bounds{len(x) / columns, func(i int) int { return i * columns }}, o, h)
}

func sortAll[T any](t key.Type, x []T, b bounds, o key.Order, h cpu.Options) error {
	return key.ByWidthTo16(t.Bytes(),
		keys[uint8], keys[uint16], keys[uint32], keys[uint64], keysWide,
	)(key.Memory(x), b, key.CodecOf(t, o), h)
}

func keys[U key.Word](s key.Slice, b bounds, c key.Codec, h cpu.Options) error {
	x := key.Words[U](s)
	c &^= key.CodecEqualZeros // of keys alone, zeros that tie are sorted by bits, too
	sort := func(c key.Codec) action {
		return func(lo, hi int, h cpu.Options) error { return cpu.Keys(x[lo:hi], c, h) }
	}
	if c == key.CodecUnsigned || unsafe.Sizeof(U(0)) < 4 {
		return b.each(h, sort(c), nil)
	}
	return b.each(h, sort(c), func(lo, hi int, all func(do action) error) error {
		cpu.Encode(x[lo:hi], x[lo:hi], c)
		defer cpu.Decode(x[lo:hi], x[lo:hi], c)
		return all(sort(key.CodecUnsigned))
	})
}

func keysWide(s key.Slice, b bounds, c key.Codec, h cpu.Options) error {
	x := key.Words[key.Octets](s)
	return b.each(h, func(lo, hi int, h cpu.Options) error { return cpu.KeysWide(x[lo:hi], c, h) }, nil)
}

// Argsort writes to idx[lo:hi], for each segment [lo, hi), the positions in x that put
// it in the order o, equal keys by position; other places get their own. idx is as
// long as x. Indices of one or two bytes take scratch of four an item. After an error,
// that of the context, idx holds anything.
func Argsort[I op.Integer, T any, O op.Integer](t key.Type, idx []I, x []T, offsets []O, o key.Order, h cpu.Options) error {
	if len(idx) != len(x) {
		return op.Refuse("%d indices but %d keys: both slices must have the same length", len(idx), len(x))
	}
	if !holds[I](len(x)) {
		return op.Refuse("indices of %d items do not fit %T: use a wider type of indices", len(x), *new(I))
	}
	b, err := between(offsets, len(x))
	if err != nil {
		return err
	}
	if size := unsafe.Sizeof(*new(I)); size < 4 {
		wide := make([]uint32, len(idx))
		err := Argsort(t, wide, x, offsets, o, h)
		for i, at := range wide {
			idx[i] = I(at)
		}
		return err
	}
	if t.Bytes() == 16 {
		return positionsWide(idx, key.Words[key.Octets](key.Memory(x)), b, key.CodecOf(t, o), h)
	}
	return key.ByWidths(t.Bytes(), int(unsafe.Sizeof(*new(I))),
		positions[uint8, uint32], positions[uint16, uint32], positions[uint32, uint32], positions[uint64, uint32],
		positions[uint8, uint64], positions[uint16, uint64], positions[uint32, uint64], positions[uint64, uint64],
	)(key.Memory(idx), key.Memory(x), b, key.CodecOf(t, o), h)
}

// holds reports whether type I has the positions of n items.
func holds[I op.Integer](n int) bool {
	most := uint64(math.MaxUint64) >> (64 - 8*unsafe.Sizeof(*new(I)))
	if zero := I(0); zero-1 < zero {
		most >>= 1
	}
	return n == 0 || uint64(n-1) <= most
}

func positions[U key.Word, I uint32 | uint64](indices, s key.Slice, b bounds, c key.Codec, h cpu.Options) error {
	idx, x := key.Words[I](indices), key.Words[U](s)
	return places(idx, b, h, func(lo, hi int, h cpu.Options) error { return cpu.Argsort(x[lo:hi], idx[lo:hi], c, h) })
}

// positionsWide is positions of keys of 128 bits, in indices of 4 or 8 bytes.
func positionsWide[I op.Integer](indices []I, x []key.Octets, b bounds, c key.Codec, h cpu.Options) error {
	if unsafe.Sizeof(*new(I)) == 4 {
		idx := key.Words[uint32](key.Memory(indices))
		return places(idx, b, h, func(lo, hi int, h cpu.Options) error { return cpu.ArgsortWide(x[lo:hi], idx[lo:hi], c, h) })
	}
	idx := key.Words[uint64](key.Memory(indices))
	return places(idx, b, h, func(lo, hi int, h cpu.Options) error { return cpu.ArgsortWide(x[lo:hi], idx[lo:hi], c, h) })
}

// places is Argsort by what writes the order of one segment, counted from its beginning.
func places[I uint32 | uint64](idx []I, b bounds, h cpu.Options, argsort func(lo, hi int, h cpu.Options) error) error {
	first, last := 0, 0
	if b.count > 0 {
		first, last = b.at(0), b.at(b.count)
	}
	t := h.Team()
	for _, r := range [][2]int{{0, first}, {last, len(idx)}} {
		if err := t.Steps(r[1]-r[0], 8, func(lo, hi int) { count(idx[r[0]+lo:r[0]+hi], r[0]+lo) }); err != nil {
			return err
		}
	}
	return b.each(h, func(lo, hi int, h cpu.Options) error {
		err := argsort(lo, hi, h)
		if h.Workers != 1 && err == nil {
			t := h.Team()
			return t.Steps(hi-lo, 8, func(from, to int) { shift(idx[lo+from:lo+to], lo) })
		}
		shift(idx[lo:hi], lo)
		return err
	}, nil)
}

// count sets idx to from, from+1, …
func count[I uint32 | uint64](idx []I, from int) {
	for i := range idx {
		idx[i] = I(from + i)
	}
}

func shift[I uint32 | uint64](idx []I, by int) {
	for i := range idx {
		idx[i] += I(by)
	}
}

const (
	// longItems is the least length of a segment that all workers sort together.
	longItems = 1 << 16
	// groupItems is how much of a slice is dealt to a worker at a time, and looked for
	// the context's end between, an empty segment being as long as one item.
	groupItems = 1 << 15
)

// action is done to a segment.
type action func(lo, hi int, h cpu.Options) error

// shortItems is the average length up to which the keys of a group of segments are encoded at once: sorts of longer
// ones have no passes of their own for that.
const shortItems = 128

// each calls do for every segment that is not empty: for the long ones one after
// the other, with all workers, for others with one. Of groups of short ones x[lo:hi] it calls short, if
// there is one, which has all of them done.
func (b bounds) each(h cpu.Options, do action, short func(lo, hi int, all func(do action) error) error) error {
	if b.count == 0 {
		return h.Err()
	}
	alone := h
	alone.Workers = 1
	first := b.at(0)
	n := b.at(b.count) - first
	t := h.Team()
	long := n + 1
	group := func(i, end int) error {
		all := func(do action) error { return b.all(i, end, long, alone, do) }
		if lo, hi := b.at(i), b.at(end); short != nil && hi-lo <= shortItems*(end-i) {
			return short(lo, hi, all)
		}
		return all(do)
	}
	if n+b.count < groupItems {
		if err := h.Err(); err != nil {
			return err
		}
		return group(0, b.count)
	}
	if t.Size() > 1 {
		long = max(longItems, n/(4*t.Size()))
		for i, lo := 0, first; i < b.count; i++ {
			hi := b.at(i + 1)
			if hi-lo >= long && lo < hi {
				if err := do(lo, hi, h); err != nil {
					return err
				}
			}
			lo = hi
		}
	}
	groups := (n+b.count)/groupItems + 1
	var failed atomic.Bool
	err := t.EachUntil(groups, func(g int) {
		if group(b.from(g, first), b.from(g+1, first)) != nil {
			failed.Store(true)
		}
	})
	if failed.Load() {
		return h.Err()
	}
	return err
}

// all calls do for the segments from the i-th to before the one of end that are neither empty nor long, in order.
func (b bounds) all(i, end, long int, h cpu.Options, do action) error {
	lo := b.at(i)
	for ; i < end; i++ {
		hi := b.at(i + 1)
		if lo < hi && hi-lo < long {
			if err := do(lo, hi, h); err != nil {
				return err
			}
		}
		lo = hi
	}
	return nil
}

// from is the first segment of the g-th group.
func (b bounds) from(g, first int) int {
	return sort.Search(b.count, func(i int) bool { return b.at(i)-first+i >= g*groupItems })
}
