package rows

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
)

// each calls f, which may be the caller's code, for parts of step items of [0, n), on all
// workers. Between two of them it looks at the context if look is set. A panic in f
// reaches the caller of each when all workers have ended; so does runtime.Goexit.
func each(h cpu.Options, n, step int, look bool, f func(lo, hi int)) error {
	workers := h.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, (n+step-1)/step)
	var done <-chan struct{}
	if look && h.Ctx != nil {
		done = h.Ctx.Done()
	}
	ended := func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
	if workers <= 1 {
		for lo := 0; lo < n; lo += step {
			if ended() {
				return h.Ctx.Err()
			}
			f(lo, min(n, lo+step))
		}
		return nil
	}
	var s shared
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() { s.work(n, step, ended, f) })
	}
	wg.Wait()
	s.early.Repeat()
	if s.cancelled.Load() {
		return h.Ctx.Err()
	}
	return nil
}

// shared is what the workers of each share.
type shared struct {
	next      atomic.Int64
	cancelled atomic.Bool
	early     team.Early
}

func (s *shared) work(n, step int, ended func() bool, f func(lo, hi int)) {
	s.early.Do(func() {
		for !s.early.Ended() {
			hi := int(s.next.Add(int64(step)))
			lo := hi - step
			if lo >= n {
				break
			}
			if ended() {
				s.cancelled.Store(true)
				break
			}
			f(lo, min(n, hi))
		}
	}, nil)
}
