package run

import (
	"math"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/plan"
)

// Estimate is what a cell may take, told without running anything.
type Estimate struct {
	Cell result.Cell
	// Refused says why the cell will not be measured; nil if it will, as far as
	// can be told without the device.
	Refused error
	// Memory is what the harness itself reserves on the device or the host for
	// input, working copy and results; the algorithm's scratch comes on top.
	Memory uint64
	// Longest bounds the sampling: the rule's timeout and one turn more. Making
	// the input is not in it.
	Longest time.Duration
}

// Estimate returns one entry per cell, in order.
func (j *Job) Estimate() []Estimate {
	var out []Estimate
	for _, g := range j.groups {
		p := g.problem
		bytes := 2*p.KeyBytes() + p.ValuesBytes()
		if p.Mode == plan.Pairs {
			bytes += p.ValuesBytes()
		}
		for _, c := range g.cells {
			e := Estimate{Cell: c, Refused: j.refusal(g, c), Memory: bytes}
			if e.Refused == nil {
				turn := turnOf(c, bytes)
				e.Longest = time.Duration(j.o.Rule.WarmUp+j.o.Rule.Max) * turn
				if t := j.o.Rule.Timeout; t > 0 {
					e.Longest = min(e.Longest, t+time.Duration(1+j.o.Rule.WarmUp)*turn)
				}
			}
			out = append(out, e)
		}
	}
	return out
}

// turnOf is a generous guess at one turn: every byte is touched some ten times,
// at 5 GB/s where a CUDA device and its link do it and at 1 GB/s elsewhere. An
// n·log n host sort does 10 M comparisons a second or more; a network does
// n·log²n/4, some 500 M of them a second.
func turnOf(c result.Cell, bytes uint64) time.Duration {
	turn := time.Duration(10*bytes) + time.Duration(100*c.Items)
	if c.Backend == "cuda" {
		turn = 200*time.Microsecond + time.Duration(2*bytes)
	}
	if c.Backend != "cuda" && strings.HasPrefix(c.Algo, "bitonic") && c.Items > 1 {
		l := math.Log2(float64(c.Items))
		turn = max(turn, time.Duration(float64(c.Items)*l*(l+1)/4*2))
	}
	return turn
}

// refusal says why a cell cannot be measured, as far as catalogue, planner and
// peers can tell without a run.
func (j *Job) refusal(g group, c result.Cell) error {
	b, err := j.unopened(g)
	switch {
	case err != nil:
		return err
	case b != nil:
		_, err = b.add(c)
		return err
	case g.op != nil:
		p, err := g.operation()
		if err == nil && c.Algo == Auto {
			_, err = g.engine.Choose(p)
		}
		return err
	}
	caps := g.engine.Device().Caps()
	if c.Algo == Auto {
		_, err := g.engine.Choose(g.problem)
		return err
	}
	for _, a := range j.o.algorithms() {
		if a.Name != c.Algo {
			continue
		}
		if err := a.CheckWith(g.problem, caps, paramsOf(c)); err != nil {
			return err
		}
		_, err := a.Plan(g.problem, caps, paramsOf(c))
		return err
	}
	for _, s := range j.o.sorters {
		if s.Name == c.Algo && s.Memory.String() == caps.Backend {
			return s.Supports(g.problem)
		}
	}
	return j.o.elsewhere(c.Algo, caps.Backend)
}

// Listed is one algorithm that cells can name.
type Listed struct{ Name, On, From, Doc string }

// List returns the catalogue's algorithms, those of operations behind them, and those of
// the peer libraries.
func List(peers []string) ([]Listed, error) {
	sorters, operators, err := loadPeers(peers, catalog.Algorithms())
	if err != nil {
		return nil, err
	}
	var out []Listed
	for _, a := range catalog.Algorithms() {
		out = append(out, Listed{a.Name, strings.Join(a.Backends, " "), "catalogue", a.Doc})
	}
	for _, h := range catalog.Hosts() {
		out = append(out, Listed{h.Name, "cpu", "catalogue", h.Doc})
	}
	for _, a := range catalog.Operations() {
		out = append(out, Listed{a.Name, strings.Join(a.Backends, " "), "operation", a.Doc})
	}
	for _, s := range sorters {
		out = append(out, Listed{s.Name, s.Memory.String(), sourceOf(s.Library) + ": " + s.Version, s.Doc})
	}
	for _, o := range operators {
		out = append(out, Listed{o.Name, "cuda", sourceOf(o.Library) + ": " + o.Version, o.Doc})
	}
	return out, nil
}
