package grade

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/load"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

// A size with timed criteria is measured in rounds, each a new process of the
// submission and then one of each sort that it is compared with, so that
// whatever slows the machine meets both. Rounds end when the best time of each
// is confirmed: so many rounds agree on it that points would not change.
const (
	confirmed  = 3 // rounds that must agree
	mostRounds = 15
	// busyRounds are enough on a machine whose times are marked anyhow.
	busyRounds = 4
	// tolerance is the share of its points within which a criterion must repeat.
	tolerance = 0.05
)

// drawDists adds the hidden distributions and puts all in a random order.
func (g *grader) drawDists() {
	var pool []dist.Dist
	for _, d := range dist.Table() {
		known := slices.ContainsFunc(g.r.dists, func(x dist.Dist) bool { return x.Name == d.Name })
		// Not every sort orders NaN and −0 as docs/order.md does.
		special := d.Name == "specials" || strings.HasPrefix(d.Name, "entropy-")
		if !known && !(special && g.r.keyType.Row().Kind == key.Float) {
			pool = append(pool, d)
		}
	}
	g.seeds.Shuffle(len(pool), func(i, j int) { pool[i], pool[j] = pool[j], pool[i] })
	g.r.dists = append(slices.Clone(g.r.dists), pool[:min(g.r.Hidden, len(pool))]...)
	g.seeds.Shuffle(len(g.r.dists), func(i, j int) { g.r.dists[i], g.r.dists[j] = g.r.dists[j], g.r.dists[i] })
}

// measureAll measures the submission at every n, and what it is compared with.
// The error is that of ctx or of a reference.
func (g *grader) measureAll(ctx context.Context) error {
	if err := g.measureEmpty(ctx); err != nil {
		return err
	}
	left := time.Duration(g.r.TotalLimit)
	late := uint64(0)
	for _, n := range g.r.ns() {
		if late > 0 {
			g.rep.Cases = append(g.rep.Cases, Case{N: n, Reason: fmt.Sprintf("not run, because %d keys ran into the time limit", late)})
			continue
		}
		first := len(g.rep.Cases)
		if err := g.measureSize(ctx, n, &left); err != nil {
			return err
		}
		for _, c := range g.rep.Cases[first:] {
			if c.harness {
				return fmt.Errorf("grade %d keys on %s: %s", n, g.job.Device, c.Reason)
			}
			if c.Fatal != "" {
				g.rep.Refused = c.Fatal
				return nil
			}
			if c.late {
				late = n
			}
		}
	}
	return nil
}

// measureSize measures one n. left is what the submission's time limit leaves.
func (g *grader) measureSize(ctx context.Context, n uint64, left *time.Duration) error {
	j := g.job
	j.Spec.Items, j.TempLimit = n, g.r.tempLimit(n)
	var cases []Case
	at := len(g.rep.Cases)
	timed := g.timed(n)
	before, _ := load.Now() // without it none is seen later, either
	defer func() { g.busy[n] = busySince(before) }()
	for i := range mostRounds {
		g.o.Progress(fmt.Sprintf("n = %d, round %d", n, i+1))
		limited, cancel := context.WithTimeoutCause(ctx, *left, fmt.Errorf("total time limit of %v", time.Duration(g.r.TotalLimit)))
		start := time.Now()
		info, ok := g.round(limited, j, g.dists(n, i == 0), &cases)
		cancel()
		*left -= time.Since(start)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		g.rep.Cases = append(g.rep.Cases[:at], cases...)
		if g.trusted(j) {
			g.info[n] = info
			g.rep.Kernels = info.Kernels
		} else if info.Sorter != "" {
			g.rep.Sorter = info.Sorter
		}
		if !ok || !timed {
			return nil
		}
		if err := g.measureOthers(ctx, n); err != nil {
			return err
		}
		if i+1 >= confirmed && (g.noise(n) <= tolerance || i+1 >= busyRounds && busySince(before) > busyShare) {
			return nil
		}
	}
	return nil
}

// dists are all distributions or, in later rounds, those that count for time.
func (g *grader) dists(n uint64, all bool) []dist.Dist {
	if all {
		return g.r.dists
	}
	timed := map[string]bool{}
	for _, s := range g.r.Speeds {
		timed[s.Dist] = timed[s.Dist] || uint64(s.N) == n
	}
	for _, b := range g.r.Bars {
		timed["uniform"] = timed["uniform"] || uint64(b.N) == n && b.timed()
	}
	return slices.DeleteFunc(slices.Clone(g.r.dists), func(d dist.Dist) bool { return !timed[d.Name] })
}

// measureOthers measures a round of the reference sorts and copies that the
// criteria of n need.
func (g *grader) measureOthers(ctx context.Context, n uint64) error {
	done := map[string]bool{}
	other := func(kind, algo string, name string) error {
		id := otherID(kind, algo, n, name)
		if done[id] {
			return nil
		}
		done[id] = true
		g.o.Progress(fmt.Sprintf("%s, n = %d", kind, n))
		j := g.job
		j.Kind, j.Algo, j.TempLimit, j.Sorter = kind, algo, g.r.tempLimit(n)+1<<30, ""
		j.Spec.Items = n
		if kind == "copy" {
			j.Spec.Mode, j.Spec.ValueBytes, j.Spec.Order = 0, 0, key.Order{}
		}
		cases := g.others[id]
		_, ok := g.round(ctx, j, []dist.Dist{dist.Must(name)}, &cases)
		g.others[id] = cases
		if c := cases[len(cases)-1]; !ok && kind == "reference" {
			return fmt.Errorf("reference sort %s of %d keys: %s", algo, n, c.Reason)
		}
		return ctx.Err()
	}
	var errs []error
	for _, s := range g.r.Speeds {
		if s.IdealShare > 0 && uint64(s.N) == n {
			errs = append(errs, other("reference", s.Reference, s.Dist))
		}
	}
	for _, b := range g.r.Bars {
		if b.Metric == CopyShare && uint64(b.N) == n {
			errs = append(errs, other("copy", "", copyDist))
		}
	}
	return errors.Join(errs...)
}

// copyDist is a sorted input, so that a copy of it passes as a sort.
const copyDist = "sorted"

func otherID(kind, algo string, n uint64, dist string) string {
	return fmt.Sprint(kind, "/", algo, "/", n, "/", dist)
}

// passed reports whether every run of n was right.
func (g *grader) passed(n uint64) bool {
	any := false
	for _, c := range g.rep.Cases {
		if c.N == n {
			any = true
			if !c.Passed {
				return false
			}
		}
	}
	return any
}
