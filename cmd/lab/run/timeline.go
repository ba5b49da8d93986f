package run

import (
	"context"
	"fmt"

	"github.com/gpusort/gpusort/cmd/lab/trace"
	"github.com/gpusort/gpusort/internal/driver"
)

// timeline runs upload, every step and download with an event at each border.
// It returns their times in that order, and the same as spans, with what the
// host did meanwhile.
func (s *devSort) timeline(ctx context.Context) (ns []int64, spans []trace.Span, err error) {
	b := s.b
	var events []driver.Event
	defer func() {
		for _, e := range events {
			// The events have completed, or the error is reported already.
			_ = e.Close()
		}
	}()
	mark := func() error {
		e, err := b.q.Record()
		if err == nil {
			events = append(events, e)
		}
		return err
	}
	if err := b.arm(b.working()); err != nil {
		return nil, nil, err
	}
	if err := b.q.Synchronize(); err != nil {
		return nil, nil, err
	}
	id := b.dev.Caps().ID
	t0 := b.o.now()
	host := func(name string, f func() error) error {
		from := b.o.now().Sub(t0)
		err := f()
		spans = append(spans, trace.Span{Process: "host", Track: "calls", Name: name, StartNS: int64(from), NS: int64(b.o.now().Sub(t0) - from)})
		return err
	}
	for _, step := range []struct {
		name string
		f    func() error
	}{
		{"queue the upload", func() error {
			if err := mark(); err != nil {
				return err
			}
			return b.upload(b.keys, b.values)
		}},
		{"queue the steps", func() error {
			return s.direct.SubmitSteps(ctx, b.q, func(int) error { return mark() })
		}},
		{"queue the download", func() error {
			if err := b.download(false); err != nil {
				return err
			}
			return mark()
		}},
		{"wait", b.q.Synchronize},
	} {
		if err := host(step.name, step.f); err != nil {
			return nil, nil, err
		}
	}
	p := s.direct.Plan()
	names := []string{"upload"}
	for _, st := range p.Steps {
		names = append(names, st.Label)
	}
	names = append(names, "download")
	if len(events) != len(names)+1 {
		return nil, nil, fmt.Errorf("%d events for %d steps", len(events), len(names))
	}
	at := int64(0)
	for i, name := range names {
		d, err := events[i+1].Since(events[i])
		if err != nil {
			return nil, nil, err
		}
		ns = append(ns, d)
		sp := trace.Span{Process: id, Track: "transfers", Name: name, StartNS: at, NS: d}
		if i > 0 && i < len(names)-1 {
			st := p.Steps[i-1]
			sp.Track = "steps"
			sp.Args = map[string]any{"op": st.Op.String(), "min_bytes": st.MinBytes, "kernel": st.Kernel.Symbol, "grid": st.Grid, "block": st.Block}
		}
		spans = append(spans, sp)
		at += d
	}
	return ns, spans, nil
}

// copyBandwidth measures what a copy between two buffers of device memory
// moves: gigabytes read and written in a second, the best of several.
func copyBandwidth(b *devBench) (gbps float64, err error) {
	// Far more than a cache holds, and no more than a small card has free.
	bytes := max(256<<20, 4*b.dev.Caps().L2Bytes)
	if free, _, err := b.dev.Mem(); err == nil {
		bytes = min(bytes, free/4)
	}
	bytes = min(bytes, b.dev.Caps().MaxAllocBytes/2*2) / 4096 * 4096
	if b.dev.Caps().CPU {
		bytes = min(bytes, 64<<20)
	}
	var bufs [2]driver.Buffer
	for i := range bufs {
		if bufs[i], err = b.dev.Alloc(bytes); err != nil {
			return 0, fmt.Errorf("buffers to measure the copy bandwidth: %w", err)
		}
		defer bufs[i].Close()
		if err := b.q.Memset(bufs[i], 0, 0, bytes); err != nil {
			return 0, err
		}
	}
	for range 6 {
		ns, err := timed(b.q, func() error { return b.q.Copy(bufs[1], 0, bufs[0], 0, bytes) })
		if err != nil {
			return 0, err
		}
		if ns > 0 {
			gbps = max(gbps, 2*float64(bytes)/float64(ns))
		}
	}
	return gbps, nil
}
