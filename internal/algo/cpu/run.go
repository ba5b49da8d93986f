package cpu

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// run is one call of a sort: its workers and whether it was cancelled.
type run struct {
	workers int
	ctx     context.Context
	stop    atomic.Bool
	unwatch func() bool
}

// newRun starts a call; its end method must be called.
func newRun(o Options) *run {
	r := &run{workers: o.Workers, ctx: o.Ctx}
	if r.workers <= 0 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	if o.Ctx != nil && o.Ctx.Done() != nil {
		r.unwatch = context.AfterFunc(o.Ctx, func() { r.stop.Store(true) })
	}
	return r
}

// cancelled is cheap; workers ask it at least every few milliseconds of work.
func (r *run) cancelled() bool { return r.stop.Load() }

// end stops watching the context and returns its error if the call saw it.
func (r *run) end() error {
	if r.unwatch != nil {
		r.unwatch()
	}
	if r.stop.Load() {
		return r.ctx.Err()
	}
	return nil
}

// each calls f(worker, i) for every i in [0, n), on at most r.workers
// goroutines, and returns when all calls have. Items go to whoever is free.
func (r *run) each(n int, f func(worker, i int)) { r.eachOf(r.workers, n, f) }

// eachOf is each on at most so many goroutines.
func (r *run) eachOf(workers, n int, f func(worker, i int)) {
	w := min(workers, n)
	if w <= 1 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	work := func(worker int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(worker, i)
		}
	}
	var wg sync.WaitGroup
	for k := 1; k < w; k++ {
		wg.Go(func() { work(k) })
	}
	work(0)
	wg.Wait()
}

// chunk returns the i-th of parts nearly equal ranges of [0, n).
func chunk(n, parts, i int) (lo, hi int) {
	return int(uint64(n)/uint64(parts)*uint64(i)) + min(i, n%parts),
		int(uint64(n)/uint64(parts)*uint64(i+1)) + min(i+1, n%parts)
}
