// Package team spreads the work of one host sort over goroutines.
package team

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Options are the conditions of one sort. The zero value uses every processor
// and cannot be cancelled.
type Options struct {
	Workers int             // goroutines at a time; 0 means GOMAXPROCS
	Ctx     context.Context // nil: never cancelled
	// Guard, if not nil, is what each goroutine that Each begins does its work in.
	Guard func(work func())
}

// Err is the context's error.
func (o Options) Err() error {
	if o.Ctx == nil {
		return nil
	}
	return o.Ctx.Err()
}

// Size is the number of goroutines that may work at a time.
func (o Options) Size() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Parts is into how many ranges of at least least items n items are divided:
// one a worker, fewer if they are few.
func (o Options) Parts(n, least int) int { return max(1, min(o.Size(), n/least)) }

// Each calls f(i) for every i in [0, n), on at most Size goroutines, and returns
// when all calls have. Calls go to whoever is free, in order of i.
func (o Options) Each(n int, f func(i int)) {
	workers := min(o.Size(), n)
	var next atomic.Int64
	work := func() {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(i)
		}
	}
	begun := work
	if o.Guard != nil {
		begun = func() { o.Guard(work) }
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(begun)
	}
	defer wg.Wait() // after a panic, too
	work()
}

// Chunk returns the i-th of parts nearly equal ranges of [0, n).
func Chunk(n, parts, i int) (lo, hi int) {
	return n/parts*i + min(i, n%parts), n/parts*(i+1) + min(i+1, n%parts)
}
