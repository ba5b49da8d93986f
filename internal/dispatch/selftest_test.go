package dispatch

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/opencl"
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
		results := e.sessions["fake:0"].selfTest(context.Background(), scope)
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

// TestTrust runs the self-test of OpenCL devices under auto: once, with its
// result kept in the cache directory.
func TestTrust(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv(cachedir.Env, "") // the user's own comes first
	for _, d := range drivertest.Devices(t, opencl.New()) {
		id := d.Caps().ID
		for i := range 2 {
			e, err := New(Config{Device: id})
			if err != nil {
				t.Fatal(err)
			}
			s := e.sessions[id]
			if err := e.trust(s); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			// The second engine takes the file's word and loads nothing.
			if s.opened() != (i == 0) {
				t.Errorf("%s: engine %d used the device: %v", id, i, s.opened())
			}
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
