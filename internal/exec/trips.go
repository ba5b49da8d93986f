package exec

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/mem"
	"github.com/gpusort/gpusort/internal/sys/workers"
)

// trips is a job whose pieces devices sort, each the next one that is left, two at a time.
type trips struct {
	list   []*Session
	whole  op.Job
	bounds []uint64
	runs   *mem.Block // of sorted, which goes back to the pool
	sorted op.Job     // host memory for the sorted pieces
}

func (x *Executor) newTrips(list []*Session, j op.Job, n int) (*trips, error) {
	runs, err := x.pool.Get(j.Items*uint64(j.Type.Bytes()+j.ValueBytes) + 8)
	if err != nil {
		return nil, err
	}
	t := &trips{list: list, whole: op.Job{Spec: paired(j.Spec), At: j.At}, bounds: Even(j.Items, n), runs: runs}
	t.sorted.Spec = t.whole.Spec
	t.sorted.At[op.KeysIO] = runs.Pointer()
	t.sorted.At[op.ValuesIO] = unsafe.Add(runs.Pointer(), aligned(t.whole.KeyBytes()))
	if j.Mode == plan.Argsort {
		fillIndex(x.HostWorkers(), j, 0)
	}
	return t, nil
}

// sortEach sorts each piece into its place of sorted.
func (t *trips) sortEach(ctx context.Context, choose func(*Session) (algo.Algorithm, error), r *Result) error {
	r.DeviceTime = 0 // of what failed before
	return t.run(ctx, choose, r, func(i int) ([]op.Job, op.Job) {
		from, to := t.bounds[i], t.bounds[i+1]
		return []op.Job{slice(t.whole, from, to)}, slice(t.sorted, from, to)
	})
}

// run has the devices sort as many pieces, as piece tells. What the busiest of them takes is
// added to r.
func (t *trips) run(ctx context.Context, choose func(*Session) (algo.Algorithm, error), r *Result, piece func(i int) (in []op.Job, out op.Job)) error {
	var next workers.Counter
	var failed atomic.Bool
	lanes := len(t.list) * pieceLanes
	errs, took := make([]error, lanes), make([]atomic.Int64, len(t.list))
	workers.Each(lanes, lanes, func(k int) {
		m := t.list[k%len(t.list)]
		a, err := choose(m)
		if err == nil {
			err = m.pieceLane(ctx, a, func() (in []op.Job, out op.Job, ok bool) {
				i := next.Take()
				if ok = i+1 < len(t.bounds) && !failed.Load(); ok {
					in, out = piece(i)
				}
				return in, out, ok
			}, func(d time.Duration) { took[k%len(t.list)].Add(int64(d)) })
		}
		if errs[k] = err; err != nil {
			failed.Store(true)
		}
	})
	if err := cmp.Or(errs...); err != nil {
		return err
	}
	most := time.Duration(0)
	for i := range took {
		most = max(most, time.Duration(took[i].Load()))
	}
	r.DeviceTime += most
	return nil
}
