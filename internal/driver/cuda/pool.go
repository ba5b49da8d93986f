//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cuda

import (
	"math"
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda/cu"
)

// memPool is a device's pool for allocations in queue order. It keeps what is
// freed until an ordinary allocation runs out of memory.
type memPool struct {
	mu sync.Mutex
	h  cu.MemPool
}

// get returns the pool, made the first time.
func (m *memPool) get(d *device) (cu.MemPool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.h != 0 {
		return m.h, nil
	}
	v, r := d.l.DeviceAttribute(cu.MemoryPoolsSupported, d.h)
	if r != cu.Success && r != cu.InvalidValue {
		return 0, d.fail("cuDeviceGetAttribute", r, "")
	}
	if v == 0 || !d.l.HasMemPools() {
		return 0, d.unsupported("cuMemPoolCreate", "the device or its driver (before CUDA 11.2) has no memory pools; use Alloc")
	}
	p, r := d.l.MemPoolCreate(d.h)
	if err := d.fail("cuMemPoolCreate", r, ""); err != nil {
		return 0, err
	}
	if err := d.fail("cuMemPoolSetAttribute", d.l.MemPoolKeep(p, math.MaxUint64), ""); err != nil {
		d.l.MemPoolDestroy(p)
		return 0, err
	}
	m.h = p
	return p, nil
}

// trim gives unused memory back; it reports whether there is a pool.
func (m *memPool) trim(l *cu.Lib) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.h != 0 && l.MemPoolTrimTo(m.h, 0) == cu.Success
}

func (m *memPool) drain(l *cu.Lib, note func(string, cu.Result)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.h != 0 {
		note("cuMemPoolDestroy", l.MemPoolDestroy(m.h))
	}
	m.h = 0
}

// AllocInOrder implements driver.QueueAllocator.
func (q *queue) AllocInOrder(bytes uint64) (driver.Buffer, error) {
	v, err := q.enter("cuMemAllocFromPoolAsync")
	if err != nil {
		return nil, err
	}
	defer q.d.leave(q.f, v)
	if bytes == 0 {
		return q.d.own(0, 0, nil), nil
	}
	pool, err := q.d.pool.get(q.d)
	if err != nil {
		return nil, err
	}
	p, r := q.d.l.MemAllocFromPool(bytes, pool, q.s)
	if r != cu.Success {
		return nil, q.d.fail("cuMemAllocFromPoolAsync", r, q.d.shortage(bytes, r))
	}
	return q.d.own(p, bytes, q), nil
}
