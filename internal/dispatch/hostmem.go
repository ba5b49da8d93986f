package dispatch

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/sys/hostcopy"
)

// workers is the number of goroutines for host work.
func (e *Engine) workers() int {
	if e.cfg.Workers > 0 {
		return e.cfg.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// hostShortage is the error of host memory that cannot be had.
func hostShortage(op, amount, why, remedy string) error {
	return &driver.Error{Op: op, Name: "OUT_OF_HOST_MEMORY", Device: "host", Class: driver.ErrOutOfMemory,
		Detail: fmt.Sprintf("%s of host memory are needed, %s: %s", amount, why, remedy)}
}

// hostWords is Go memory of at least so many bytes, zeroed. It returns
// ErrOutOfMemory for more than the host has or a Go slice can be.
func hostWords(op string, bytes uint64) (words []uint64, err error) {
	short := func(why string) error {
		return hostShortage(op, fmt.Sprintf("%d bytes", bytes), why, "ask for less")
	}
	if bytes >= askHostFrom {
		if total, ok := hostTotal(); ok && bytes > total {
			return nil, short(fmt.Sprintf("the host has %d", total))
		}
	}
	defer func() {
		if r := recover(); r != nil {
			err = short(fmt.Sprint(r))
		}
	}()
	return make([]uint64, (bytes+7)/8), nil
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
