// Package search finds many keys in a sorted slice.
package search

import (
	"slices"
	"sort"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// Positions returns, for each query, the first i at which sorted[i] does not belong
// before it in the order o, or len(sorted). Its scratch is some 32 bytes a query, of up to 2^22
// of them. The error is that of the context.
func Positions[T any](t key.Type, sorted, queries []T, o key.Order, h cpu.Options) ([]int, error) {
	out := cpu.Results[int](len(queries))
	err := key.ByWidthTo16(t.Bytes(),
		positions[uint8], positions[uint16], positions[uint32], positions[uint64], positionsWide,
	)(out, key.Memory(sorted), key.Memory(queries), key.CodecOf(t, o), h)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// positionsWide looks up keys of 128 bits one by one.
func positionsWide(out []int, sorted, queries key.Slice, c key.Codec, h cpu.Options) error {
	s, q := key.Words[key.Octets](sorted), key.Words[key.Octets](queries)
	t := h.Team()
	return t.Steps(len(q), 256, func(lo, hi int) {
		for i := range q[lo:hi] {
			w := key.EncodeWide(c, &q[lo+i])
			out[lo+i] = sort.Search(len(s), func(k int) bool { return !key.EncodeWide(c, &s[k]).Less(w) })
		}
	})
}

const (
	// batch is how many queries are looked up side by side, so that they wait for memory
	// at the same time.
	batch = 64
	// indexItems is the most keys of the index: encoded keys of every so-manieth key, side by side,
	// where they take few pages of memory and stay in the level-2 cache.
	indexItems = 1 << 15
	// leastSorted is the least number of queries, and of numbers, that are worth sorting the queries,
	// and mostSorted how many are sorted at a time.
	leastSorted, mostSorted = 1 << 16, 1 << 22
	// sampled is of how many queries and those behind them one looks at the order.
	sampled = 64
	// sortedBytes is about the scratch of a query that is sorted.
	sortedBytes = 32
	// lookUpBytes is about how much memory a look-up reads.
	lookUpBytes = 256
)

func positions[U key.Word](out []int, sorted, queries key.Slice, c key.Codec, h cpu.Options) error {
	s, q := key.Words[U](sorted), key.Words[U](queries)
	f := finder[U]{all: s, codec: key.MapOf[U](c)}
	f.from, f.s = f.numbers(s)
	if len(f.s) >= 4*indexItems && len(q) >= indexItems {
		f.stride = (len(f.s) + indexItems - 1) / indexItems
		var put func()
		f.index, put = cpu.Buffer[U](len(f.s) / f.stride)
		defer put()
		for i := range f.index {
			f.index[i] = f.codec.Loose(f.s[(i+1)*f.stride-1])
		}
	}
	if len(q) <= batch {
		if err := h.Err(); err != nil {
			return err
		}
		f.find(out, q)
		return nil
	}
	most := mostSorted
	if h.MemoryCap != 0 {
		most = int(min(mostSorted, h.MemoryCap/sortedBytes))
	}
	for most >= leastSorted && len(q) >= leastSorted && len(f.s) >= leastSorted {
		n := min(len(q), most)
		if err := f.sorted(out[:n], q[:n], c&^key.CodecEqualZeros, h); err != nil {
			return err
		}
		out, q = out[n:], q[n:]
	}
	return f.parts(out, q, h)
}

// parts looks up queries as they come.
func (f *finder[U]) parts(out []int, q []U, h cpu.Options) error {
	return h.Team().Steps(len(q), lookUpBytes, func(lo, hi int) { f.part(out[lo:hi], q[lo:hi]) })
}

// sorted looks up queries in the order of c, in which they find what they read in the caches, and puts what they found
// where they are in q.
func (f *finder[U]) sorted(out []int, q []U, c key.Codec, h cpu.Options) error {
	ordered := true
	for i := range sampled {
		at := len(q) / sampled * i
		ordered = ordered && f.of(q[at]) <= f.of(q[at+1])
	}
	if ordered { // as it seems
		return f.parts(out, q, h)
	}
	t := h.Team()
	keys, put := cpu.Buffer[U](len(q))
	defer put()
	places, putPlaces := cpu.Buffer[uint32](len(q))
	defer putPlaces()
	if err := t.Steps(len(q), 16, func(lo, hi int) {
		copy(keys[lo:hi], q[lo:hi])
		for i := lo; i < hi; i++ {
			places[i] = uint32(i)
		}
	}); err != nil {
		return err
	}
	if err := cpu.Pairs(keys, places, c, h); err != nil {
		return err
	}
	return t.Steps(len(q), lookUpBytes, func(lo, hi int) {
		found, put := cpu.Buffer[int](hi - lo)
		defer put()
		f.part(found, keys[lo:hi])
		for i, at := range found {
			out[places[lo+i]] = at
		}
	})
}

// part looks up the queries of a step.
func (f *finder[U]) part(out []int, q []U) {
	if f.walk(out, q) {
		return
	}
	for lo := 0; lo < len(q); lo += batch {
		f.find(out[lo:min(len(q), lo+batch)], q[lo:min(len(q), lo+batch)])
	}
}

// finder looks up queries by loose encoded keys among the numbers of a slice, which has NaNs at
// one end at most. NaNs are looked up one by one.
type finder[U key.Word] struct {
	all   []U
	s     []U // the numbers, from so many on
	from  int
	codec key.Map[U]

	index  []U // the encoded key of the last of each stride numbers, if there is one
	stride int
}

// numbers returns what all has between NaNs, and where that begins.
func (f *finder[U]) numbers(all []U) (from int, s []U) {
	nan := func(i int) bool { return f.codec.IsNaN(all[i]) }
	if f.codec.Of(^U(0)) < f.codec.Of(0) { // a NaN, if these are floats, and a number
		from = sort.Search(len(all), func(i int) bool { return !nan(i) })
		return from, all[from:]
	}
	return 0, all[:sort.Search(len(all), nan)]
}

// of is the encoded key of a query: both zeros are looked up where the first of them is, if
// they tie.
func (f *finder[U]) of(u U) U {
	return min(f.codec.Loose(u), f.codec.Loose(f.codec.Tied(u)))
}

// find looks up one batch.
func (f *finder[U]) find(out []int, q []U) {
	var encodedKeys [batch]U
	var at [batch]int
	nans := false
	for i, u := range q {
		encodedKeys[i] = f.of(u)
		nans = nans || f.codec.IsNaN(u)
	}
	n := len(f.s)
	if f.stride > 0 {
		descend(f.index, len(f.index), encodedKeys[:len(q)], at[:len(q)], &key.Map[U]{})
		n = f.stride
		for i := range q {
			// All numbers before are less.
			at[i] = min(at[i]*n, len(f.s)-n)
		}
	}
	descend(f.s, n, encodedKeys[:len(q)], at[:len(q)], &f.codec)
	for i := range out {
		out[i] = f.from + at[i]
		if nans && f.codec.IsNaN(q[i]) {
			v := f.codec.Of(q[i])
			out[i] = sort.Search(len(f.all), func(i int) bool { return f.codec.Of(f.all[i]) >= v })
		}
	}
}

// denseSpan is up to how many times as many numbers as queries are gone through.
const denseSpan = 8

// walk looks up queries that are in order, among not too many more numbers, and reports
// true. It goes along both, from both ends at once, which do not wait for each other.
func (f *finder[U]) walk(out []int, q []U) bool {
	plain := f.codec == key.Map[U]{}
	encodedKeys := q
	if plain && !slices.IsSorted(q) {
		return false
	}
	if !plain {
		room, put := cpu.Buffer[U](len(q))
		defer put()
		for i, u := range q {
			if room[i] = f.of(u); f.codec.IsNaN(u) || i > 0 && room[i] < room[i-1] {
				return false
			}
		}
		encodedKeys = room
	}
	s, m := f.s, f.codec
	place := func(v U) int { return sort.Search(len(s), func(i int) bool { return m.Loose(s[i]) >= v }) }
	p, r := place(encodedKeys[0]), place(encodedKeys[len(q)-1])
	if r-p > denseSpan*len(q) {
		return false
	}
	keys, base := s[p:r], f.from+p
	if !plain {
		room, put := cpu.Buffer[U](len(keys))
		defer put()
		for i, u := range keys {
			room[i] = m.Loose(u)
		}
		keys = room
	}
	out = out[:len(encodedKeys)]
	i, j := 0, len(q)-1
	p, r = 0, len(keys)
	for steps := min(j-i+1, r-p) / 2; steps > 0; steps = min(j-i+1, r-p) / 2 {
		for range steps {
			less := 0
			if keys[p] < encodedKeys[i] {
				less = 1
			}
			out[i] = base + p
			p += less
			i += 1 - less

			not := 0
			if keys[r-1] >= encodedKeys[j] {
				not = 1
			}
			out[j] = base + r
			r -= not
			j -= 1 - not
		}
	}
	for ; i <= j; i++ {
		for p < r && keys[p] < encodedKeys[i] {
			p++
		}
		out[i] = base + p
	}
	return true
}

// descend adds to each at how many of s[at:at+n] have encoded keys below its encoded key.
func descend[U key.Word](s []U, n int, encodedKeys []U, at []int, codec *key.Map[U]) {
	at = at[:len(encodedKeys)]
	m, plain := *codec, *codec == key.Map[U]{}
	p := unsafe.Pointer(unsafe.SliceData(s))
	size := unsafe.Sizeof(U(0))
	for n > 0 {
		half := (n + 1) / 2
		if plain {
			for i := range at {
				less := 0
				if *(*U)(unsafe.Add(p, uintptr(at[i]+half-1)*size)) < encodedKeys[i] {
					less = 1
				}
				at[i] += half & -less
			}
			n -= half
			continue
		}
		for i := range at {
			less := 0 // without a branch
			if m.Loose(*(*U)(unsafe.Add(p, uintptr(at[i]+half-1)*size))) < encodedKeys[i] {
				less = 1
			}
			at[i] += half & -less
		}
		n -= half
	}
}
