package exec

import (
	"context"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/workers"
)

// sortPieces sorts host memory that the members do not hold together, in twice as many
// trips as there are pieces. First each piece is sorted by some member, into host memory of
// its own. Then the output is cut into ranges as long as pieces, and some member fetches
// what each sorted piece has of a range, sorts that, and brings it home. Both ways of each
// link are busy at once, since a member has pieces on two lanes.
//
// The second half overwrites the caller's memory. If it fails, or ends with ctx, the host
// merges the pieces, so that the sort succeeds all the same.
func (g *Group) sortPieces(ctx context.Context, j op.Job, n int, r *Result) error {
	runs, err := g.x.pool.Get(j.Items*uint64(j.Type.Bytes()+j.ValueBytes) + 8)
	if err != nil {
		return err
	}
	defer g.x.pool.Put(runs)
	whole := op.Job{Spec: paired(j.Spec), At: j.At}
	sorted := op.Job{Spec: whole.Spec}
	sorted.At[op.KeysIO] = runs.Pointer()
	sorted.At[op.ValuesIO] = unsafe.Add(runs.Pointer(), aligned(whole.KeyBytes()))
	if j.Mode == plan.Argsort {
		fillIndex(g.x.HostWorkers(), j)
	}
	a, err := g.list[0].choose(pieceProblem(j.Spec, n))
	if err != nil {
		return err
	}
	r.Algorithm = a.Name
	bounds := even(j.Items, n)
	err = g.trips(ctx, whole.Spec, n, r, func(i int) ([]op.Job, op.Job) {
		return []op.Job{slice(whole, bounds[i], bounds[i+1])}, slice(sorted, bounds[i], bounds[i+1])
	})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	at := cuts(sorted, bounds)
	err = g.trips(ctx, whole.Spec, n, r, func(i int) (in []op.Job, out op.Job) {
		for k := range n {
			if from, to := at[i][k], at[i+1][k]; from < to {
				in = append(in, slice(sorted, bounds[k]+from, bounds[k]+to))
			}
		}
		return in, slice(j, bounds[i], bounds[i+1])
	})
	if err != nil {
		g.x.Log.Warn("devices failed, the host merges", "devices", g.ID(), "error", err)
		merge(g.x.HostWorkers(), j, sorted, bounds)
	}
	return nil
}

// trips has the members sort n pieces, as piece tells, each the next one that is left, on
// two lanes.
func (g *Group) trips(ctx context.Context, p plan.Problem, n int, r *Result, piece func(i int) (in []op.Job, out op.Job)) error {
	var next workers.Counter
	var failed atomic.Bool
	lanes := len(g.list) * pieceLanes
	errs, took := make([]error, lanes), make([]atomic.Int64, len(g.list))
	p.Items = (p.Items + uint64(n) - 1) / uint64(n)
	workers.Each(lanes, lanes, func(k int) {
		m := g.list[k%len(g.list)]
		a, err := m.choose(p)
		if err == nil {
			err = m.pieceLane(ctx, a, func() (in []op.Job, out op.Job, ok bool) {
				i := next.Take()
				if ok = i < n && !failed.Load(); ok {
					in, out = piece(i)
				}
				return in, out, ok
			}, func(d time.Duration) { took[k%len(g.list)].Add(int64(d)) })
		}
		if errs[k] = err; err != nil {
			failed.Store(true)
		}
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	most := time.Duration(0)
	for i := range took {
		most = max(most, time.Duration(took[i].Load()))
	}
	r.DeviceTime += most
	return nil
}
