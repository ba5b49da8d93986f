package exec

import (
	"slices"
	"sort"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/workers"
)

// mergeUnit is the number of items that one goroutine merges at a time: enough
// that finding the cut, some 64 · log n comparisons per run, is lost in it.
const mergeUnit = 1 << 17

// merge merges the sorted runs [bounds[i], bounds[i+1]) of from into to,
// stable: equal keys come in order of their run. Under Argsort only the values
// are written.
func merge(w int, to, from op.Job, bounds []uint64) {
	key.ByWidth(to.Type.Bytes(), mergeKeys[uint8], mergeKeys[uint16], mergeKeys[uint32], mergeKeys[uint64])(w, to, from, bounds)
}

func mergeKeys[U key.Word](w int, to, from op.Job, bounds []uint64) {
	switch to.ValueBytes {
	case 0:
		mergeRuns[U, struct{}](w, to, from, bounds)
	case 4:
		mergeRuns[U, uint32](w, to, from, bounds)
	default:
		mergeRuns[U, uint64](w, to, from, bounds)
	}
}

func mergeRuns[U key.Word, V any](w int, to, from op.Job, bounds []uint64) {
	c, n := to.Codec(), from.Items
	m := merger[U, V]{
		c:  c,
		in: unsafe.Slice((*U)(from.At[op.KeysIO]), n), inV: unsafe.Slice((*V)(from.At[op.ValuesIO]), n),
		bounds: bounds,
	}
	if to.Mode != plan.Argsort {
		m.out = unsafe.Slice((*U)(to.At[op.KeysIO]), n)
	}
	if to.ValueBytes != 0 {
		m.outV = unsafe.Slice((*V)(to.At[op.ValuesIO]), n)
	}
	workers.Each(w, int((n+mergeUnit-1)/mergeUnit), func(i int) {
		lo := uint64(i) * mergeUnit
		m.part(lo, min(lo+mergeUnit, n))
	})
}

// cuts returns for each of bounds where merge's runs are cut so that as many items lie before.
func cuts(w int, from op.Job, bounds []uint64) [][]uint64 {
	return key.ByWidth(from.Type.Bytes(), cutKeys[uint8], cutKeys[uint16], cutKeys[uint32], cutKeys[uint64])(w, from, bounds)
}

func cutKeys[U key.Word](w int, from op.Job, bounds []uint64) [][]uint64 {
	m := merger[U, struct{}]{c: from.Codec(), in: unsafe.Slice((*U)(from.At[op.KeysIO]), from.Items), bounds: bounds}
	out := make([][]uint64, len(bounds))
	workers.Each(w, len(bounds), func(i int) { out[i] = m.cut(bounds[i]) })
	return out
}

// merger merges runs of in, whose values are inV, to out and outV; either
// output may be nil.
type merger[U key.Word, V any] struct {
	c      key.Codec
	in     []U
	inV    []V
	out    []U
	outV   []V
	bounds []uint64
}

// cut returns for each run how many of its items are among the first rank of
// the merged sequence. It finds the key at that rank by bisection over the
// encoded keys; items equal to it are taken from the runs in order.
func (m *merger[U, V]) cut(rank uint64) []uint64 {
	runs := len(m.bounds) - 1
	pos := make([]uint64, runs)
	// below counts the items of all runs whose image is less than x.
	below := func(x U) (n uint64) {
		for r := range runs {
			run := m.in[m.bounds[r]:m.bounds[r+1]]
			pos[r] = uint64(sort.Search(len(run), func(i int) bool { return key.Encode(m.c, run[i]) >= x }))
			n += pos[r]
		}
		return n
	}
	// The largest x with at most rank items below it.
	var x U
	for bit := ^(^U(0) >> 1); bit != 0; bit >>= 1 {
		if below(x|bit) <= rank {
			x |= bit
		}
	}
	left := rank - below(x)
	for r := range runs {
		run := m.in[m.bounds[r]+pos[r] : m.bounds[r+1]]
		equal := uint64(sort.Search(len(run), func(i int) bool { return key.Encode(m.c, run[i]) > x }))
		take := min(equal, left)
		pos[r] += take
		left -= take
	}
	return pos
}

// head is the next item of a run, encoded.
type head[U key.Word] struct {
	at, end uint64 // in merger.in
	image   U
}

// part writes the output positions [lo, hi).
func (m *merger[U, V]) part(lo, hi uint64) {
	from, to := m.cut(lo), m.cut(hi)
	// heads is sorted by image, then by run; runs at their end are left out.
	heads := make([]head[U], 0, len(from))
	for r := range from {
		h := head[U]{at: m.bounds[r] + from[r], end: m.bounds[r] + to[r]}
		if h.at < h.end {
			h.image = key.Encode(m.c, m.in[h.at])
			heads = append(heads, h)
		}
	}
	slices.SortStableFunc(heads, func(a, b head[U]) int {
		switch {
		case a.image < b.image:
			return -1
		case a.image > b.image:
			return 1
		}
		return 0
	})
	for o := lo; o < hi; o++ {
		h := &heads[0]
		if m.out != nil {
			m.out[o] = m.in[h.at]
		}
		if m.outV != nil {
			m.outV[o] = m.inV[h.at]
		}
		h.at++
		if h.at == h.end {
			heads = heads[1:]
			continue
		}
		h.image = key.Encode(m.c, m.in[h.at])
		// Sift the run behind every smaller image, and behind equal ones of
		// earlier runs; runs lie in memory in their order, so at compares them.
		for i := 1; i < len(heads) && (heads[i].image < heads[i-1].image ||
			heads[i].image == heads[i-1].image && heads[i].at < heads[i-1].at); i++ {
			heads[i], heads[i-1] = heads[i-1], heads[i]
		}
	}
}
