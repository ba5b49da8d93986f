package engine

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// device is a device that an engine may choose: a session of the executor with what
// the engine thinks of it.
type device struct {
	*exec.Session
	e *Engine

	lost      atomic.Bool // it failed, and auto tries it no more
	trustOnce sync.Once
	distrust  error // why it failed its self-test
}

// know keeps d among the engine's devices, which Close closes. The engine is locked or
// not shared yet.
func (e *Engine) know(d driver.Device) *device {
	c := d.Caps()
	k := &device{e: e, Session: e.exec.Open(d, func(p plan.Problem) (algo.Algorithm, error) { return e.choose(c, p) })}
	e.known[c.ID] = k
	return k
}

func (d *device) title() string { return d.Caps().Name }

func (d *device) cost(p op.Spec) (estimate, error) {
	a, err := d.Choose(p)
	if err != nil {
		return estimate{}, err
	}
	return d.estimate(a, p)
}

func (d *device) run(ctx context.Context, j op.Job, r Report) (Report, error) {
	done := exec.Result{Pieces: 1}
	err := d.Sort(ctx, j, &done)
	return r.with(d, done), err
}

// with is r with what d has done.
func (r Report) with(d *device, done exec.Result) Report { return r.by(d.ID(), done) }

// by is r with what the devices of an ID have done.
func (r Report) by(id string, done exec.Result) Report {
	r.Device, r.Algorithm, r.Pieces, r.DeviceTime = id, done.Algorithm, done.Pieces, done.DeviceTime
	r.RaisedLimit = done.RaisedLimit
	return r
}

// byName returns the device that the engine was made for by name, for the purpose that
// the error tells.
func (e *Engine) byName(purpose string) (*device, error) {
	if d := e.single(); d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("%s: %w: the engine was made for no device by name", purpose, driver.ErrNoDevice)
}

// single is the device that the engine was made for by name, of several the first; nil if
// it was made for none.
func (e *Engine) single() *device {
	if len(e.chosen) == 0 {
		return nil
	}
	return e.chosen[0]
}

// Device returns the device that the engine was made for by name, of several the first,
// or nil.
func (e *Engine) Device() driver.Device {
	if d := e.single(); d != nil {
		return d.Session.Device()
	}
	return nil
}

// Choose returns the algorithm by which the engine sorts p on the device that it
// was made for by name.
func (e *Engine) Choose(p plan.Problem) (algo.Algorithm, error) {
	d, err := e.byName("choose an algorithm")
	if err != nil {
		return algo.Algorithm{}, err
	}
	return d.Choose(p)
}

// Prepare plans p by the given algorithm with the given launch parameters, on
// the device that the engine was made for by name, and loads the code. The
// error wraps driver.ErrUnsupported if the algorithm cannot do it.
func (e *Engine) Prepare(a algo.Algorithm, p plan.Problem, l algo.Params) (*exec.Direct, error) {
	d, err := e.byName("prepare " + a.Name)
	if err != nil {
		return nil, err
	}
	return d.Prepare(a, p, l)
}
