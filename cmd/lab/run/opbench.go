package run

import (
	"context"
	"slices"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
)

// opBench runs an operation other than a sort, on the processor.
type opBench struct {
	g    group
	o    Options
	work ops.Work
}

// onlyOperations says whether the axes name operations and no sort.
func onlyOperations(set axes.Set) bool {
	a := set.Find("Op")
	return a != nil && !slices.Contains(a.Values, ops.Sort)
}

// onDevices says whether any of the places is a device.
func onDevices(places []string) bool {
	return slices.ContainsFunc(places, func(p string) bool { return p != "cpu" })
}

func newOpBench(g group, o Options) (bench, error) {
	w, err := ops.New(*g.op)
	return &opBench{g: g, o: o, work: w}, err
}

func (b *opBench) add(c result.Cell) (contender, error) {
	if c.Algo != ops.Ours && c.Algo != ops.Go {
		return nil, algo.Unsupported("%s is a sort: %s is done by cpu and go", c.Algo, c.Op)
	}
	return &opTurn{b, c.Algo}, nil
}

func (b *opBench) allocate() (*input, error) { return b.refresh(0) }

func (b *opBench) refresh(round int) (*input, error) {
	if err := b.work.Draw(b.g.source.round(round).seed); err != nil {
		return nil, algo.Unsupported("%v", err)
	}
	return &input{p: b.g.problem}, nil
}

func (b *opBench) clocks() *result.Clocks { return nil }

func (b *opBench) close() error { return nil }

// opTurn is one of the contenders of an operation.
type opTurn struct {
	b  *opBench
	by string
}

func (t *opTurn) describe(r *result.Record) {
	if r.Source = "catalog"; t.by == ops.Go {
		r.Source = "Go"
		if o, err := ops.Find(r.Op); err == nil {
			r.Policy = o.Peer
		}
	}
}

func (t *opTurn) ready(*input) error { return nil }

// sample does it once; the result is checked outside of the timed part.
func (t *opTurn) sample(ctx context.Context, _ bool) (times, error) {
	took, err := t.b.work.Run(ctx, t.by, t.b.o.Workers, t.b.o.now)
	return times{wall: int64(max(took, time.Nanosecond))}, err
}
