//go:build amd64 || arm64

package child

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	_ "github.com/gpusort/gpusort/internal/algo/catalog/study"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/plan"
)

// device holds what all work on a device shares.
type device struct {
	j      wire.Job
	m      shared
	engine *engine.Engine
	dev    driver.Device
	q      driver.Queue
}

func openDevice(j wire.Job, m shared) (*device, error) {
	e, err := engine.New(engine.Config{Device: j.Device})
	if err != nil {
		return nil, err
	}
	d := &device{j: j, m: m, engine: e, dev: e.Device()}
	if d.dev == nil {
		return nil, fmt.Errorf("device %s: %w", j.Device, driver.ErrNoDevice)
	}
	d.q, err = d.dev.NewQueue()
	return d, err
}

// devWork sorts device memory. Each buffer has its guards, and travels with
// them: the grader writes and checks all bytes.
type devWork struct {
	d               *device
	i               wire.Info
	keys, alt, temp driver.Buffer
	// given and taken, for work that runs code of a submission on the host, lie
	// where it was not told: the input comes from given and the result goes to
	// taken within the measured time, so that it is done when the clock stops.
	given, taken driver.Buffer
	run          func() (alternate bool, err error)
	fromTaken    bool
}

func (d *device) newWork(temp uint64, onHost bool) (*devWork, error) {
	w := &devWork{d: d, i: wire.Info{Device: d.dev.Caps().Name, Host: d.dev.Caps().CPU, Temp: temp}}
	for _, x := range []struct {
		to *driver.Buffer
		n  uint64
		is bool
	}{
		{&w.keys, d.m.Keys.Bytes, true}, {&w.alt, d.m.Alt.Bytes, true}, {&w.temp, temp, true},
		{&w.given, d.m.Keys.Bytes, onHost}, {&w.taken, d.m.Keys.Bytes, onHost},
	} {
		if !x.is {
			continue
		}
		var err error
		if *x.to, err = d.dev.Alloc(x.n + 2*wire.Guard); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *devWork) info() wire.Info { return w.i }

// in queues the copy of n bytes and the guards around them from shared memory.
func (w *devWork) in(b driver.Buffer, r wire.Region, n uint64) error {
	return w.d.q.CopyIn(b, 0, w.d.m.at(r.Off-wire.Guard), n+2*wire.Guard)
}

// out is the way back.
func (w *devWork) out(b driver.Buffer, r wire.Region, n uint64) error {
	return w.d.q.CopyOut(w.d.m.at(r.Off-wire.Guard), b, 0, n+2*wire.Guard)
}

func (w *devWork) load() error {
	m, first := w.d.m, w.keys
	if w.given != nil {
		first = w.given
		if err := w.in(w.keys, m.Alt, m.Alt.Bytes); err != nil {
			return err
		}
	}
	return errors.Join(w.in(first, m.Keys, m.Keys.Bytes), w.in(w.alt, m.Alt, m.Alt.Bytes),
		w.in(w.temp, m.Temp, w.i.Temp), w.d.q.Synchronize())
}

func (w *devWork) sort() (int64, bool, error) {
	q, n := w.d.q, w.d.m.Keys.Bytes
	start, err := q.Record()
	if err != nil {
		return 0, false, err
	}
	defer start.Close()
	if w.given != nil {
		if err := q.Copy(w.keys, 0, w.given, 0, n+2*wire.Guard); err != nil {
			return 0, false, err
		}
	}
	alternate, err := w.run()
	if err != nil {
		return 0, false, err
	}
	if w.taken != nil {
		from := w.keys
		if alternate {
			from = w.alt
		}
		if err := q.Copy(w.taken, wire.Guard, from, wire.Guard, n); err != nil {
			return 0, false, err
		}
	}
	end, err := q.Record()
	if err != nil {
		return 0, false, err
	}
	defer end.Close()
	if err := q.Synchronize(); err != nil {
		return 0, false, err
	}
	if err := end.Wait(); err != nil {
		return 0, false, err
	}
	ns, err := end.Since(start)
	w.fromTaken = w.taken != nil
	return ns, alternate && w.taken == nil, err
}

// fetch brings the result last, so that what lies between its guards is what
// was taken when the clock stopped.
func (w *devWork) fetch() error {
	m, q := w.d.m, w.d.q
	err := errors.Join(w.out(w.keys, m.Keys, m.Keys.Bytes), w.out(w.alt, m.Alt, m.Alt.Bytes), w.out(w.temp, m.Temp, w.i.Temp))
	if w.fromTaken {
		err = errors.Join(err, q.CopyOut(m.at(m.Keys.Off), w.taken, wire.Guard, m.Keys.Bytes))
	}
	return errors.Join(err, q.Synchronize())
}

// reference is the catalogue's sort, of the given name or the first that can.
func (d *device) reference() (work, error) {
	why := fmt.Errorf("reference %q: %w: no such algorithm on this device", d.j.Algo, driver.ErrUnsupported)
	for _, a := range catalog.Algorithms() {
		if d.j.Algo != "" && !strings.EqualFold(a.Name, d.j.Algo) {
			continue
		}
		direct, err := d.engine.Prepare(a, problemOf(d.j), algo.Params{})
		if err != nil {
			why = err
			continue
		}
		p := direct.Plan()
		w, err := d.newWork(p.ScratchBytes, false)
		if err != nil {
			return nil, err
		}
		w.i.Sorter, w.i.Launches = a.Name, p.Launches()
		direct.Bind(exec.Places{plan.KeysIO: {Buf: w.keys, Off: wire.Guard}, plan.Scratch: {Buf: w.temp, Off: wire.Guard}})
		w.run = func() (bool, error) { return false, direct.Submit(context.Background(), d.q) }
		return w, nil
	}
	return nil, why
}

// copyWork copies the keys within device memory: the bandwidth that sorts are
// held against.
func (d *device) copyWork() (work, error) {
	w, err := d.newWork(0, false)
	if err != nil {
		return nil, err
	}
	w.run = func() (bool, error) {
		return true, d.q.Copy(w.alt, wire.Guard, w.keys, wire.Guard, d.m.Keys.Bytes)
	}
	return w, nil
}

// library calls a library's CUDA sorter.
func (d *device) library(s peer.Sorter, pr peer.Problem) (work, error) {
	stream, ok := d.q.(driver.Streamer)
	if _, err := fmt.Sscanf(d.j.Device, "cuda:%d", &pr.Device); err != nil || !ok {
		return nil, fmt.Errorf("%s sorts CUDA memory, which %s has not: give --device cuda:0", s.Name, d.j.Device)
	}
	temp, err := tempBytes(s, pr, d.j)
	if err != nil {
		return nil, err
	}
	w, err := d.newWork(temp, true)
	if err != nil {
		return nil, err
	}
	w.i.Sorter = s.Name
	at := func(b driver.Buffer) uintptr { return b.Handle() + wire.Guard }
	b := peer.Buffers{Keys: at(w.keys), Temp: at(w.temp), TempBytes: temp, Stream: stream.Handle()}
	if s.Flags&peer.Alternate != 0 {
		b.KeysAlt = at(w.alt)
	}
	w.run = func() (bool, error) { return s.Sort(pr, b) }
	return w, nil
}
