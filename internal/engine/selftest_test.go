package engine

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/cachedir"
)

func TestSelfTest(t *testing.T) {
	for _, broken := range []bool{false, true} {
		drv := newFake()
		if broken { // a compiler that gets u32 wrong
			drv.Register("gs_fake_sort_u32", func(b *fake.Block) { fake.Slice[uint32](b, 1)[0]++ })
		}
		e, err := fakeEngine(t, drv, 0)
		if err != nil {
			t.Fatal(err)
		}
		scope := testScope{fullTest.types, []uint64{0, 1, 33, 1000, 4097}}
		results := e.known["fake:0"].selfTest(context.Background(), scope)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		wrong, unsupported := 0, 0
		for _, r := range results {
			switch {
			case errors.Is(r.Err, driver.ErrUnsupported):
				unsupported++
			case r.Err != nil:
				wrong++
				if r.Type.String() != "u32" {
					t.Errorf("%+v", r)
				}
			}
		}
		if len(results) != 10*len(scope.sizes) || unsupported != len(scope.sizes) || (wrong > 0) != broken {
			t.Errorf("broken %v: %d results, %d wrong, %d unsupported", broken, len(results), wrong, unsupported)
		}
		if drv.Live() != 0 {
			t.Errorf("%d objects leaked", drv.Live())
		}
	}
}

// TestTrust runs the self-test of OpenCL devices under auto: once for all that are
// alike, with its result kept in the cache directory.
func TestTrust(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv(cachedir.Env, "")  // the user's own comes first
	tested := map[string]bool{} // by trustPath: devices that are alike share it
	for _, d := range drivertest.Devices(t, opencl.New()) {
		id := d.Caps().ID
		for range 2 {
			e, err := New(Config{Device: id})
			if err != nil {
				t.Fatal(err)
			}
			s := e.known[id]
			if err := s.trust(); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			// Later engines take the file's word and load nothing.
			if used, known := s.Bindings() > 0, tested[s.trustPath()]; used == known {
				t.Errorf("%s: used the device: %v, tested before: %v", id, used, known)
			}
			tested[s.trustPath()] = true
			files, err := filepath.Glob(filepath.Join(cache, "gpusort", "selftest", "[^.]*"))
			if err != nil || len(files) == 0 {
				t.Fatalf("no result is kept: %v", err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestSelfTestSizes: an algorithm is not asked for more or fewer items than it sorts,
// and the CPU is tested as well.
func TestSelfTestSizes(t *testing.T) {
	bounded := inMemory
	bounded.Name = "bounded"
	bounded.Supports = func(p plan.Problem, c driver.Caps) error {
		if p.Items < 2 || p.Items > 1000 {
			return algo.Unsupported("%d items", p.Items)
		}
		return inMemory.Supports(p, c)
	}
	for _, device := range []string{"fake:0", "cpu"} {
		results, err := SelfTest(context.Background(), Config{
			Device: device, Drivers: []driver.Driver{newFake()}, Algorithms: []algo.Algorithm{bounded}, Images: fakeImages,
		})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, r := range results {
			seen[r.Device]++
			if r.Err != nil && r.Type != key.I16 {
				t.Errorf("%+v", r)
			}
			if r.Device == "fake:0" && r.Err == nil && (r.Items < 2 || r.Items > 1000) {
				t.Errorf("asked for %d items", r.Items)
			}
		}
		if (seen["cpu"] > 0) != (device != "fake:0") || (seen["fake:0"] > 0) != (device != "cpu") {
			t.Errorf("%s: tested %v", device, seen)
		}
	}
}
