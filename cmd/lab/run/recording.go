package run

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// MaxRecorded is the greatest number of keys of a recording: more cannot be
// told apart on a screen.
const MaxRecorded = 1024

// Recording is a small sort of a device, step by step, as its memory showed it.
type Recording struct {
	Cell result.Cell `json:"cell"`
	Case string      `json:"case"`
	// Chosen is the catalogue's algorithm that "auto" stood for.
	Chosen string     `json:"chosen,omitempty"`
	Env    result.Env `json:"env"`
	Frames []Frame    `json:"frames"`
}

// Frame is the state after one step; the first is the input.
type Frame struct {
	Label  string `json:"label"`
	Kernel string `json:"kernel,omitempty"`
	// Keys are the keys where they now lie, in that order.
	Keys []uint64 `json:"keys"`
	// Where is the buffer that holds them: "keys", or "scratch" and its name.
	Where string `json:"where"`
	// Moved says that the order is another one than before the step.
	Moved bool `json:"moved"`
}

// Record runs every cell once, with a halt after each step of its plan, at
// which it reads back where the keys are. Cells without a plan, with keys whose
// bits a codec changes on the way, or with more than MaxRecorded keys are
// errors. The output is verified.
func (j *Job) Record(ctx context.Context) ([]Recording, error) {
	j.started = j.o.now()
	j.env = environment(j.o.Command, j.started)
	var all []Recording
	for _, g := range j.groups {
		for _, c := range g.cells {
			if err := ctx.Err(); err != nil {
				return all, err
			}
			r, err := j.record(ctx, g, c)
			if err != nil {
				return all, fmt.Errorf("record %s: %w", result.Record{Cell: c, Case: c.ID()}.Key(), err)
			}
			all = append(all, r)
		}
	}
	return all, nil
}

func (j *Job) record(ctx context.Context, g group, c result.Cell) (r Recording, err error) {
	p := g.problem
	switch {
	case g.absent != nil:
		return r, g.absent
	case g.engine == nil:
		return r, fmt.Errorf("%w: host sorts have no steps: choose a device with -d", driver.ErrUnsupported)
	case p.Items < 2 || p.Items > MaxRecorded:
		return r, fmt.Errorf("%w: %d keys: from 2 to %d can be shown", driver.ErrUnsupported, p.Items, MaxRecorded)
	case p.Mode == plan.Argsort || p.Type.Row().Kind != key.Unsigned || p.Order.Desc:
		return r, fmt.Errorf("%w: only unsigned keys in ascending order lie in memory as they are, and an argsort does not move them", driver.ErrUnsupported)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	b, err := j.devBench(g, p)
	if err != nil {
		return r, err
	}
	defer b.close() // what it could report, the sort has reported before
	con, err := b.add(c)
	if err != nil {
		return r, err
	}
	s := con.(*devSort)
	if s.direct == nil {
		return r, fmt.Errorf("%w: %s is a peer, whose steps are not known", driver.ErrUnsupported, c.Algo)
	}
	in, err := b.allocate()
	if err != nil {
		return r, err
	}
	r = Recording{Cell: c, Case: c.ID(), Chosen: s.chosen, Env: j.env}
	caps := b.dev.Caps()
	r.Env.Device, r.Env.DriverVersion = caps.Name, caps.DriverVersion
	if r.Frames, err = s.frames(ctx); err != nil {
		return r, err
	}
	if err := b.download(false); err != nil {
		return r, err
	}
	if err := b.checkGuards(b.working()); err != nil {
		return r, err
	}
	return r, in.check(b.outKeys, b.outValues)
}

// copyOf is a buffer that may hold the keys in some order, and what it held.
type copyOf struct {
	name string
	buf  driver.Buffer
	off  uint64
	held []uint64
}

// frames sorts once and looks after every step.
func (s *devSort) frames(ctx context.Context) (out []Frame, err error) {
	b, pl := s.b, s.direct.Plan()
	if err := b.upload(b.keys, b.values); err != nil {
		return nil, err
	}
	if err := b.arm(b.working()); err != nil {
		return nil, err
	}
	places := []*copyOf{{name: "keys", buf: b.keys.buf, off: guardBytes}}
	for _, part := range pl.Parts {
		if part.Bytes == b.p.KeyBytes() {
			places = append(places, &copyOf{name: "scratch " + part.Name, buf: b.temp.buf, off: guardBytes + part.Off})
		}
	}
	s.direct.Bind(b.places())
	s.bound = true
	var input []uint64 // in order
	err = s.direct.SubmitSteps(ctx, b.q, func(done int) error {
		f := Frame{Label: "input", Where: "keys"}
		if done > 0 {
			f = out[done-1]
			st := pl.Steps[done-1]
			f.Label, f.Kernel, f.Moved = st.Label, st.Kernel.Symbol, false
		}
		for i, at := range places {
			now, err := b.read(at)
			if err != nil {
				return err
			}
			if done == 0 && i == 0 {
				f.Keys, input = now, slices.Sorted(slices.Values(now))
			}
			// A buffer that a step wrote, and that holds all keys, is the new state.
			if done > 0 && !slices.Equal(now, at.held) && slices.Equal(slices.Sorted(slices.Values(now)), input) {
				f.Moved = f.Moved || !slices.Equal(now, f.Keys)
				f.Keys, f.Where = now, at.name
			}
			at.held = now
		}
		if done == len(pl.Steps) && f.Where != "keys" {
			// The sort is over: its output is what counts.
			f.Moved = f.Moved || !slices.Equal(places[0].held, f.Keys)
			f.Keys, f.Where = places[0].held, "keys"
		}
		out = append(out, f)
		return nil
	})
	return out, err
}

// read copies a buffer's keys to the host, after all that was queued.
func (b *devBench) read(at *copyOf) ([]uint64, error) {
	n := b.p.KeyBytes()
	if err := b.q.CopyOut(b.outKeys, at.buf, at.off, n); err != nil {
		return nil, err
	}
	if err := b.q.Synchronize(); err != nil {
		return nil, err
	}
	raw := unsafe.Slice((*byte)(b.outKeys), n)
	out := make([]uint64, b.p.Items)
	width := b.p.Type.Bytes()
	for i := range out {
		var word [8]byte
		copy(word[:], raw[i*width:(i+1)*width])
		out[i] = binary.LittleEndian.Uint64(word[:])
	}
	return out, nil
}
