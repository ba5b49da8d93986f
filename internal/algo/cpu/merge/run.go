package merge

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo/cpu/merging"
	"github.com/gpusort/gpusort/internal/key"
)

const (
	// leafItems are sorted by insertion.
	leafItems = 16
	// blockLevels doublings of a leaf make a block: 2^14 items, whose two copies
	// of 64-bit keys and values, 512 KB, about fit a core's cache. The number is
	// even, so that a block ends where it began.
	blockLevels = 10
	blockItems  = leafItems << blockLevels
	// sliceItems is the share of a pass that a worker takes at a time, well below
	// a millisecond of work: between two of them it looks whether to stop.
	sliceItems = 1 << 15
)

// job is one sort. The items lie in k and v; tmp are their second copies. v is
// empty for keys alone.
type job[U key.Word, V Value] struct {
	k, tmpK []U
	v, tmpV []V
	c       key.Codec
	workers int
	stop    atomic.Bool
}

// run sorts k with v, which has its length or is nil. When it is cancelled k and
// v hold a permutation: a block is finished once begun, and a pass leaves its
// source as it was. dropKeys: what becomes of k does not matter.
func run[U key.Word, V Value](k []U, v []V, c key.Codec, o Options, dropKeys bool) error {
	if err := o.err(); err != nil {
		return err
	}
	n := len(k)
	j := &job[U, V]{k: k, v: v, c: c, workers: o.Workers}
	if j.workers <= 0 {
		j.workers = runtime.GOMAXPROCS(0)
	}
	if o.Ctx != nil && o.Ctx.Done() != nil {
		defer context.AfterFunc(o.Ctx, func() { j.stop.Store(true) })()
	}
	if n > leafItems {
		j.tmpK = make([]U, n)
		if v != nil {
			j.tmpV = make([]V, n)
		}
	}
	blocks := (n + blockItems - 1) / blockItems
	encoded := make([]bool, blocks)
	swapped := false // the items lie in tmp
	j.each(blocks, func(i int) {
		j.block(i*blockItems, min(n, (i+1)*blockItems))
		encoded[i] = true
	})
	for length := blockItems; length < n && !j.stop.Load(); length *= 2 {
		j.each((n+sliceItems-1)/sliceItems, func(i int) { j.slice(length, i*sliceItems, min(n, (i+1)*sliceItems)) })
		if j.stop.Load() {
			break // the source is whole, the copy may not be
		}
		j.k, j.tmpK = j.tmpK, j.k
		j.v, j.tmpV = j.tmpV, j.v
		swapped = !swapped
	}
	stopped := j.stop.Load()
	// What is left is not cut short: the items come home, and encoded keys become keys.
	j.all(blocks, func(i int) {
		at, end := i*blockItems, min(n, (i+1)*blockItems)
		if swapped && v != nil {
			copy(v[at:end], j.v[at:end])
		}
		if dropKeys {
			return
		}
		if swapped {
			copy(k[at:end], j.k[at:end])
		}
		if encoded[i] {
			encodedKey(k[at:end], c, true)
		}
	})
	if stopped {
		return o.Ctx.Err()
	}
	return nil
}

// each is all, until the job is to stop.
func (j *job[U, V]) each(n int, f func(i int)) {
	j.all(n, func(i int) {
		if !j.stop.Load() {
			f(i)
		}
	})
}

// all calls f(i) for every i in [0, n), on at most as many goroutines as the job
// has workers, and returns when all calls have. Items go to whoever is free.
func (j *job[U, V]) all(n int, f func(i int)) {
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(i)
		}
	}
	var wg sync.WaitGroup
	for w := 1; w < min(j.workers, n); w++ {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// block encodes and sorts items [lo, hi), at most blockItems.
func (j *job[U, V]) block(lo, hi int) {
	n := hi - lo
	k := j.k[lo:hi]
	var v, tmpV []V
	var tmpK []U
	encodedKey(k, j.c, false)
	if j.v != nil {
		v = j.v[lo:hi]
	}
	for at := 0; at < n; at += leafItems {
		end := min(n, at+leafItems)
		if v == nil {
			insertion(k[at:end])
		} else {
			insertionPairs(k[at:end], v[at:end])
		}
	}
	if n <= leafItems {
		return
	}
	tmpK = j.tmpK[lo:hi]
	if v != nil {
		tmpV = j.tmpV[lo:hi]
	}
	for level := range blockLevels {
		length := leafItems << level
		if level%2 == 0 && length >= n {
			break // sorted, and where it began
		}
		for at := 0; at < n; at += 2 * length {
			mid, end := min(n, at+length), min(n, at+2*length)
			if v == nil {
				merging.Two(tmpK[at:end], k[at:mid], k[mid:end])
			} else {
				mergePairs(tmpK[at:end], k[at:mid], k[mid:end], tmpV[at:end], v[at:mid], v[mid:end])
			}
		}
		k, tmpK = tmpK, k
		v, tmpV = tmpV, v
	}
}

// slice writes outputs [lo, hi) of the pass that merges runs of the given
// length. A slice never crosses a pair of runs, because it divides the length of
// one.
func (j *job[U, V]) slice(length, lo, hi int) {
	n := len(j.k)
	first := lo / (2 * length) * (2 * length)
	mid, end := min(n, first+length), min(n, first+2*length)
	a, b := j.k[first:mid], j.k[mid:end]
	a0, a1 := merging.Path(a, b, lo-first), merging.Path(a, b, hi-first)
	b0, b1 := lo-first-a0, hi-first-a1
	if j.v == nil {
		merging.Two(j.tmpK[lo:hi], a[a0:a1], b[b0:b1])
		return
	}
	mergePairs(j.tmpK[lo:hi], a[a0:a1], b[b0:b1], j.tmpV[lo:hi], j.v[first:mid][a0:a1], j.v[mid:end][b0:b1])
}
