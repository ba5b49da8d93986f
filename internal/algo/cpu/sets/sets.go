// Package sets combines two sorted slices as sets.
package sets

import (
	"sort"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// Op says which keys of two sets a result has.
type Op struct{ OnlyA, OnlyB, Both bool }

// The operations.
var (
	Union      = Op{OnlyA: true, OnlyB: true, Both: true}
	Intersect  = Op{Both: true}
	Difference = Op{OnlyA: true}
)

// partItems is how much of both slices a worker goes through at a time.
const partItems = 1 << 17

// Combine returns the keys of a and b, both of the order o, that p says: each once, the
// first of those that are equal in a, else in b. Both are gone through twice; scratch is
// a few bytes a thousand items. The error is that of the context.
func Combine[T any](t key.Type, p Op, a, b []T, o key.Order, h cpu.Options) ([]T, error) {
	var out []T
	err := key.ByWidthTo16(t.Bytes(),
		combine[uint8], combine[uint16], combine[uint32], combine[uint64], combineWide,
	)(p, key.Memory(a), key.Memory(b), key.CodecOf(t, o), h, func(n int) key.Slice {
		out = cpu.Results[T](n)
		return key.Memory(out)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func combine[U key.Word](p Op, first, second key.Slice, c key.Codec, h cpu.Options, alloc func(n int) key.Slice) error {
	a, b := key.Words[U](first), key.Words[U](second)
	codec := key.MapOf[U](c)
	t := h.Team()
	parts := (len(a)+len(b))/partItems + 1
	// cuts[i] is where part i begins in either: at a key that stands in no part before.
	cuts := make([][2]int, parts+1)
	cuts[parts] = [2]int{len(a), len(b)}
	ends := make([]int, parts+1) // keys of the result in the parts before
	err := t.EachUntil(parts-1, func(i int) { cuts[i+1] = cutAt(a, b, (i+1)*partItems, &codec) })
	if err != nil {
		return err
	}
	for i := range parts { // they ascend, were the slices in no order
		cuts[i+1] = [2]int{max(cuts[i][0], cuts[i+1][0]), max(cuts[i][1], cuts[i+1][1])}
	}
	part := func(i int) (x, y []U) {
		return a[cuts[i][0]:cuts[i+1][0]], b[cuts[i][1]:cuts[i+1][1]]
	}
	if err := t.EachUntil(parts, func(i int) {
		x, y := part(i)
		ends[i+1] = walk(nil, p, x, y, &codec)
	}); err != nil {
		return err
	}
	for i := range parts {
		ends[i+1] += ends[i]
	}
	out := key.Words[U](alloc(ends[parts]))
	return t.EachUntil(parts, func(i int) {
		x, y := part(i)
		walk(out[ends[i]:ends[i+1]], p, x, y, &codec)
	})
}

// cutAt returns where to divide both slices so that about so many keys are in front, and
// none equal to any that is behind.
func cutAt[U key.Word](a, b []U, before int, codec *key.Map[U]) [2]int {
	lo, hi := max(0, before-len(b)), min(before, len(a))
	i := lo + sort.Search(hi-lo, func(i int) bool { return codec.Of(a[lo+i]) > codec.Of(b[before-1-lo-i]) })
	j := before - i
	var v U
	switch {
	case i < len(a) && j < len(b):
		v = min(codec.Of(a[i]), codec.Of(b[j]))
	case i < len(a):
		v = codec.Of(a[i])
	case j < len(b):
		v = codec.Of(b[j])
	default:
		return [2]int{len(a), len(b)}
	}
	return [2]int{
		sort.Search(len(a), func(i int) bool { return codec.Of(a[i]) >= v }),
		sort.Search(len(b), func(i int) bool { return codec.Of(b[i]) >= v }),
	}
}

// walk writes the result of a and b to dst, unless that is nil, and returns its length.
func walk[U key.Word](dst []U, p Op, a, b []U, codec *key.Map[U]) (n int) {
	m := *codec
	emit := func(u U) {
		if dst != nil {
			dst[n] = u
		}
		n++
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		u, w := a[i], b[j]
		x, y := m.Of(u), m.Of(w)
		if x <= y {
			for i++; i < len(a) && m.Of(a[i]) == x; i++ {
			}
		}
		if y <= x {
			for j++; j < len(b) && m.Of(b[j]) == y; j++ {
			}
		}
		switch {
		case x < y && p.OnlyA, x == y && p.Both:
			emit(u)
		case y < x && p.OnlyB:
			emit(w)
		}
	}
	rest, is := a[i:], p.OnlyA
	if j < len(b) {
		rest, is = b[j:], p.OnlyB
	}
	for i, u := range rest {
		if is && (i == 0 || m.Of(rest[i-1]) != m.Of(u)) {
			emit(u)
		}
	}
	return n
}
