package exec

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/mem"
	"github.com/gpusort/gpusort/internal/sys/workers"
)

// trips is a job whose pieces devices sort, each the next one that is left, three at a time.
type trips struct {
	x      *Executor
	list   []*Session
	links  []turns // of each
	choose func(*Session) (algo.Algorithm, error)
	whole  op.Job
	bounds []uint64
	runs   *mem.Block // of sorted, which goes back to the pool
	sorted op.Job     // host memory for the sorted pieces
}

// turns has a device's lanes take turns at its link: while one piece comes, another goes. Lanes that
// begin together would else come together, and go together, and leave one way of the link idle.
type turns struct{ up, down sync.Mutex }

// take does f when it is its turn.
func take(m *sync.Mutex, f func() error) error {
	m.Lock()
	defer m.Unlock()
	return f()
}

// sortPieces sorts host memory that the devices of a list do not hold together, in twice as many
// trips as there are pieces. First each piece is sorted by some device, into host memory of
// its own. Then the output is cut into ranges as long as pieces, and some device fetches
// what each sorted piece has of a range, sorts that, and brings it home. Both ways of each
// link are busy at once, since a device has pieces on three lanes.
//
// The second half overwrites the caller's memory. If it fails, or ends with ctx, the host
// merges the pieces, so that the sort succeeds all the same. It does so at once where the devices
// work in the host's own memory, so that a second trip gains nothing.
func (x *Executor) sortPieces(ctx context.Context, list []*Session, choose func(*Session) (algo.Algorithm, error), j op.Job, n int, r *Result) error {
	t, err := x.newTrips(list, choose, j, n)
	if err != nil {
		return err
	}
	defer x.pool.Put(t.runs)
	if err := t.sortEach(ctx, r); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(m *Session) bool { return m.caps.OfHost() }) {
		err := t.sortRanges(ctx, j, r)
		if err == nil {
			return nil
		}
		x.Log.Warn("devices failed, the host merges", "devices", x.Group(list).ID(), "error", err)
	}
	// From here on nothing can fail: only host memory is touched.
	merge(x.HostWorkers(), j, t.sorted, t.bounds)
	return nil
}

func (x *Executor) newTrips(list []*Session, choose func(*Session) (algo.Algorithm, error), j op.Job, n int) (*trips, error) {
	runs, err := x.pool.Get(j.Items*uint64(j.Type.Bytes()+j.ValueBytes) + 8)
	if err != nil {
		return nil, err
	}
	t := &trips{x: x, list: list, links: make([]turns, len(list)), choose: choose, whole: op.Job{Spec: paired(j.Spec), At: j.At}, bounds: Even(j.Items, n), runs: runs}
	t.sorted.Spec = t.whole.Spec
	t.sorted.At[op.KeysIO] = runs.Pointer()
	t.sorted.At[op.ValuesIO] = unsafe.Add(runs.Pointer(), aligned(t.whole.KeyBytes()))
	if j.Mode == plan.Argsort {
		fillIndex(x.HostWorkers(), j, 0)
	}
	return t, nil
}

// sortEach sorts each piece into its place of sorted.
func (t *trips) sortEach(ctx context.Context, r *Result) error {
	r.DeviceTime = 0 // of what failed before
	return t.run(ctx, r, func(i int) ([]op.Job, op.Job) {
		from, to := t.bounds[i], t.bounds[i+1]
		return []op.Job{slice(t.whole, from, to)}, slice(t.sorted, from, to)
	})
}

// sortRanges sorts what all pieces have of each range of the output into its place of j.
func (t *trips) sortRanges(ctx context.Context, j op.Job, r *Result) error {
	at := cuts(t.x.HostWorkers(), t.sorted, t.bounds)
	return t.run(ctx, r, func(i int) (in []op.Job, out op.Job) {
		for k := range len(t.bounds) - 1 {
			if from, to := at[i][k], at[i+1][k]; from < to {
				in = append(in, slice(t.sorted, t.bounds[k]+from, t.bounds[k]+to))
			}
		}
		return in, slice(j, t.bounds[i], t.bounds[i+1])
	})
}

// run has the devices sort as many pieces, as piece tells. What the busiest of them takes is
// added to r.
func (t *trips) run(ctx context.Context, r *Result, piece func(i int) (in []op.Job, out op.Job)) error {
	var next workers.Counter
	var failed atomic.Bool
	lanes := len(t.list) * pieceLanes
	errs, took := make([]error, lanes), make([]atomic.Int64, len(t.list))
	workers.Each(lanes, lanes, func(k int) {
		d := k % len(t.list)
		m := t.list[d]
		a, err := t.choose(m)
		if err == nil {
			err = m.pieceLane(ctx, pieceWork{
				algorithm: a, link: &t.links[d], shared: len(t.list) > 1,
				take: func() (in []op.Job, out op.Job, ok bool) {
					i := next.Take()
					if ok = i+1 < len(t.bounds) && !failed.Load(); ok {
						in, out = piece(i)
					}
					return in, out, ok
				},
				timed: func(sort time.Duration) { took[d].Add(int64(sort)) },
			})
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
