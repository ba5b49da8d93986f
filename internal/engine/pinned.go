package engine

import (
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// Pinned is page-locked host memory of an engine's device; without a device it
// is ordinary memory.
type Pinned struct {
	locked *exec.Pinned // nil: ordinary
	words  []uint64
}

// AllocPinned makes page-locked memory, which copies at the link's full rate.
// On the CPU, or under auto without a device, it is ordinary memory. The owner
// closes it.
func (e *Engine) AllocPinned(bytes uint64) (*Pinned, error) {
	d, err := e.any()
	if err != nil {
		return nil, err
	}
	if d == nil {
		words, err := mem.Words("allocate", bytes)
		if err != nil {
			return nil, fmt.Errorf("cpu: pinned memory: %w", err)
		}
		return &Pinned{words: words}, nil
	}
	locked, err := d.AllocPinned(bytes)
	if err != nil {
		return nil, err
	}
	return &Pinned{locked: locked}, nil
}

// Pointer is the first byte; nil after Close.
func (p *Pinned) Pointer() unsafe.Pointer {
	if p.locked != nil {
		return p.locked.Pointer()
	}
	return unsafe.Pointer(unsafe.SliceData(p.words))
}

// Close frees the memory. A second Close is a no-op that returns nil.
func (p *Pinned) Close() error {
	p.words = nil
	if p.locked == nil {
		return nil
	}
	return p.locked.Close()
}
