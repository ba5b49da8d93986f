package engine

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/mem"
)

// pinnedRange is page-locked memory that callers of an engine hold.
type pinnedRange struct {
	from, to uintptr
}

// Pinned is page-locked host memory of an engine's device; without a device it
// is ordinary memory.
type Pinned struct {
	e     *Engine
	host  driver.HostBuffer // nil: ordinary
	words []uint64
	once  sync.Once
	rng   pinnedRange
}

// AllocPinned makes page-locked memory, which copies at the link's full rate.
// On the CPU, or under auto without a device, it is ordinary memory. The owner
// closes it.
func (e *Engine) AllocPinned(bytes uint64) (*Pinned, error) {
	s, err := e.any()
	if err != nil {
		return nil, err
	}
	if s == nil {
		words, err := mem.Words("allocate", bytes)
		if err != nil {
			return nil, fmt.Errorf("cpu: pinned memory: %w", err)
		}
		return &Pinned{e: e, words: words}, nil
	}
	h, err := s.dev.AllocHost(bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %d bytes of pinned memory: %w", s.id, bytes, err)
	}
	p := &Pinned{e: e, host: h}
	p.rng = pinnedRange{uintptr(h.Pointer()), uintptr(h.Pointer()) + uintptr(bytes)}
	e.mu.Lock()
	e.pinned = append(e.pinned, p.rng)
	e.mu.Unlock()
	return p, nil
}

// Pointer is the first byte; nil after Close.
func (p *Pinned) Pointer() unsafe.Pointer {
	if p.host != nil {
		return p.host.Pointer()
	}
	return unsafe.Pointer(unsafe.SliceData(p.words))
}

// Close frees the memory. A second Close is a no-op that returns nil.
func (p *Pinned) Close() (err error) {
	p.once.Do(func() {
		p.words = nil
		if p.host == nil {
			return
		}
		p.e.mu.Lock()
		p.e.pinned = slices.DeleteFunc(p.e.pinned, func(r pinnedRange) bool { return r == p.rng })
		p.e.mu.Unlock()
		err = p.host.Close()
	})
	return err
}

// markPinned marks the spans that lie in page-locked memory.
func (e *Engine) markPinned(spans []transfer.Span) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range spans {
		from := uintptr(spans[i].Host)
		for _, r := range e.pinned {
			if r.from <= from && from+uintptr(spans[i].Bytes) <= r.to {
				spans[i].Direct = true
			}
		}
	}
}
