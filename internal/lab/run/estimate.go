package run

import (
	"strings"
	"time"

	"github.com/gpusort/gpusort/internal/catalog"
	"github.com/gpusort/gpusort/internal/lab/result"
	"github.com/gpusort/gpusort/internal/plan"
)

// Estimate is what a cell may take, told without running anything.
type Estimate struct {
	Cell result.Cell
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
			// A turn touches every byte some ten times, at 1 GB/s at the slowest;
			// an n·log n host sort does 10 M comparisons or moves a second or more.
			turn := time.Duration(10*bytes) + time.Duration(100*p.Items)
			longest := time.Duration(j.o.Rule.WarmUp+j.o.Rule.Max) * turn
			if t := j.o.Rule.Timeout; t > 0 {
				longest = min(longest, t+time.Duration(1+j.o.Rule.WarmUp)*turn)
			}
			out = append(out, Estimate{c, bytes, longest})
		}
	}
	return out
}

// Listed is one algorithm that cells can name.
type Listed struct{ Name, On, From, Doc string }

// List returns the catalogue's algorithms and those of the peer libraries.
func List(peers []string) ([]Listed, error) {
	sorters, err := loadPeers(peers, catalog.Algorithms())
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
	for _, s := range sorters {
		out = append(out, Listed{s.Name, s.Memory.String(), sourceOf(s) + ": " + s.Version, s.Doc})
	}
	return out, nil
}
