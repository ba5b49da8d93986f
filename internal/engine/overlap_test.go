package engine

import (
	"context"
	"errors"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestOverlap: keys and values that have bytes in common are refused, whoever made the
// memory and from whichever pointer it was wrapped.
func TestOverlap(t *testing.T) {
	drv := newFake()
	e, err := fakeEngine(t, drv, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	const n = 100
	p := plan.Problem{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4, Items: n}
	whole, err := e.Alloc(16 * n)
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	at := func(off, bytes uint64) *Memory {
		m, err := e.Wrap(whole.dev.Handle()+uintptr(off), bytes)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	zero := make([]uint32, n)
	for _, c := range []struct {
		name         string
		keys, values Region
		overlap      bool
	}{
		{"one memory", Region{whole, 0, 4 * n}, Region{whole, 4*n - 4, 4 * n}, true},
		{"one memory, side by side", Region{whole, 0, 4 * n}, Region{whole, 4 * n, 4 * n}, false},
		{"wrapped and owned", Region{whole, 0, 4 * n}, Region{at(0, 4*n), 0, 4 * n}, true},
		{"wrapped by one pointer", Region{at(0, 8*n), 0, 4 * n}, Region{at(0, 8*n), 4, 4 * n}, true},
		{"wrapped by two pointers", Region{at(0, 4*n), 0, 4 * n}, Region{at(4*n-4, 4*n), 0, 4 * n}, true},
		{"wrapped by two pointers, the later first", Region{at(4*n, 4*n), 0, 4 * n}, Region{at(0, 8*n), 4, 4 * n}, true},
		{"wrapped by two pointers, side by side", Region{at(0, 4*n), 0, 4 * n}, Region{at(4*n, 4*n), 0, 4 * n}, false},
	} {
		for _, r := range []Region{c.keys, c.values} {
			if err := r.Upload(context.Background(), unsafe.Pointer(&zero[0])); err != nil {
				t.Fatal(err)
			}
		}
		_, err := e.Run(context.Background(), p, Regions{op.KeysIO: c.keys, op.ValuesIO: c.values})
		if c.overlap != errors.Is(err, driver.ErrUnsupported) || !c.overlap && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, m := range []*Memory{c.keys.M, c.values.M} {
			if m != whole {
				m.Close()
			}
		}
	}
}
