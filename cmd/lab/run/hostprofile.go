package run

import (
	"context"
	"errors"

	"github.com/gpusort/gpusort/cmd/lab/perfstat"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// profileHost counts what the processor does in the sorts alone: restoring the
// input and checking the output are left out.
func (j *Job) profileHost(ctx context.Context, g group, c result.Cell, runs int, counters bool) (p Profile, err error) {
	b := &hostBench{p: g.problem, src: g.source, o: j.o}
	con, err := b.add(c)
	if err != nil {
		return p, err
	}
	s := con.(*hostSort)
	in, err := b.allocate()
	if err != nil {
		return p, err
	}
	if err := s.ready(in); err != nil {
		return p, err
	}
	if _, err := s.once(ctx, nil, in); err != nil { // starts threads, warms caches
		return p, err
	}
	p = Profile{Cell: c, Case: c.ID(), Status: string(result.OK), Env: j.env}
	var perf *perfstat.Session
	p.NoCounters = "not asked for"
	if counters {
		p.NoCounters = ""
		if perf, err = perfstat.Start(); err != nil {
			p.NoCounters = err.Error()
		}
	}
	var times []int64
	for i := range runs {
		ns, err := s.next(ctx, perf, i+1)
		if err != nil {
			if perf != nil {
				// The sort's failure is what matters.
				_, _ = perf.Stop()
			}
			return p, err
		}
		times = append(times, ns)
	}
	p.NS = stat.Median(times)
	if perf == nil {
		return p, nil
	}
	counts, err := perf.Stop()
	if err != nil {
		p.NoCounters = err.Error()
		return p, nil
	}
	for _, n := range counts {
		n.Value /= float64(runs)
		p.Counters = append(p.Counters, n)
	}
	return p, nil
}

// next is once on a round's input, which is another one if the source is fresh.
func (s *hostSort) next(ctx context.Context, perf *perfstat.Session, round int) (ns int64, err error) {
	in := s.b.in
	if s.b.src.fresh {
		if in, err = s.b.refresh(round); err != nil {
			return 0, err
		}
		if err := s.ready(in); err != nil {
			return 0, err
		}
	}
	return s.once(ctx, perf, in)
}

// once sorts with counters on and verifies.
func (s *hostSort) once(ctx context.Context, perf *perfstat.Session, in *input) (ns int64, err error) {
	s.b.restore()
	if perf != nil {
		if err := perf.Resume(); err != nil {
			return 0, err
		}
	}
	start := s.b.o.now()
	alternate, err := s.sort(ctx)
	ns = int64(s.b.o.now().Sub(start))
	if perf != nil {
		err = errors.Join(err, perf.Pause())
	}
	if err != nil {
		return ns, err
	}
	out, err := s.outputs(alternate)
	if err != nil {
		return ns, err
	}
	if err := in.check(out[0].keys, out[0].values); err != nil {
		return ns, err
	}
	return ns, nil
}
