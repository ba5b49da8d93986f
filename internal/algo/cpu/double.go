package cpu

import (
	"sort"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/key"
)

// Keys of 128 bits are sorted by their high halves, and where those are equal, by the
// low ones: as pairs of words, by the sorts of this package.

// KeysWide is Keys of 128 bits.
func KeysWide(x []key.Octets, c key.Codec, o Options) error {
	if err := o.err(); err != nil {
		return err
	}
	r := runOf(o, len(x))
	switch {
	case len(x) <= smallItems:
		insertWide(x, c)
		return nil
	case disorderWide(r, x, c) < 0:
		return r.end()
	case o.capped(len(x)):
		return inPlace(o, &widePairs[struct{}]{k: x, v: make([]struct{}, len(x)), c: c}, sort.Sort)
	}
	if err := sortPairs[rec](r, len(x), 0, doubles{x: x, c: c}); err != nil {
		return err
	}
	hi := func(i int) uint64 { return key.EncodeWide(c, &x[i]).Hi }
	return equalRuns(r, len(x), hi, func(r *run, lo, end int) {
		if end-lo <= smallItems {
			insertWide(x[lo:end], c)
			return
		}
		_ = sortPairs[rec](r, end-lo, 0, doubles{x: x[lo:end], c: c, low: true})
	})
}

// PairsWide is Pairs with keys of 128 bits.
func PairsWide[V Word32or64](k []key.Octets, v []V, c key.Codec, o Options) error {
	v = v[:len(k)]
	if err := o.err(); err != nil {
		return err
	}
	if disorderWide(runOf(o, len(k)), k, c) < 0 {
		return o.err()
	}
	if o.cappedWide(len(k)) {
		return inPlace(o, &widePairs[V]{k, v, c}, sort.Stable)
	}
	if uint64(len(k)) > 1<<32 {
		return pairsWide[V, uint64](k, v, c, o)
	}
	return pairsWide[V, uint32](k, v, c, o)
}

func pairsWide[V Word32or64, I wide](k []key.Octets, v []V, c key.Codec, o Options) error {
	idx := getScratch[I](len(k))
	defer idx.put()
	if err := ArgsortWide(k, idx.s, c, o); err != nil {
		return err
	}
	return values.Arrange(values.Host{Ctx: o.Ctx, Workers: o.Workers}, k, v, idx.s)
}

// ArgsortWide is Argsort of keys of 128 bits.
func ArgsortWide[I Word32or64](k []key.Octets, idx []I, c key.Codec, o Options) error {
	idx = idx[:len(k)]
	return argsortWideAt(k, unsafe.Pointer(unsafe.SliceData(idx)), int(unsafe.Sizeof(I(0))), c, o)
}

// argsortWideAt is ArgsortWide to positions of so many bytes.
//
//go:noinline
func argsortWideAt(k []key.Octets, idx unsafe.Pointer, bytes int, c key.Codec, o Options) error {
	if bytes == 4 {
		return argsortWide(k, unsafe.Slice((*uint32)(idx), len(k)), c, o)
	}
	return argsortWide(k, unsafe.Slice((*uint64)(idx), len(k)), c, o)
}

func argsortWide[I wide](k []key.Octets, idx []I, c key.Codec, o Options) error {
	if err := o.err(); err != nil {
		return err
	}
	if len(k) <= smallItems {
		count(idx, 0, 1)
		insertByKey(k, idx, c)
		return nil
	}
	r := runOf(o, len(k))
	sorted := disorderWide(r, k, c) < 0
	if sorted || o.cappedWide(len(k)) {
		r.inSteps(len(k), int(unsafe.Sizeof(idx[0])), func(lo, hi int) { count(idx[lo:hi], lo, 1) })
		if err := r.end(); err != nil || sorted {
			return err
		}
		return inPlace(o, &widePlaces[I]{k, idx, c}, sort.Sort)
	}
	if err := sortElems[rec](r, len(k), 0, highPlaces[I]{k, idx, c}); err != nil {
		return err
	}
	hi := func(i int) uint64 { return key.EncodeWide(c, &k[idx[i]]).Hi }
	return equalRuns(r, len(k), hi, func(r *run, lo, end int) {
		part := idx[lo:end]
		if len(part) <= smallItems {
			insertByKey(k, part, c)
			return
		}
		_ = sortElems[rec](r, len(part), 0, lowPlaces[I]{k, part, c})
	})
}

