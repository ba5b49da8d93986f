package dispatch

import (
	"runtime"
	"sync"
	"unsafe"
)

// memcpy copies n bytes between memory that does not overlap.
func memcpy(dst, src unsafe.Pointer, n uint64) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}

// workers is the number of goroutines for host work.
func (e *Engine) workers() int {
	if e.cfg.Workers > 0 {
		return e.cfg.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// parallel calls f(i) for i in [0, n) on up to w goroutines and waits.
func parallel(w, n int, f func(i int)) {
	if w > n {
		w = n
	}
	if w <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var wg sync.WaitGroup
	var next counter
	for range w {
		wg.Go(func() {
			for i := next.take(); i < n; i = next.take() {
				f(i)
			}
		})
	}
	wg.Wait()
}

// blockBytes is the unit of parallel host copies: it fits a core's second-level
// cache, so that data copied twice is read from memory once.
const blockBytes = 256 << 10

// memcpyParallel is memcpy by w goroutines.
func memcpyParallel(w int, dst, src unsafe.Pointer, n uint64) {
	blocks := int((n + blockBytes - 1) / blockBytes)
	parallel(w, blocks, func(i int) {
		off := uint64(i) * blockBytes
		memcpy(unsafe.Add(dst, off), unsafe.Add(src, off), min(blockBytes, n-off))
	})
}
