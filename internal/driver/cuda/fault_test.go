//go:build !nogpu && linux && !android && (amd64 || arm64)

package cuda

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

// childEnv makes TestHardwareFault the child that breaks its context.
const childEnv = "GPUSORT_TEST_FAULT_CHILD"

// TestHardwareFault lets a kernel fault, in a process
// of its own, since a fault ends the context for the whole process.
func TestHardwareFault(t *testing.T) {
	if os.Getenv(childEnv) == "" {
		drivertest.Devices(t, New())
		cmd := exec.Command(os.Args[0], "-test.run=^TestHardwareFault$", "-test.v")
		cmd.Env = append(os.Environ(), childEnv+"=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	devs, err := New().Devices()
	must(t, err)
	dev := devs[0]
	r := newRig(t, dev, 16)
	m, err := dev.LoadModule([]driver.Image{vectorImage})
	must(t, err)
	k, err := m.Kernel("gs_test_fault")
	must(t, err)
	must(t, r.q.Launch(k, driver.Launch{Args: []driver.Arg{{Val: 1 << 40, Size: 8}}}))
	if err := r.q.Synchronize(); !errors.Is(err, driver.ErrDeviceLost) {
		t.Errorf("a fault is reported as %v", err)
	}
	if err := r.q.Launch(r.add, r.l); !errors.Is(err, driver.ErrDeviceLost) {
		t.Errorf("the fault does not stick: %v", err)
	}
	must(t, r.buf.Close())
	must(t, r.q.Close())
	must(t, dev.Close())
}

// compile makes a library of C text.
func compile(t *testing.T, text string) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		absent.Skip(t, "cc", "a test library cannot be compiled")
	}
	dir := t.TempDir()
	src, lib := filepath.Join(dir, "lib.c"), filepath.Join(dir, "lib.so")
	must(t, os.WriteFile(src, []byte(text), 0o600))
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", lib, src).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return lib
}

// TestNoDevice: every way of having none is ErrNoDevice with words that help.
func TestNoDevice(t *testing.T) {
	var all strings.Builder // a library with every function, whose cuInit fails
	for _, name := range requiredSymbols(t) {
		if name != "cuInit" && name != "cuGetErrorString" && name != "cuGetErrorName" {
			all.WriteString("int " + name + "(void) { return 0; }\n")
		}
	}
	names := "int cuGetErrorName(int e, char **p) { *p = \"NAME\"; return 0; }\nint cuGetErrorString(int e, char **p) { *p = \"words\"; return 0; }\n"
	for _, c := range []struct{ name, path, text string }{
		{"absent", "/nonexistent/libcuda.so.1", "install the NVIDIA driver"},
		{"old", compile(t, "int cuInit(int f) { return 0; }"), "driver too old: needs cuDriverGetVersion, "},
		{"no device", compile(t, all.String()+names+"int cuInit(int f) { return 100; }"), "CUDA_VISIBLE_DEVICES"},
		{"stub", compile(t, all.String()+names+"int cuInit(int f) { return 34; }"), "is the toolkit's stub"},
		{"broken", compile(t, all.String()+names+"int cuInit(int f) { return 802; }"), "words"},
		{"ancient", compile(t, all.String()+names+"int cuInit(int f) { return 0; }"), "driver too old: it supports CUDA 0.0, needs 9.0"},
	} {
		t.Setenv(LibraryEnv, c.path)
		devs, err := New().Devices()
		if devs != nil || !errors.Is(err, driver.ErrNoDevice) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: %v, want ErrNoDevice and %q", c.name, err, c.text)
		}
	}
}

// requiredSymbols asks an empty library what it lacks.
func requiredSymbols(t *testing.T) []string {
	t.Setenv(LibraryEnv, compile(t, "int nothing;"))
	_, err := New().Devices()
	var e *driver.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(e.Detail, "needs ")
	list, _, _ = strings.Cut(list, ";")
	return strings.Split(list, ", ")
}
