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
	"github.com/gpusort/gpusort/internal/op"
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

// devWork sorts device memory. Each buffer has its guards, and they travel with
// it: the grader writes and checks all of them.
type devWork struct {
	d     *device
	i     wire.Info
	all   []travel
	index struct{ keys, alt, values, valuesAlt, temp driver.Buffer }
	run   func() (alternate bool, err error)
}

// travel is a buffer and its place in shared memory.
type travel struct {
	b driver.Buffer
	r wire.Region
	n uint64 // bytes between the guards
	// Of the input all bytes are brought, of a result all are taken; of the rest
	// the guards alone.
	input, result, alternate bool
}

func (d *device) newWork(temp uint64) (*devWork, error) {
	w := &devWork{d: d, i: wire.Info{Temp: temp}}
	argsort, pairs := d.j.Spec.Mode == op.Argsort, d.j.Spec.Mode == op.Pairs
	x := &w.index
	for _, t := range []struct {
		to *driver.Buffer
		travel
	}{
		{&x.keys, travel{r: d.m.Keys, n: d.m.Keys.Bytes, input: true, result: !argsort}},
		{&x.alt, travel{r: d.m.Alt, n: d.m.Alt.Bytes, result: !argsort, alternate: true}},
		{&x.values, travel{r: d.m.Values, n: d.m.Values.Bytes, input: pairs, result: true}},
		{&x.valuesAlt, travel{r: d.m.ValuesAlt, n: d.m.ValuesAlt.Bytes, result: true, alternate: true}},
		{&x.temp, travel{r: d.m.Temp, n: temp}},
	} {
		b, err := d.dev.Alloc(t.n + 2*wire.Guard)
		if err != nil {
			return nil, err
		}
		*t.to, t.b = b, b
		w.all = append(w.all, t.travel)
	}
	return w, nil
}

func (w *devWork) info() wire.Info { return w.i }

// parts lists the ranges of a buffer that travel, counted from its front guard.
func (t travel) parts(whole bool) [][2]uint64 {
	if whole {
		return [][2]uint64{{0, t.n + 2*wire.Guard}}
	}
	return [][2]uint64{{0, wire.Guard}, {wire.Guard + t.n, wire.Guard}}
}

func (w *devWork) load() error {
	var errs []error
	for _, t := range w.all {
		for _, p := range t.parts(t.input) {
			errs = append(errs, w.d.q.CopyIn(t.b, p[0], w.d.m.at(t.r.Off-wire.Guard+p[0]), p[1]))
		}
	}
	return errors.Join(append(errs, w.d.q.Synchronize())...)
}

func (w *devWork) sort() (bool, error) {
	alternate, err := w.run()
	if err != nil {
		return false, err
	}
	return alternate, w.d.q.Synchronize()
}

func (w *devWork) fetch(alternate bool) error {
	var errs []error
	for _, t := range w.all {
		for _, p := range t.parts(t.result && t.alternate == alternate) {
			errs = append(errs, w.d.q.CopyOut(w.d.m.at(t.r.Off-wire.Guard+p[0]), t.b, p[0], p[1]))
		}
	}
	return errors.Join(append(errs, w.d.q.Synchronize())...)
}

// reference is the catalogue's sort, of the given name or the first that can.
func (d *device) reference() (work, error) {
	why := fmt.Errorf("reference %q: %w: no such algorithm on this device", d.j.Algo, driver.ErrUnsupported)
	for _, a := range catalog.Algorithms() {
		if d.j.Algo != "" && !strings.EqualFold(a.Name, d.j.Algo) {
			continue
		}
		direct, err := d.engine.Prepare(a, d.j.Spec, algo.Params{})
		if err != nil {
			why = err
			continue
		}
		p := direct.Plan()
		w, err := d.newWork(p.ScratchBytes)
		if err != nil {
			return nil, err
		}
		w.i.Sorter, w.i.Launches = a.Name, p.Launches()
		places := exec.Places{plan.KeysIO: {Buf: w.index.keys, Off: wire.Guard}, plan.Scratch: {Buf: w.index.temp, Off: wire.Guard}}
		if d.j.Spec.Mode != op.Keys {
			places[plan.ValuesIO].Buf, places[plan.ValuesIO].Off = w.index.values, wire.Guard
		}
		direct.Bind(places)
		w.run = func() (bool, error) { return false, direct.Submit(context.Background(), d.q) }
		return w, nil
	}
	return nil, why
}

// copyWork copies the keys within device memory: the bandwidth that sorts are
// held against.
func (d *device) copyWork() (work, error) {
	w, err := d.newWork(0)
	if err != nil {
		return nil, err
	}
	w.run = func() (bool, error) {
		return true, d.q.Copy(w.index.alt, wire.Guard, w.index.keys, wire.Guard, d.m.Keys.Bytes)
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
	w, err := d.newWork(temp)
	if err != nil {
		return nil, err
	}
	w.i.Sorter = s.Name
	x := w.index
	at := func(b driver.Buffer, used bool) uintptr {
		if !used {
			return 0
		}
		return b.Handle() + wire.Guard
	}
	values, alternate := d.j.Spec.Mode != op.Keys, s.Flags&peer.Alternate != 0
	b := peer.Buffers{
		Keys: at(x.keys, true), KeysAlt: at(x.alt, alternate), Values: at(x.values, values), ValuesAlt: at(x.valuesAlt, values && alternate),
		Temp: at(x.temp, true), TempBytes: temp, Stream: stream.Handle(),
	}
	w.run = func() (bool, error) { return s.Sort(pr, b) }
	return w, nil
}
