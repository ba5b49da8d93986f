package exec

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
)

// pinnedRange is page-locked memory that callers of an executor hold.
type pinnedRange struct {
	from, to uintptr
}

// Pinned is page-locked host memory of a device.
type Pinned struct {
	x    *Executor
	host driver.HostBuffer
	once sync.Once
	rng  pinnedRange
}

// AllocPinned makes page-locked memory, which copies at the link's full rate. The
// owner closes it.
func (s *Session) AllocPinned(bytes uint64) (*Pinned, error) {
	h, err := s.dev.AllocHost(bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %d bytes of pinned memory: %w", s.id, bytes, err)
	}
	p := &Pinned{x: s.x, host: h}
	p.rng = pinnedRange{uintptr(h.Pointer()), uintptr(h.Pointer()) + uintptr(bytes)}
	s.x.mu.Lock()
	s.x.pinned = append(s.x.pinned, p.rng)
	s.x.mu.Unlock()
	return p, nil
}

// Pointer is the first byte; nil after Close.
func (p *Pinned) Pointer() unsafe.Pointer { return p.host.Pointer() }

// Close frees the memory. A second Close is a no-op that returns nil.
func (p *Pinned) Close() (err error) {
	p.once.Do(func() {
		p.x.mu.Lock()
		p.x.pinned = slices.DeleteFunc(p.x.pinned, func(r pinnedRange) bool { return r == p.rng })
		p.x.mu.Unlock()
		err = p.host.Close()
	})
	return err
}

// markPinned marks the spans that lie in page-locked memory.
func (x *Executor) markPinned(spans []transfer.Span) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range spans {
		from := uintptr(spans[i].Host)
		for _, r := range x.pinned {
			if r.from <= from && from+uintptr(spans[i].Bytes) <= r.to {
				spans[i].Direct = true
			}
		}
	}
}
