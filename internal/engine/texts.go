package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
)

// TextSort is an operation that needs the order of byte strings in host memory.
type TextSort struct {
	Name  string // of the function, for reports
	Texts op.Headers
	Desc  bool
	// Host does it on the processor.
	Host func(cpu.Options) error
	// By does it by the order that `order` writes to as many places as there are strings. Before and
	// after that call it leaves the strings where they are, or permuted.
	By func(h cpu.Options, order func(places []uint32) error) error
}

// SortTexts does t on the device that the engine was made for by name, the first if they are several, under
// "auto" on a device that is predicted to be faster than the processor, which does the rest. After an error
// all strings are there.
func (e *Engine) SortTexts(ctx context.Context, t TextSort) (Report, error) {
	var d *device
	var fallback string
	done := exec.Result{Pieces: 1}
	r, err := e.OnHost(ctx, t.Name, t.Texts.Len(), func(h cpu.Options) (err error) {
		var p op.Spec
		var x *exec.Texts
		d, p, x, fallback = e.placeTexts(t)
		if d == nil {
			return t.Host(h)
		}
		if ctx == nil {
			ctx = context.Background()
		}
		var failed error
		err = t.By(h, func(places []uint32) error {
			failed = d.ArgsortTexts(ctx, p, x, places, &done)
			return failed
		})
		if failed == nil || !e.auto || ctx.Err() != nil {
			return err
		}
		e.log.Warn("device failed, sorting on the CPU", "device", d.ID(), "error", failed)
		fallback = fmt.Sprintf("%s: %v", d.ID(), failed)
		if errors.Is(failed, driver.ErrDeviceLost) {
			d.lost.Store(true)
		}
		d = nil
		return t.Host(h)
	})
	if d != nil {
		r = r.with(d, done)
		e.log.Debug("sorted", "device", r.Device, "algorithm", r.Algorithm, "call", t.Name, "items", r.Items, "elapsed", r.Elapsed, "device_time", r.DeviceTime, "error", err)
	}
	r.Fallback = fallback
	return r, err
}

// placeTexts returns where t is done, as p of x; nil is the processor, and why says what for if a device was
// named. The caller has begun.
func (e *Engine) placeTexts(t TextSort) (d *device, p op.Spec, x *exec.Texts, why string) {
	n := uint64(t.Texts.Len())
	if n < 2 || n > 1<<32-1 || !e.auto && e.single() == nil || e.auto && n < StringsFloor {
		return nil, p, nil, ""
	}
	x = exec.MeasureTexts(t.Texts, e.exec.HostWorkers())
	p = x.Spec(stringsSpec(t.Desc))
	if d = e.single(); d != nil {
		if _, err := d.Choose(p); errors.Is(err, driver.ErrUnsupported) {
			return nil, p, nil, err.Error()
		}
		return d, p, x, ""
	}
	if !e.worthOpening(p) {
		return nil, p, nil, ""
	}
	c, err := e.best(p)
	if err != nil || c.d.Caps().CPU || !e.pays(c, p) {
		return nil, p, nil, ""
	}
	return c.d, p, x, ""
}

// SortTextsDefault does t with the process-wide automatic engine. Only what t is refused for is an error.
func SortTextsDefault(t TextSort) error {
	if t.Texts.Len() < StringsFloor {
		return t.Host(cpu.Options{})
	}
	if _, err := defaultEngine().SortTexts(context.Background(), t); err != nil {
		return t.Host(cpu.Options{})
	}
	return nil
}
