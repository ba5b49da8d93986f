package ops

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// SelfTestOn is SelfTest on the device that e was made for, of the operations that it has
// code for. What it has none for counts as skipped.
func SelfTestOn(ctx context.Context, e *engine.Engine) (t Tested, err error) {
	for _, o := range All() {
		if o.StringLen != 0 || o.Name == "count" {
			continue
		}
		for _, row := range key.Table() {
			for _, d := range []string{"uniform", "few-distinct", "sorted"} {
				for _, n := range []uint64{1, 2, 33, 1000, 20_000, 300_007} {
					if n > 1000 && d != "uniform" {
						continue
					}
					if err := ctx.Err(); err != nil {
						return t, err
					}
					s := Spec{Op: o.Name, Type: row.Type, Items: n, Dist: dist.Must(d)}
					if o.Name == "merge" {
						s.Segments = 2
					}
					if s, err = s.Complete(); err != nil {
						return t, err
					}
					t.add(ctx, e, s, d)
				}
			}
		}
	}
	return t, ctx.Err()
}

// add does one operation and counts what became of it.
func (t *Tested) add(ctx context.Context, e *engine.Engine, s Spec, d string) {
	err := s.on(ctx, e)
	switch {
	case err == nil:
		t.Cases++
	case errors.Is(err, driver.ErrUnsupported):
		t.Skipped++
	case ctx.Err() == nil:
		t.Cases++
		t.Failed++
		if t.First == nil {
			t.First = fmt.Errorf("%s, %v %s n=%d: %w", s.Words(), s.Type, d, s.Items, err)
		}
	}
}

// on carries the operation out on the device of e and checks the result.
func (s Spec) on(ctx context.Context, e *engine.Engine) (err error) {
	asked, err := s.Device()
	if err != nil {
		return fmt.Errorf("%w: %v", driver.ErrUnsupported, err)
	}
	w, err := New(s)
	if err != nil {
		return err
	}
	if err := w.Draw(s.Items); err != nil {
		return fmt.Errorf("%w: %v", driver.ErrUnsupported, err) // floats that Go orders in another way
	}
	task, err := TaskOf(w)
	if err != nil {
		return err
	}
	var at engine.Regions
	for i, x := range asked.Extents() {
		if x.Bytes == 0 && op.Region(i) != op.KeysIO {
			continue
		}
		m, err := e.Alloc(max(x.Bytes, 1))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, m.Close()) }()
		at[i] = engine.Region{M: m, Bytes: x.Bytes}
		if x.Bytes != 0 && x.Use.Reads() {
			if err := at[i].Upload(ctx, unsafe.Pointer(unsafe.SliceData(task.In[i]))); err != nil {
				return err
			}
		}
	}
	_, number, err := e.Find(ctx, asked, at)
	if err != nil {
		return err
	}
	var out [op.MostRegions][]byte
	for i, x := range asked.Extents() {
		if x.Bytes != 0 && x.Use.Writes() {
			out[i] = make([]byte, x.Bytes)
			if err := at[i].Download(ctx, unsafe.Pointer(unsafe.SliceData(out[i]))); err != nil {
				return err
			}
		}
	}
	return task.Check(number, out, false)
}
