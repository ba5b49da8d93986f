package ops

import (
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/op"
)

// SelfTestOn is SelfTest on the device that e was made for, of the operations that it has
// code for. What it has none for counts as skipped.
func SelfTestOn(ctx context.Context, e *engine.Engine) (t Tested, err error) {
	err = eachCase(ctx, 300_007, func(s Spec) error {
		if s.Op == "merge" {
			s.Segments = 2
		}
		if _, err := s.Device(); err != nil {
			return nil // the processor's alone
		}
		switch err := s.on(ctx, e); {
		case ctx.Err() != nil:
		case errors.Is(err, driver.ErrUnsupported):
			t.Skipped++
		default:
			t.count(s, err)
		}
		return ctx.Err()
	})
	return t, err
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
