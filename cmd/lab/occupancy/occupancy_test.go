package occupancy

import (
	"math"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
)

// The limits of an H200 (compute capability 9.0).
var h200 = driver.Caps{Backend: "cuda", Arch: 90, ComputeUnits: 132, WarpSize: 32, MaxThreadsPerUnit: 2048, RegistersPerUnit: 65536, SharedPerUnit: 228 << 10}

// Figures as NVIDIA's occupancy calculator gives them for 9.0.
func TestOf(t *testing.T) {
	turing := h200
	turing.Arch, turing.MaxThreadsPerUnit, turing.SharedPerUnit = 75, 1024, 64<<10
	for _, c := range []struct {
		name    string
		caps    driver.Caps
		a       driver.Attributes
		threads int
		dynamic uint32
		grid    uint64
		blocks  int
		share   float64
		limiter string
	}{
		{"full", h200, driver.Attributes{Registers: 32}, 256, 0, 1 << 20, 8, 1, "threads"},
		{"registers", h200, driver.Attributes{Registers: 64}, 256, 0, 1 << 20, 4, 0.5, "registers"},
		{"register rounding", h200, driver.Attributes{Registers: 65}, 384, 0, 1 << 20, 2, 24.0 / 64, "registers"},
		{"shared", h200, driver.Attributes{Registers: 32, SharedBytes: 1 << 10}, 256, 46 << 10, 1 << 20, 4, 0.5, "shared memory"},
		{"small blocks", h200, driver.Attributes{Registers: 16}, 32, 0, 1 << 20, 32, 0.5, "blocks"},
		{"odd block", h200, driver.Attributes{Registers: 16}, 33, 0, 1 << 20, 32, 1, "blocks"},
		{"few blocks", h200, driver.Attributes{Registers: 32}, 256, 0, 264, 2, 0.25, "grid"},
		{"no reserved KiB before 8.0", turing, driver.Attributes{Registers: 32, SharedBytes: 32 << 10}, 256, 0, 1 << 20, 2, 0.5, "shared memory"},
	} {
		got, err := Of(c.caps, c.a, c.threads, c.dynamic, c.grid)
		if err != nil || got.Blocks != c.blocks || math.Abs(got.Share-c.share) > 1e-9 || got.Limiter != c.limiter {
			t.Errorf("%s: %+v, %v", c.name, got, err)
		}
	}
	if r, _ := Of(h200, driver.Attributes{Registers: 32}, 256, 0, 132*8*3/2); r.Waves != 1.5 {
		t.Errorf("waves %v", r.Waves)
	}
	for _, bad := range []struct {
		c       driver.Caps
		a       driver.Attributes
		threads int
	}{
		{driver.Caps{Backend: "opencl"}, driver.Attributes{}, 64},
		{h200, driver.Attributes{Registers: 255}, 1024},
		{h200, driver.Attributes{Registers: 32, SharedBytes: 228 << 10}, 32},
		{h200, driver.Attributes{Registers: 32}, 0},
	} {
		if r, err := Of(bad.c, bad.a, bad.threads, 0, 1); err == nil {
			t.Errorf("%+v: %+v", bad, r)
		}
	}
}
