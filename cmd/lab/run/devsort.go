package run

import (
	"context"
	"fmt"
	"runtime"

	"github.com/gpusort/gpusort/cmd/lab/occupancy"
	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// devSort is a plan (direct) or a peer's sorter on a device.
type devSort struct {
	b       *devBench
	scratch uint64
	direct  *exec.Direct
	result  op.Kind
	bound   bool
	params  algo.Params
	chosen  string // by Auto; else empty
	peer    *peer.Sorter
	problem peer.Problem
}

func (s *devSort) describe(r *result.Record) {
	r.ScratchBytes = s.scratch
	if s.direct == nil {
		r.Source, r.Policy = sourceOf(s.peer.Library), s.peer.Version
		return
	}
	describePlan(r, s.direct.Plan(), s.chosen, s.b.dev.Caps().Backend)
	r.Occupancy = s.occupancy()
}

// describePlan says what records tell of a plan, which was chosen by that name or by the user.
func describePlan(r *result.Record, p plan.Plan, chosen, backend string) {
	r.Source, r.Chosen, r.Policy = "catalog", chosen, planHash(p, backend)
	r.Launches, r.MinBytes, r.HostBytes = p.Launches(), p.MinBytes(), p.HostBytes()
}

func (s *devSort) output() output { return output{s.b.outKeys, s.b.outValues, s.result} }

// occupancy is that of the launch that must move most bytes.
func (s *devSort) occupancy() *result.Occupancy {
	top, steps := -1, s.direct.Plan().Steps
	for i, st := range steps {
		if st.Op == plan.OpLaunch && (top < 0 || st.MinBytes > steps[top].MinBytes) {
			top = i
		}
	}
	if top < 0 {
		return nil
	}
	st := steps[top]
	a, err := s.direct.Kernel(top).Attributes()
	if err != nil {
		return nil
	}
	o, err := occupancy.Of(s.b.dev.Caps(), a, int(st.Threads()), st.SharedBytes, st.Blocks())
	if err != nil {
		return nil
	}
	return &result.Occupancy{Kernel: st.Kernel.Symbol, Share: o.Share, Limiter: o.Limiter}
}

func (s *devSort) ready(in *input) error {
	if err := in.atMost(s.params.MaxValue); err != nil {
		return err
	}
	return peerReady(s.peer, in)
}

// submit queues one sort and says where the result will lie.
func (s *devSort) submit(ctx context.Context) (alternate bool, err error) {
	b := s.b
	if s.direct != nil {
		if !s.bound {
			s.direct.Bind(b.places())
			s.bound = true
		}
		if b.o.Graph {
			return false, s.direct.SubmitGraph(ctx, b.q)
		}
		return false, s.direct.Submit(ctx, b.q)
	}
	return s.peer.Sort(s.problem, peer.Buffers{
		Keys: b.keys.address(), KeysAlt: b.keysAlt.address(), Values: b.values.address(), ValuesAlt: b.valuesAlt.address(),
		Temp: b.temp.address(), TempBytes: s.scratch, Stream: b.stream(),
	})
}

// sample times the sort between two events, with its input in device memory
// and the cache flushed; then, with endToEnd, a second one on the wall clock
// from page-locked memory to page-locked memory. Guards are checked after
// both. The first output is checked before the second sort overwrites it. With
// Options.OneSort there is one sort, and both clocks time it.
func (s *devSort) sample(ctx context.Context, endToEnd bool) (t times, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b := s.b
	if b.temp != nil {
		b.temp.used = s.scratch
	}
	if b.o.OneSort {
		if err := s.wall(ctx, &t, true); err != nil {
			return t, err
		}
		if s.direct != nil && s.direct.Plan().HasHostSteps() {
			t.host = int64(s.direct.HostTime())
		}
		t.outputs = []output{s.output()}
		return t, nil
	}
	if endToEnd {
		if err = s.wall(ctx, &t, false); err != nil {
			return t, err
		}
		if err := b.in.checkOutput(s.output()); err != nil {
			return t, fmt.Errorf("end to end: %w", err)
		}
	}
	alternate, err := s.device(ctx, &t)
	if err != nil {
		return t, err
	}
	if s.direct != nil && s.direct.Plan().HasHostSteps() {
		t.host = int64(s.direct.HostTime())
	}
	if err := b.download(alternate); err != nil {
		return t, err
	}
	if err := b.checkGuards(b.working()); err != nil {
		return t, err
	}
	t.outputs = []output{s.output()}
	return t, nil
}

// device measures one sort of device memory.
func (s *devSort) device(ctx context.Context, t *times) (alternate bool, err error) {
	b := s.b
	if err := b.restore(); err != nil {
		return false, err
	}
	if err := b.arm(b.working()); err != nil {
		return false, err
	}
	err = b.clocked(t, func() (err error) { alternate, err = s.submit(ctx); return err })
	if err == nil && s.direct != nil {
		err = s.direct.Refused(b.q)
	}
	return alternate, err
}

// clocked times what submit queues between two events, behind the lead, and says whether
// the device had begun before all was queued. By the host's clock it times the call and
// the wait. The queue is idle when it returns.
func (b *devBench) clocked(t *times, submit func() error) error {
	if err := b.takeLead(); err != nil {
		return err
	}
	if b.o.HostClock {
		return b.waited(t, submit)
	}
	start, err := b.q.Record()
	if err != nil {
		return err
	}
	defer start.Close()
	if err := submit(); err != nil {
		return err
	}
	end, err := b.q.Record()
	if err != nil {
		return err
	}
	defer end.Close()
	if t.behind, err = start.Done(); err != nil {
		return err
	}
	if err := b.q.Synchronize(); err != nil {
		return err
	}
	t.device, err = end.Since(start)
	return err
}

// waited times what submit queues by the host's clock: from the call, the device idle, to
// the end of the wait.
func (b *devBench) waited(t *times, submit func() error) error {
	if err := b.q.Synchronize(); err != nil {
		return err
	}
	start := b.o.now()
	if err := submit(); err != nil {
		return err
	}
	if err := b.q.Synchronize(); err != nil {
		return err
	}
	t.device = int64(b.o.now().Sub(start))
	return nil
}

// wall measures upload, sort and download on the wall clock, and with inner the sort
// between them on the device's. The queue is idle and the guards are checked when it returns.
func (s *devSort) wall(ctx context.Context, t *times, inner bool) error {
	b := s.b
	if err := b.arm(b.working()); err != nil {
		return err
	}
	if err := b.q.Synchronize(); err != nil {
		return err
	}
	var marks []driver.Event
	defer func() {
		for _, e := range marks {
			e.Close()
		}
	}()
	mark := func() error {
		if !inner {
			return nil
		}
		e, err := b.q.Record()
		if err == nil {
			marks = append(marks, e)
		}
		return err
	}
	start := b.o.now()
	if err := b.upload(b.keys, b.values); err != nil {
		return err
	}
	if err := mark(); err != nil {
		return err
	}
	alternate, err := s.submit(ctx)
	if err != nil {
		return err
	}
	if err := mark(); err != nil {
		return err
	}
	if err := b.download(alternate); err != nil {
		return err
	}
	if err := b.q.Synchronize(); err != nil {
		return err
	}
	t.wall = int64(b.o.now().Sub(start))
	if s.direct != nil {
		if err := s.direct.Refused(b.q); err != nil {
			return err
		}
	}
	if inner {
		if t.device, err = marks[1].Since(marks[0]); err != nil {
			return err
		}
	}
	return b.checkGuards(b.working())
}

func (b *devBench) stream() uintptr {
	type streamer interface{ Handle() uintptr }
	if q, ok := b.q.(streamer); ok {
		return q.Handle()
	}
	return 0
}

// arm queues the writing of the guards of these buffers.
func (b *devBench) arm(buffers []*devBuffer) error {
	for _, x := range buffers {
		if err := x.arm(b.q); err != nil {
			return err
		}
	}
	return nil
}

// checkGuards fetches and judges the guards of these buffers, after all that was queued
// before. The queue is idle when it returns.
func (b *devBench) checkGuards(w []*devBuffer) error {
	for i, x := range w {
		if err := x.fetch(b.q, guardAt(b.guards, i)); err != nil {
			return err
		}
	}
	if err := b.q.Synchronize(); err != nil {
		return err
	}
	for i, x := range w {
		if err := x.intact(guardAt(b.guards, i)); err != nil {
			return err
		}
	}
	return nil
}
