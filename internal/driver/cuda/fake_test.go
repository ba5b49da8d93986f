//go:build !nogpu && linux && !android && (amd64 || arm64)

package cuda

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if fakeDir != "" {
		os.RemoveAll(fakeDir)
	}
	os.Exit(code)
}

var fakeDir string

// buildFake compiles testdata/fakecuda.c once.
var buildFake = sync.OnceValues(func() (path string, err error) {
	if fakeDir, err = os.MkdirTemp("", "fakecuda"); err != nil {
		return "", err
	}
	path = filepath.Join(fakeDir, "libfakecuda.so")
	out, err := exec.Command("cc", "-O1", "-shared", "-fPIC", "-o", path, "testdata/fakecuda.c", "-lpthread").CombinedOutput()
	if err != nil {
		return "", &exec.Error{Name: string(out), Err: err}
	}
	return path, nil
})

// fake is the controls of the test library.
type fake struct {
	t testing.TB
	l *cu.Lib
}

// fakeDriver returns a driver over the test library, whose state the tests of
// this package share; so they leave nothing alive, which is checked.
func fakeDriver(t testing.TB) (driver.Driver, fake) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		absent.Skip(t, "cc", "the test library cannot be compiled")
	}
	if _, err := os.Stat("testdata/fakecuda.c"); err != nil {
		absent.Skip(t, "testdata/fakecuda.c", "the test library cannot be compiled")
	}
	path, err := buildFake()
	if err != nil {
		t.Fatal(err)
	}
	l, err := cu.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f := fake{t, l}
	bad, astray := f.get("bad"), f.get("no_ctx")
	t.Cleanup(func() {
		f.fail("", 0, 0)
		for _, name := range []string{"memory", "objects", "primary"} {
			if n := f.get(name); n != 0 {
				t.Errorf("%d %s left", n, name)
			}
		}
		if n := f.get("bad") - bad; n != 0 {
			t.Errorf("%d calls with a bad handle, range or flag, or a second release", n)
		}
		if n := f.get("no_ctx") - astray; n != 0 {
			t.Errorf("%d calls on a thread without a current context", n)
		}
	})
	return cudaDriver{path}, f
}

// fakeDevice is the first device of fakeDriver.
func fakeDevice(t testing.TB) (driver.Device, fake) {
	drv, f := fakeDriver(t)
	return drivertest.Devices(t, drv)[0], f
}

func (f fake) get(name string) int64   { return int64(f.control("fake_get", name)) }
func (f fake) calls(name string) int64 { return int64(f.control("fake_calls", name)) }

// fail makes the k-th call from now of a function fail; of any if fn is empty.
func (f fake) fail(fn string, k int, code cu.Result) {
	f.control("fake_fail", fn, uintptr(k), uintptr(code))
}

func (f fake) control(name, s string, args ...uintptr) uintptr {
	f.t.Helper()
	call := f.l.Extra(name)
	if call == nil {
		f.t.Fatalf("the test library lacks %s", name)
	}
	b := append([]byte(s), 0)
	r := call(append([]uintptr{uintptr(unsafe.Pointer(&b[0]))}, args...)...)
	runtime.KeepAlive(b)
	return r
}
