package exec

import (
	"context"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/op"
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
	t, err := g.x.newTrips(g.list, j, n)
	if err != nil {
		return err
	}
	defer g.x.pool.Put(t.runs)
	a, err := g.list[0].choose(pieceProblem(j.Spec, n))
	if err != nil {
		return err
	}
	r.Algorithm = a.Name
	choose := func(m *Session) (algo.Algorithm, error) { return m.choose(pieceProblem(j.Spec, n)) }
	if err := t.sortEach(ctx, choose, r); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	at := cuts(t.sorted, t.bounds)
	err = t.run(ctx, choose, r, func(i int) (in []op.Job, out op.Job) {
		for k := range n {
			if from, to := at[i][k], at[i+1][k]; from < to {
				in = append(in, slice(t.sorted, t.bounds[k]+from, t.bounds[k]+to))
			}
		}
		return in, slice(j, t.bounds[i], t.bounds[i+1])
	})
	if err != nil {
		g.x.Log.Warn("devices failed, the host merges", "devices", g.ID(), "error", err)
		merge(g.x.HostWorkers(), j, t.sorted, t.bounds)
	}
	return nil
}
