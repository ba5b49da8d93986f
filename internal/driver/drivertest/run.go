package drivertest

import (
	"encoding/binary"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

// Run checks that drv keeps the contracts of package driver, on each of its
// devices. Without a device it skips or fails as Devices does.
func Run(t *testing.T, drv driver.Driver, k Kernels) {
	for i, dev := range Devices(t, drv) {
		t.Run(dev.Caps().ID, func(t *testing.T) {
			s := suite{drv: drv, index: i, dev: dev, k: k}
			t.Log(dev.Caps().Name, dev.Caps().DriverVersion)
			for _, c := range []struct {
				name string
				f    func(*testing.T, suite)
			}{
				{"caps", testCaps},
				{"alloc", testAlloc},
				{"copies", testCopies},
				{"copies-out-of-range", testCopyRange},
				{"memset", testMemset},
				{"wrap", testWrap},
				{"host-buffers", testHostBuffers},
				{"out-of-memory", testOutOfMemory},
				{"launch", testLaunch},
				{"launch-64", testLaunch64},
				{"argument-sizes", testArgs},
				{"grid-2d", testGrid2},
				{"dynamic-shared", testShared},
				{"unknown-kernel", testUnknownKernel},
				{"bad-image", testBadImage},
				{"module-cache", testModuleCache},
				{"attributes", testAttributes},
				{"events", testEvents},
				{"wait-across-queues", testWait},
				{"lent-queue", testLent},
				{"two-goroutines", testGoroutines},
				{"closing", testClose},
				{"closing-device-first", testDeviceFirst},
				{"use-after-close", testUseAfterClose},
				{"foreign-objects", testForeign},
			} {
				t.Run(c.name, func(t *testing.T) { c.f(t, s) })
			}
		})
	}
}

// suite is what a test gets: the device under test, and the way to list it
// again for tests that close it.
type suite struct {
	drv   driver.Driver
	index int
	dev   driver.Device
	k     Kernels
}

// fresh is another value of the same device, closed when the test ends.
func (s suite) fresh(t *testing.T) driver.Device {
	t.Helper()
	return Devices(t, s.drv)[s.index]
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s suite) queue(t *testing.T) driver.Queue {
	t.Helper()
	q, err := s.dev.NewQueue()
	must(t, err)
	t.Cleanup(func() { must(t, q.Close()) })
	return q
}

func (s suite) alloc(t *testing.T, bytes uint64) driver.Buffer {
	t.Helper()
	b, err := s.dev.Alloc(bytes)
	must(t, err)
	t.Cleanup(func() { must(t, b.Close()) })
	return b
}

func (s suite) kernel(t *testing.T, name string) driver.Kernel {
	t.Helper()
	m, err := s.dev.LoadModule([]driver.Image{s.k.Image})
	must(t, err)
	k, err := m.Kernel(name)
	must(t, err)
	if k.Name() != name {
		t.Errorf("kernel %q calls itself %q", name, k.Name())
	}
	return k
}

// pattern is n bytes that depend on their place and on seed.
func pattern(n int, seed uint64) []byte {
	p := make([]byte, (n+7)&^7)
	x := seed*2 + 1
	for i := 0; i < len(p); i += 8 {
		x = x*6364136223846793005 + 1442695040888963407
		binary.LittleEndian.PutUint64(p[i:], x^x>>29)
	}
	return p[:n]
}

// in, out: copies of whole slices, waiting.
func in(t testing.TB, q driver.Queue, b driver.Buffer, off uint64, p []byte) {
	t.Helper()
	must(t, q.CopyIn(b, off, unsafe.Pointer(unsafe.SliceData(p)), uint64(len(p))))
	must(t, q.Synchronize())
}

func out(t testing.TB, q driver.Queue, b driver.Buffer, off, n uint64) []byte {
	t.Helper()
	p := make([]byte, n)
	must(t, q.CopyOut(unsafe.Pointer(unsafe.SliceData(p)), b, off, n))
	must(t, q.Synchronize())
	return p
}

// equal reports the first difference.
func equal(t testing.TB, what string, got, want []byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d bytes, want %d", what, len(got), len(want))
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%s: byte %d of %d is 0x%02x, want 0x%02x", what, i, len(got), got[i], want[i])
		}
	}
}

func buf(b driver.Buffer, off uint64) driver.Arg { return driver.Arg{Buf: b, Off: off} }
func val(v uint64, size uint8) driver.Arg        { return driver.Arg{Val: v, Size: size} }
