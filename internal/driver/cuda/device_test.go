//go:build !nogpu && linux && !android && (amd64 || arm64)

package cuda

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

//go:embed testdata/vector.ptx
var vectorPTX []byte

var vectorImage = driver.Image{Name: "vector", Format: driver.PTX, Arch: 50, Data: vectorPTX}

// each runs a test on the test library's first device and on the real one.
func each(t *testing.T, test func(t *testing.T, dev driver.Device)) {
	t.Run("fake", func(t *testing.T) {
		dev, _ := fakeDevice(t)
		test(t, dev)
	})
	t.Run("hardware", func(t *testing.T) { test(t, drivertest.Devices(t, New())[0]) })
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// rig is a queue and n words of device memory, all 7, with a kernel's launch
// that adds 3 to each.
type rig struct {
	t   testing.TB
	dev driver.Device
	q   *queue
	buf driver.Buffer
	n   uint64
	add driver.Kernel
	l   driver.Launch
}

func newRig(t testing.TB, dev driver.Device, n uint64) *rig {
	t.Helper()
	q, err := dev.NewQueue()
	must(t, err)
	b, err := dev.Alloc(4 * n)
	must(t, err)
	m, err := dev.LoadModule([]driver.Image{vectorImage})
	must(t, err)
	k, err := m.Kernel("gs_test_add")
	must(t, err)
	must(t, q.Memset(b, 0, 7, 4*n))
	return &rig{t, dev, q.(*queue), b, n, k, driver.Launch{
		Grid: driver.Dim{X: 4}, Block: driver.Dim{X: 64},
		Args: []driver.Arg{{Buf: b}, {Val: n, Size: 8}, {Val: 3, Size: 4}},
	}}
}

// want checks every word.
func (r *rig) want(v uint32) {
	r.t.Helper()
	p := make([]byte, 4*r.n)
	must(r.t, r.q.CopyOut(unsafe.Pointer(&p[0]), r.buf, 0, 4*r.n))
	must(r.t, r.q.Synchronize())
	for i := range r.n {
		if got := binary.LittleEndian.Uint32(p[4*i:]); got != v {
			r.t.Fatalf("word %d is %d, want %d", i, got, v)
		}
	}
}

func TestGraph(t *testing.T) {
	each(t, func(t *testing.T, dev driver.Device) {
		r := newRig(t, dev, 1000)
		g, err := r.q.Capture(func() error {
			return errors.Join(r.q.Memset(r.buf, 0, 1, 4*r.n), r.q.Launch(r.add, r.l), r.q.Launch(r.add, r.l))
		})
		must(t, err)
		r.want(7) // noted, not run
		for range 3 {
			must(t, g.Launch(r.q))
		}
		r.want(7)
		r.l.Args[2].Val = 0 // arguments were noted by value
		must(t, r.q.Launch(r.add, r.l))
		must(t, g.Launch(r.q))
		r.want(7)
		must(t, r.q.Memset(r.buf, 0, 0, 4*r.n))
		r.want(0)
		must(t, g.Launch(r.q))
		r.want(7)
		must(t, g.Close())
		must(t, g.Close())
		if err := g.Launch(r.q); !errors.Is(err, driver.ErrClosed) {
			t.Errorf("launching a closed graph: %v", err)
		}

		mine := errors.New("mine")
		if _, err := r.q.Capture(func() error { must(t, r.q.Launch(r.add, r.l)); return mine }); err != mine {
			t.Errorf("the function's error came back as %v", err)
		}
		func() {
			defer func() { recover() }()
			_, _ = r.q.Capture(func() error { panic("mine") })
		}()
		r.want(7) // the queue works as before
		must(t, r.q.Launch(r.add, r.l))
	})
}

func TestBatch(t *testing.T) {
	each(t, func(t *testing.T, dev driver.Device) {
		r := newRig(t, dev, 100)
		must(t, r.q.Batch(func() error {
			for range 10 {
				must(t, r.q.Launch(r.add, r.l))
			}
			b, err := dev.Alloc(64) // another user of the device in between
			must(t, err)
			must(t, b.Close())
			return r.q.Batch(func() error { return r.q.Launch(r.add, r.l) })
		}))
		r.want(40)
		mine := errors.New("mine")
		if err := r.q.Batch(func() error { return mine }); err != mine {
			t.Errorf("the function's error came back as %v", err)
		}
		func() {
			defer func() { recover() }()
			_ = r.q.Batch(func() error { panic("mine") })
		}()
		if n := batches.Load(); n != 0 || r.q.batch {
			t.Errorf("%d batches left open", n)
		}
		// Closing the device in a batch ends it without harm.
		must(t, r.q.Batch(func() error { return dev.Close() }))
		if err := r.q.Launch(r.add, r.l); !errors.Is(err, driver.ErrClosed) {
			t.Errorf("launching on a closed device: %v", err)
		}
	})
}

func TestSharedMemory(t *testing.T) {
	each(t, func(t *testing.T, dev driver.Device) {
		r := newRig(t, dev, 5)
		m, err := dev.LoadModule([]driver.Image{vectorImage})
		must(t, err)
		k, err := m.Kernel("gs_test_shared")
		must(t, err)
		for i, bytes := range []uint64{1024, dev.Caps().SharedPerBlock, dev.Caps().SharedPerBlockMax} {
			v := uint64(100 + i)
			must(t, r.q.Launch(k, driver.Launch{Grid: driver.Dim{X: 5}, SharedBytes: uint32(bytes),
				Args: []driver.Arg{{Buf: r.buf}, {Val: bytes, Size: 4}, {Val: v, Size: 4}}}))
			r.want(uint32(v))
		}
		err = r.q.Launch(k, driver.Launch{SharedBytes: uint32(dev.Caps().SharedPerBlockMax) + 4,
			Args: []driver.Arg{{Buf: r.buf}, {Val: 4, Size: 4}, {Val: 1, Size: 4}}})
		if !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("more shared memory than there is: %v", err)
		}
	})
}

