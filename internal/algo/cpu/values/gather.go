package values

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Host is how values are moved.
type Host struct {
	Ctx     context.Context // nil: never cancelled
	Workers int             // 0: one per processor
	Limit   uint64          // bytes that copies may take; 0: as much as the runtime's limit leaves
}

// Items is the number of items between two looks at the context.
const Items = 1 << 13

// Sort is a sort of keys with their places as values, which are unsigned words of 4
// or 8 bytes. It leaves both permuted alike, also after an error.
type Sort func(keys, places unsafe.Pointer, placeBytes int) error

// WholeBytes is the most that is copied back at once where a context may end: in some 20
// to 40 ms of one worker's time. It is a variable so that tests need no more.
var WholeBytes uint64 = 96 << 20

// Whole reports whether so many bytes are copied back at once. More are, if the context may
// end, put in their places one by one, by Arrange.
func (h Host) Whole(bytes uint64) bool {
	return bytes <= WholeBytes || h.Ctx == nil || h.Ctx.Done() == nil
}

// ByIndex sorts the keys k and the values v, which are as many and cannot travel
// along: a copy of the keys with their places as values, by sort, after which values
// are copied from those places. Until both copies are whole, k and v are only read,
// so that an error, of sort or of h.Ctx, leaves the input. Where they are long, or memory
// is limited to less, they are moved in place; an error then may leave pairs permuted, each
// together.
func ByIndex[K, V any](h Host, k []K, v []V, sort Sort) error {
	if uint64(len(k)) <= 1<<32 {
		return byIndex[uint32](h, k, v, sort)
	}
	return byIndex[uint64](h, k, v, sort)
}

func byIndex[I uint32 | uint64, K, V any](h Host, k []K, v []V, sort Sort) error {
	if len(k) == 0 {
		return nil
	}
	idx := make([]I, len(v))
	h.each(len(idx), false, func(lo, hi int) {
		for n := lo; n < hi; n++ {
			idx[n] = I(n)
		}
	})
	run := func(k []K) error {
		return sort(unsafe.Pointer(unsafe.SliceData(k)), unsafe.Pointer(unsafe.SliceData(idx)), int(unsafe.Sizeof(idx[0])))
	}
	bytes := uint64(len(k)) * uint64(unsafe.Sizeof(k[0])+unsafe.Sizeof(v[0]))
	if !h.MayTake(bytes) {
		err := run(k)
		// A sort that failed has left the places as they were; one that was cancelled
		// on the CPU in another order, each still with its key: the values must follow.
		Permute(v, idx)
		return err
	}
	// Not by one copy, in which the garbage collector could not stop it.
	keys := make([]K, len(k))
	h.each(len(k), true, func(lo, hi int) { copy(keys[lo:hi], k[lo:hi]) })
	if err := h.err(); err != nil {
		return err
	}
	if err := run(keys); err != nil {
		return err
	}
	if !h.Whole(bytes) {
		return Arrange(h, k, v, idx)
	}
	values := make([]V, len(v))
	h.each(len(v), true, func(lo, hi int) {
		out := values[lo:hi]
		for i, from := range idx[lo:hi] {
			out[i] = v[from]
		}
	})
	if err := h.err(); err != nil {
		return err
	}
	h.each(len(v), false, func(lo, hi int) {
		copy(k[lo:hi], keys[lo:hi])
		copy(v[lo:hi], values[lo:hi])
	})
	return nil
}

func (h Host) err() error {
	if h.Ctx == nil {
		return nil
	}
	return h.Ctx.Err()
}

// each calls f for parts of [0, n), by all workers, until the context ends if that is
// looked at.
func (h Host) each(n int, look bool, f func(lo, hi int)) {
	var next atomic.Int64
	together(h.workers((n+Items-1)/Items), func(int) {
		for {
			hi := int(next.Add(Items))
			lo := hi - Items
			if lo >= n || look && h.err() != nil {
				return
			}
			f(lo, min(n, hi))
		}
	})
}

// workers is how many goroutines share so many parts, one at least.
func (h Host) workers(parts int) int {
	n := h.Workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	return max(1, min(n, parts))
}

// together calls work for each of so many workers, the first by the caller.
func together(workers int, work func(w int)) {
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { work(w) })
	}
	work(0)
	wg.Wait()
}

// MayTake reports whether so many bytes are within the limit and
// that of the Go runtime.
func (h Host) MayTake(bytes uint64) bool {
	if h.Limit != 0 && bytes > h.Limit {
		return false
	}
	most := debug.SetMemoryLimit(-1)
	if most == math.MaxInt64 {
		return true
	}
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	used := s[0].Value.Uint64() - s[1].Value.Uint64()
	return used+bytes <= uint64(most)
}