// cappedWide is capped of a sort that takes a position an item, too.
func (o Options) cappedWide(n int) bool { return o.capped(n + n/8) }

// DisorderWide is FirstDisorder of keys of 128 bits.
func DisorderWide(x []key.Octets, c key.Codec) int { return disorderWide(still, x, c) }

// disorderWide is DisorderWide, -1 if the sort is cancelled.
func disorderWide(r *run, x []key.Octets, c key.Codec) int {
	if len(x) == 0 {
		return -1
	}
	last := key.EncodeWide(c, &x[0])
	for i := range x {
		w := key.EncodeWide(c, &x[i])
		if w.Less(last) {
			return i
		}
		if last = w; i%tieSteps == 0 && r.cancelled() {
			break
		}
	}
	return -1
}

func insertWide(x []key.Octets, c key.Codec) {
	for i := 1; i < len(x); i++ {
		b := x[i]
		w := key.EncodeWide(c, &b)
		j := i
		for ; j > 0 && w.Less(key.EncodeWide(c, &x[j-1])); j-- {
			x[j] = x[j-1]
		}
		x[j] = b
	}
}

// insertByKey sorts few positions by their keys, stably.
func insertByKey[I wide](k []key.Octets, idx []I, c key.Codec) {
	for i := 1; i < len(idx); i++ {
		at := idx[i]
		w := key.EncodeWide(c, &k[at])
		j := i
		for ; j > 0 && w.Less(key.EncodeWide(c, &k[idx[j-1]])); j-- {
			idx[j] = idx[j-1]
		}
		idx[j] = at
	}
}

// longRun is the least length of a run of equal high halves that all workers sort
// together.
const longRun = 1 << 16

// equalRuns calls sort for each run of two or more equal words of [0, n): for the long
// ones one after the other with r, for the others by one worker each. word is not called
// where sort works.
func equalRuns(r *run, n int, word func(i int) uint64, sort func(r *run, lo, hi int)) error {
	parts := max(1, min(4*r.workers, n/(8*blockItems)))
	starts := make([]int, parts+1) // of the first run that begins in each part
	starts[parts] = n
	r.each(parts, func(_, p int) {
		i, hi := chunk(n, parts, p)
		for p > 0 && i < hi && word(i) == word(i-1) {
			if i++; i%tieSteps == 0 && r.cancelled() {
				return
			}
		}
		if starts[p] = i; i == hi {
			starts[p] = -1 // none does
		}
	})
	if r.cancelled() {
		return r.end()
	}
	for p := parts - 1; p >= 0; p-- {
		if starts[p] < 0 {
			starts[p] = starts[p+1]
		}
	}
	alone := &run{workers: 1, ctx: r.ctx, look: r.look}
	long := make([][]span, parts)
	r.each(parts, func(_, p int) {
		lo, end := starts[p], starts[p+1]
		if lo >= end {
			return
		}
		last := word(lo)
		for i := lo + 1; i <= end; i++ {
			if i%tieSteps == 0 && r.cancelled() {
				return
			}
			if i < end {
				w := word(i)
				if w == last {
					continue
				}
				last = w
			}
			switch m := i - lo; {
			case m > longRun:
				long[p] = append(long[p], span{lo, i})
			case m > 1:
				sort(alone, lo, i)
			}
			lo = i
		}
	})
	for _, spans := range long {
		for _, s := range spans {
			if !r.cancelled() {
				sort(r, s.lo, s.hi)
			}
		}
	}
	return r.end()
}
