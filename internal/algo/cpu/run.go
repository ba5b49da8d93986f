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
	look    func() bool // reports whether the sort is to end; nil: it never is
	stop    atomic.Bool // it has
	compact bool        // Options.Compact
}

// lookBytes is how much memory a worker goes through between two looks at the
// context: about a millisecond of work. Partitions alone take more, partitionBytes.
const lookBytes = 4 << 20

// newRun starts a call; its end method must be called. Workers look at the context
// themselves: with one on each processor, a goroutine that waits for it would not
// be run before the scheduler interrupts a worker, tens of milliseconds later.
func newRun(o Options) *run {
	r := &run{workers: o.Workers, ctx: o.Ctx, look: o.look, compact: o.Compact}
	if r.workers <= 0 {
		r.workers = runtime.GOMAXPROCS(0)
	}
	if o.Ctx != nil && r.look == nil {
		if done := o.Ctx.Done(); done != nil {
			r.look = func() bool {
				select {
				case <-done:
					return true
				default:
					return false
				}
			}
		}
	}
	return r
}

// still is a run of one worker that is never cancelled, for what is over soon.
var still = &run{workers: 1}

// runOf is newRun for n items: so few as one worker sorts at once need none.
func runOf(o Options, n int) *run {
	if n < 8*blockItems {
		return still
	}
	return newRun(o)
}

// cancelled is cheap: the channel of a context is looked at without its lock.
func (r *run) cancelled() bool {
	if r.look == nil {
		return false
	}
	if !r.stop.Load() {
		if !r.look() {
			return false
		}
		r.stop.Store(true)
	}
	return true
}

// finishers is how many goroutines do what so many were to do: if the sort is
// cancelled, one on each processor, since it must return at once.
func (r *run) finishers(workers int) int {
	if r.cancelled() {
		return max(workers, runtime.GOMAXPROCS(0))
	}
	return workers
}

// stopper is cancelled for the kernels, nil if nobody can cancel the sort.
func (r *run) stopper() func() bool {
	if r.look == nil {
		return nil
	}
	return r.cancelled
}

// end returns the context's error if the call saw that it was cancelled.
func (r *run) end() error {
	switch {
	case !r.stop.Load():
		return nil
	case r.ctx == nil:
		return context.Canceled
	}
	return r.ctx.Err()
}

// inSteps calls f for the parts of [0, n), in order, of so many items of a size in
// bytes that lookBytes lie between two looks at the context. It returns false if the
// sort was cancelled; the rest is then not done.
func (r *run) inSteps(n, size int, f func(lo, hi int)) bool {
	for lo, step := 0, lookBytes/size; lo < n; lo += step {
		if r.cancelled() {
			return false
		}
		f(lo, min(n, lo+step))
	}
	return true
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

// eachOrFinish calls do for every i in [0, n), on so many goroutines, but if the sort
// is cancelled, finish for those that are left, by finishers.
func (r *run) eachOrFinish(workers, n int, do, finish func(i int)) {
	left := make([]int32, n)
	var late atomic.Int64
	r.eachOf(workers, n, func(_, i int) {
		if r.cancelled() {
			left[late.Add(1)-1] = int32(i)
		} else {
			do(i)
		}
	})
	if m := int(late.Load()); m > 0 {
		r.eachOf(r.finishers(workers), m, func(_, i int) { finish(int(left[i])) })
	}
}

// chunk returns the i-th of parts nearly equal ranges of [0, n).
func chunk(n, parts, i int) (lo, hi int) {
	return int(uint64(n)/uint64(parts)*uint64(i)) + min(i, n%parts),
		int(uint64(n)/uint64(parts)*uint64(i+1)) + min(i+1, n%parts)
}
