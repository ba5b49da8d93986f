package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// TestHostOnly: keys that no device has are sorted by the processor also where a device
// is named, and the report says so; in a device's memory they are refused.
func TestHostOnly(t *testing.T) {
	e, err := New(Config{Device: "fake:0", Drivers: []driver.Driver{newFake()}, Algorithms: []algo.Algorithm{inMemory}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	x := []uint16{0x3c00, 0xbc00, 0} // 1, −1, 0
	r, err := e.Sort(t.Context(), op.SortKeysOf(key.F16, x, key.Order{}))
	if err != nil || x[0] != 0xbc00 || x[1] != 0 || r.Device != "cpu" || r.Algorithm != "cpu" || !strings.Contains(r.Fallback, "f16") {
		t.Errorf("%x, %+v, %v", x, r, err)
	}
	for _, ty := range []key.Type{key.F16, key.BF16, key.U128, key.B128} {
		p := op.Spec{Type: ty, Items: 1 << 20}
		if why, err := e.Explain(p); err != nil || why.Device != "cpu" || !strings.Contains(why.Why, ty.String()) || why.Predicted <= 0 {
			t.Errorf("%v: %+v, %v", ty, why, err)
		}
		if n, err := ScratchBytes(Config{Device: "cuda"}, p); n != 0 || err != nil {
			t.Errorf("%v: %d bytes of scratch, %v", ty, n, err)
		}
	}
	m, err := e.Alloc(64)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if _, err := e.Run(t.Context(), op.Spec{Type: key.U128, Items: 4}, Regions{{M: m, Bytes: 64}}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("a buffer of u128: %v", err)
	}
}
