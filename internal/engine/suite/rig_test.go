package suite

import (
	"bytes"
	"context"
	"fmt"
	"math/bits"
	"sync"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/engine"
)

// rig is an engine with device memory that its cases use again: allocating
// waits for the device and would take most of the time.
type rig struct {
	*engine.Engine
	mu   sync.Mutex
	free map[uint64][]*engine.Memory // by size, a power of two
}

// open makes the engine of the cases of one device and algorithm.
func open(t *testing.T, device, algorithm string) *rig {
	t.Helper()
	return openWith(t, engine.Config{Device: device, Algorithm: algorithm, Poison: device != "cpu"})
}

func openWith(t *testing.T, c engine.Config) *rig {
	t.Helper()
	e, err := engine.New(c)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Engine: e, free: map[uint64][]*engine.Memory{}}
	t.Cleanup(func() {
		for _, list := range r.free {
			for _, m := range list {
				if err := m.Close(); err != nil {
					t.Errorf("close of device memory: %v", err)
				}
			}
		}
		if err := e.Close(); err != nil {
			t.Errorf("close of the engine: %v", err)
		}
	})
	return r
}

func (r *rig) get(bytes uint64) (*engine.Memory, uint64, error) {
	size := uint64(1) << bits.Len64(max(bytes, 1<<12)-1)
	r.mu.Lock()
	if list := r.free[size]; len(list) > 0 {
		m := list[len(list)-1]
		r.free[size] = list[:len(list)-1]
		r.mu.Unlock()
		return m, size, nil
	}
	r.mu.Unlock()
	m, err := r.Alloc(size)
	return m, size, err
}

// hostMemory keeps the host side of cases, by the length of the size in bits.
var hostMemory [64]sync.Pool

// getHost returns n bytes, aligned for 8-byte words, with undefined contents.
func getHost(n uint64) []byte {
	class := bits.Len64(max(n, 64) - 1)
	p, _ := hostMemory[class].Get().(*byte)
	if p == nil {
		p = (*byte)(unsafe.Pointer(unsafe.SliceData(make([]uint64, 1<<(class-3)))))
	}
	return unsafe.Slice(p, 1<<class)[:n]
}

func putHost(b []byte) {
	hostMemory[bits.Len64(uint64(cap(b)))-1].Put(unsafe.SliceData(b))
}

// guard is the red zone around a region, in bytes.
const guard = 1024

// zoned is device memory with red zones around items that lie shift items off,
// and what it holds as the host last saw it.
type zoned struct {
	rig  *rig
	m    *engine.Memory
	size uint64
	r    engine.Region
	host []byte
}

func newZoned(r *rig, items, itemBytes, shift uint64) (*zoned, error) {
	n := items * itemBytes
	total := (guard + shift*itemBytes + n + guard + 7) &^ 7
	m, size, err := r.get(total)
	if err != nil {
		return nil, err
	}
	z := &zoned{rig: r, m: m, size: size, host: getHost(total)}
	z.r = engine.Region{M: m, Off: guard + shift*itemBytes, Bytes: n}
	for _, zone := range [][]byte{z.host[:z.r.Off], z.host[z.r.Off+n:]} {
		for i := range zone {
			zone[i] = 0xe9
		}
	}
	return z, nil
}

func (z *zoned) free() {
	putHost(z.host)
	z.rig.mu.Lock()
	z.rig.free[z.size] = append(z.rig.free[z.size], z.m)
	z.rig.mu.Unlock()
}

// data are the items on the host's side.
func (z *zoned) data() []byte { return z.host[z.r.Off : z.r.Off+z.r.Bytes : z.r.Off+z.r.Bytes] }

func (z *zoned) all() engine.Region {
	return engine.Region{M: z.m, Bytes: uint64(len(z.host))}
}

func (z *zoned) upload() error {
	return z.all().Upload(context.Background(), unsafe.Pointer(unsafe.SliceData(z.host)))
}

// download fetches items and red zones, and reports a red zone that was
// written.
func (z *zoned) download() error {
	if err := z.all().Download(context.Background(), unsafe.Pointer(unsafe.SliceData(z.host))); err != nil {
		return err
	}
	if !intact(z.host[:z.r.Off]) {
		return fmt.Errorf("the red zone in front was written")
	}
	if !intact(z.host[z.r.Off+z.r.Bytes:]) {
		return fmt.Errorf("the red zone behind was written")
	}
	return nil
}

func intact(zone []byte) bool { return len(zone) == bytes.Count(zone, []byte{0xe9}) }
