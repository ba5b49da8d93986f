package engine

import (
	"context"
	"errors"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
)

// Strings are byte strings in host memory, whose order is asked for.
type Strings struct {
	Name  string // of the function that asks, for reports
	Texts op.Headers
	Desc  bool
}

// TextSort is what is done with strings.
type TextSort struct {
	// Host does it on the processor.
	Host func(h cpu.Options, desc bool) error
	// By does it by the order that `order` writes to as many places as there are strings. Before and
	// after that call it leaves the strings where they are, or permuted.
	By func(h cpu.Options, order func(places []uint32) error) error
}

// SortTexts does t with x on the device that the engine was made for by name, the first if they are several,
// under "auto" on a device that is predicted to be faster than the processor, which does the rest. After an error
// all strings are there.
func (e *Engine) SortTexts(ctx context.Context, x Strings, t TextSort) (r Report, err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	var d textsDone
	only := e.onlyHostTexts(x.Texts.Len())
	r, err = e.OnHost(ctx, x.Name, x.Texts.Len(), func(h cpu.Options) (err error) {
		if only {
			return t.Host(h, x.Desc)
		}
		d, err = e.sortTexts(ctx, h, x, t)
		return err
	})
	r.Algorithm, r.Fallback = e.host.algorithm(op.Spec{Kind: op.Strings}).Name, d.fallback
	if d.on != nil {
		r = r.with(d.on, d.Result)
	}
	if e.cfg.Logger != nil {
		e.log.Debug("sorted", "device", r.Device, "algorithm", r.Algorithm, "call", x.Name, "items", r.Items, "elapsed", r.Elapsed, "device_time", r.DeviceTime, "error", err)
	}
	return r, err
}

// textsDone says where strings were sorted.
type textsDone struct {
	exec.Result
	on       *device // nil: the processor
	fallback string  // why a device was left for it
}

// sortTexts is SortTexts where a device is asked.
func (e *Engine) sortTexts(ctx context.Context, h cpu.Options, x Strings, t TextSort) (textsDone, error) {
	d, p, texts, why := e.placeTexts(x)
	if d == nil {
		return textsDone{fallback: why}, t.Host(h, x.Desc)
	}
	done := exec.Result{Pieces: 1}
	var failed error
	err := t.By(h, func(places []uint32) error {
		failed = d.ArgsortTexts(ctx, p, texts, places, &done)
		return failed
	})
	if failed == nil || !e.auto || ctx.Err() != nil {
		return textsDone{Result: done, on: d}, err
	}
	return textsDone{fallback: e.left(d, failed)}, t.Host(h, x.Desc)
}

// onlyHostTexts reports whether so many strings are sorted on the processor without a look at devices.
func (e *Engine) onlyHostTexts(n int) bool {
	return n < 2 || uint64(n) > 1<<32-1 || !e.auto && e.single() == nil || e.auto && n < StringsFloor
}

// placeTexts returns where the order of x, which is not onlyHostTexts, is found, as p of texts; nil is the
// processor, and why says what for if a device was named. The caller has begun.
func (e *Engine) placeTexts(x Strings) (d *device, p op.Spec, texts *exec.Texts, why string) {
	if e.auto && e.hopeless() {
		return nil, p, nil, ""
	}
	texts = exec.MeasureTexts(x.Texts, e.exec.HostWorkers())
	p = stringsSpec(uint64(texts.Len()), texts.All(), x.Desc)
	at, err := e.place(p)
	if d, _ = at.(*device); d == nil || err != nil {
		return nil, p, nil, ""
	}
	if _, err := d.Choose(p); errors.Is(err, driver.ErrUnsupported) {
		return nil, p, nil, err.Error()
	}
	return d, p, texts, ""
}

// SortTextsDefault is SortTexts with the process-wide automatic engine.
func SortTextsDefault(x Strings, t TextSort) error {
	if x.Texts.Len() < StringsFloor {
		return t.Host(cpu.Options{}, x.Desc)
	}
	_, err := defaultEngine().SortTexts(context.Background(), x, t)
	return err
}
