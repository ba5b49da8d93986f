package dispatch

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/hostcopy"
)

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

// blockBytes is the unit of parallel host copies: small enough that goroutines
// end together, large beside the cost of taking one.
const blockBytes = 256 << 10

// memcpyParallel is memcpy by w goroutines.
func memcpyParallel(w int, dst, src unsafe.Pointer, n uint64) {
	blocks := int((n + blockBytes - 1) / blockBytes)
	parallel(w, blocks, func(i int) {
		off := uint64(i) * blockBytes
		hostcopy.Copy(unsafe.Add(dst, off), unsafe.Add(src, off), min(blockBytes, n-off))
	})
}
