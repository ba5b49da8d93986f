package opencl

import (
	"errors"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

func TestNoLibrary(t *testing.T) {
	t.Setenv(cl.LibraryEnv, "/no/such/library.so")
	_, err := New().Devices()
	var e *driver.Error
	if errors.As(err, &e) && e.Name == "BUILT_WITHOUT" {
		absent.Skip(t, "opencl", "%v", err)
	}
	if !errors.Is(err, driver.ErrNoDevice) || !strings.Contains(err.Error(), "/no/such/library.so") || !strings.Contains(err.Error(), cl.LibraryEnv) {
		t.Errorf("%v: want the class, the library and the variable", err)
	}
}

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		op    string
		code  cl.Code
		class error
	}{
		{"clCreateBuffer", -4, driver.ErrOutOfMemory},
		{"clCreateBuffer", -61, driver.ErrOutOfMemory},
		{"clEnqueueMigrateMemObjects", -5, driver.ErrOutOfMemory},
		{"clEnqueueNDRangeKernel", -4, driver.ErrOutOfMemory},
		{"clEnqueueNDRangeKernel", -5, nil},
		{"clFinish", -5, driver.ErrDeviceLost},
		{"clFinish", -36, driver.ErrDeviceLost},
		{"clWaitForEvents", -9999, driver.ErrDeviceLost},
		{"clGetPlatformIDs", -1001, driver.ErrNoDevice},
		{"clBuildProgram", -3, driver.ErrUnsupported},
		{"clBuildProgram", -11, nil},
	} {
		if got := apiError("", c.op, c.code, "").Class; got != c.class {
			t.Errorf("%s %s: class %v, want %v", c.op, c.code.Name(), got, c.class)
		}
	}
	if s := cl.Code(-12345).Name(); !strings.Contains(s, "-12345") {
		t.Errorf("an unknown code is called %q", s)
	}
}

// A launch with the wrong number of arguments does not run with old ones.
func TestArgumentCount(t *testing.T) {
	q, k, args := launchable(t, drivertest.Devices(t, New())[0])
	for _, l := range []driver.Launch{{Args: args[:4]}, {Args: append(args[:5:5], driver.Arg{Size: 4})}, {Args: args, SharedBytes: 16}} {
		if err := q.Launch(k, l); err == nil || !strings.Contains(err.Error(), "t_args has 6 parameters") {
			t.Errorf("%d arguments, %d bytes of local memory: %v", len(l.Args), l.SharedBytes, err)
		}
	}
	if err := q.Launch(k, driver.Launch{Args: args, Cooperative: true}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("a launch that OpenCL has not: %v", err)
	}
	bad := append([]driver.Arg(nil), args...)
	bad[1].Size = 3
	if err := q.Launch(k, driver.Launch{Args: bad}); err == nil {
		t.Error("an argument of 3 bytes was accepted")
	}
}

// Buffers of one device are refused by another value of it: contexts differ.
func TestOtherContext(t *testing.T) {
	a, b := drivertest.Devices(t, New())[0], drivertest.Devices(t, New())[0]
	x, err := a.Alloc(64)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Wrap(x.Handle(), 64); err == nil || !strings.Contains(err.Error(), "another context") {
		t.Errorf("wrapping: %v", err)
	}
	if _, err := a.Wrap(x.Handle(), 65); !errors.Is(err, driver.ErrOutOfMemory) {
		t.Errorf("wrapping more than there is: %v", err)
	}
	q, err := b.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Memset(x, 0, 0, 64); err == nil {
		t.Error("a queue took another device's buffer")
	}
}