func TestOccupancy(t *testing.T) {
	each(t, func(t *testing.T, dev driver.Device) {
		k := newRig(t, dev, 1).add.(driver.Occupier)
		c := dev.Caps()
		full, err := k.Occupancy(128, 0)
		must(t, err)
		if full < 1 || full*128 > c.MaxThreadsPerUnit {
			t.Errorf("%d blocks of 128 threads on a unit of %d", full, c.MaxThreadsPerUnit)
		}
		one, err := k.Occupancy(128, uint32(c.SharedPerBlockMax))
		must(t, err)
		if one < 1 || uint64(one)*c.SharedPerBlockMax > c.SharedPerUnit {
			t.Errorf("%d blocks with all of the shared memory", one)
		}
		none, err := k.Occupancy(128, uint32(c.SharedPerBlockMax)+1)
		must(t, err)
		if none != 0 {
			t.Errorf("%d blocks with more shared memory than a block can have", none)
		}
		if _, err := k.Occupancy(0, 0); err == nil {
			t.Error("blocks of 0 threads are accepted")
		}
	})
}

func TestGlobalAndPoolAndRegistered(t *testing.T) {
	each(t, func(t *testing.T, dev driver.Device) {
		r := newRig(t, dev, 64)
		m, err := dev.LoadModule([]driver.Image{vectorImage})
		must(t, err)
		g, err := m.(driver.GlobalFinder).Global("gs_test_word")
		must(t, err)
		var word uint64
		must(t, r.q.CopyOut(unsafe.Pointer(&word), g, 0, 8))
		must(t, r.q.Synchronize())
		if word != 0x0123456789abcdef || g.Bytes() != 8 {
			t.Errorf("the variable is %#x in %d bytes", word, g.Bytes())
		}
		must(t, g.Close())
		if _, err := m.(driver.GlobalFinder).Global("gs_no_such"); err == nil {
			t.Error("a variable that does not exist was found")
		}

		b, err := r.q.AllocInOrder(256)
		must(t, err)
		must(t, r.q.Memset(b, 0, 9, 256))
		must(t, r.q.Copy(r.buf, 0, b, 0, 256))
		must(t, b.Close())
		must(t, b.Close())
		r.want(9)
		// One that outlives its queue.
		q, err := dev.NewQueue()
		must(t, err)
		late, err := q.(driver.QueueAllocator).AllocInOrder(1 << 20)
		must(t, err)
		must(t, q.Close())
		must(t, late.Close())

		mem := make([]uint32, 1<<16)
		for i := range mem {
			mem[i] = 11
		}
		h, err := dev.(driver.HostRegisterer).RegisterHost(unsafe.Pointer(&mem[0]), uint64(4*len(mem)))
		must(t, err)
		must(t, r.q.CopyIn(r.buf, 0, h.Pointer(), 4*r.n))
		r.want(11)
		must(t, h.Close())
		must(t, h.Close())
	})
}

// TestAllocations: steady work allocates nothing, an event its own value.
func TestAllocations(t *testing.T) {
	if raceDetector {
		absent.Skip(t, "a count of allocations", "with the race detector pools forget at random")
	}
	each(t, func(t *testing.T, dev driver.Device) {
		r := newRig(t, dev, 64)
		h, err := dev.AllocHost(256)
		must(t, err)
		g, err := r.q.Capture(func() error { return r.q.Launch(r.add, r.l) })
		must(t, err)
		batched := func() error { return r.q.Launch(r.add, r.l) }
		start, err := r.q.Record()
		must(t, err)
		end, err := r.q.Record()
		must(t, err)
		for _, c := range []struct {
			name string
			most float64
			f    func() error
		}{
			{"launch", 0, func() error { return r.q.Launch(r.add, r.l) }},
			{"batch", 0, func() error { return r.q.Batch(batched) }},
			{"memset", 0, func() error { return r.q.Memset(r.buf, 0, 1, 256) }},
			{"copy in", 0, func() error { return r.q.CopyIn(r.buf, 0, h.Pointer(), 256) }},
			{"copy out", 0, func() error { return r.q.CopyOut(h.Pointer(), r.buf, 0, 256) }},
			{"copy", 0, func() error { return r.q.Copy(r.buf, 0, r.buf, 128, 128) }},
			{"graph", 0, func() error { return g.Launch(r.q) }},
			{"synchronize", 0, r.q.Synchronize},
			{"timing", 0, func() error {
				err := errors.Join(start.(driver.Rerecorder).Rerecord(r.q), end.(driver.Rerecorder).Rerecord(r.q), end.Wait())
				if err != nil {
					return err
				}
				_, err = end.Since(start)
				return err
			}},
			{"event", 1, func() error {
				e, err := r.q.Record()
				if err != nil {
					return err
				}
				return e.Close()
			}},
		} {
			var failed error
			if n := testing.AllocsPerRun(50, func() { failed = errors.Join(failed, c.f()) }); n > c.most {
				t.Errorf("%s: %v allocations, want at most %v", c.name, n, c.most)
			}
			must(t, failed)
		}
		must(t, r.q.Synchronize())
	})
}
