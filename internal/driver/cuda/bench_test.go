//go:build !nogpu && linux && !android && (amd64 || arm64)

package cuda

import (
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

// drainEvery bounds the launches in flight, so that a benchmark of the host's
// cost does not measure a full queue.
const drainEvery = 256

func benchDevice(b *testing.B) driver.Device { return drivertest.Devices(b, New())[0] }

// BenchmarkLaunch is the host's cost of one launch: each by itself, in a Batch,
// and of a graph of ten.
func BenchmarkLaunch(b *testing.B) {
	r := newRig(b, benchDevice(b), 64)
	loop := func(b *testing.B, f func() error) {
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			must(b, f())
			if i++; i%drainEvery == 0 {
				b.StopTimer()
				must(b, r.q.Synchronize())
				b.StartTimer()
			}
		}
		must(b, r.q.Synchronize())
	}
	one := func() error { return r.q.Launch(r.add, r.l) }
	b.Run("single", func(b *testing.B) { loop(b, one) })
	b.Run("batched", func(b *testing.B) {
		must(b, r.q.Batch(func() error { loop(b, one); return nil }))
	})
	b.Run("graph-of-10", func(b *testing.B) {
		g, err := r.q.Capture(func() error {
			for range 10 {
				must(b, one())
			}
			return nil
		})
		must(b, err)
		loop(b, func() error { return g.Launch(r.q) })
	})
}

// BenchmarkCopy is the rate of copies of 256 MiB from and to page-locked,
// registered and ordinary memory, and on the device.
func BenchmarkCopy(b *testing.B) {
	const n = 256 << 20
	dev := benchDevice(b)
	r := newRig(b, dev, n/4)
	other, err := dev.Alloc(n)
	must(b, err)
	pinned, err := dev.AllocHost(n)
	must(b, err)
	plain, locked := make([]byte, n), make([]byte, n)
	reg, err := dev.(driver.HostRegisterer).RegisterHost(unsafe.Pointer(&locked[0]), n)
	must(b, err)
	run := func(name string, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(n)
			for b.Loop() {
				must(b, f())
				must(b, r.q.Synchronize())
			}
		})
	}
	for _, m := range []struct {
		name string
		p    unsafe.Pointer
	}{{"pinned", pinned.Pointer()}, {"registered", reg.Pointer()}, {"pageable", unsafe.Pointer(&plain[0])}} {
		run("in/"+m.name, func() error { return r.q.CopyIn(r.buf, 0, m.p, n) })
		run("out/"+m.name, func() error { return r.q.CopyOut(m.p, r.buf, 0, n) })
	}
	run("device", func() error { return r.q.Copy(other, 0, r.buf, 0, n) })
	run("memset", func() error { return r.q.Memset(r.buf, 0, 0, n) })
}

// BenchmarkAlloc is the cost of allocating and freeing 64 MiB.
func BenchmarkAlloc(b *testing.B) {
	r := newRig(b, benchDevice(b), 64)
	run := func(name string, f func(uint64) (driver.Buffer, error)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				m, err := f(64 << 20)
				must(b, err)
				must(b, m.Close())
			}
		})
	}
	run("plain", r.dev.Alloc)
	run("pool", r.q.AllocInOrder)
}
