package exec

import (
	"encoding/binary"
	"fmt"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// hostSteps runs the host steps of a bound plan. The copies of all steps share
// one page-locked buffer, made by the first and kept: the queue is in order, so
// that what one step copies back is on the device before the next one's copy to
// the host begins.
type hostSteps struct {
	dev   driver.Device
	need  uint64 // of the largest step, in bytes
	mem   driver.HostBuffer
	spent time.Duration // in functions, since the sort began
}

// newHostSteps returns what runs p's host steps, nil if there are none.
func newHostSteps(p *prepared) *hostSteps {
	if !p.HasHostSteps() {
		return nil
	}
	h := &hostSteps{dev: p.dev, need: hostAlign}
	for _, s := range p.Steps {
		var need uint64
		for _, u := range s.Uses {
			need += room(u)
		}
		h.need = max(h.need, need)
	}
	return h
}

// hostAlign is the alignment of each copy, a cache line.
const hostAlign = 64

// room is the size of a use's copy.
func room(u plan.Use) uint64 { return (u.Bytes + hostAlign - 1) / hostAlign * hostAlign }

// fetch copies what the step reads, and waits for it and for all work before.
func (h *hostSteps) fetch(q driver.Queue, s *plan.Step, b *Places) (regions [][]byte, err error) {
	if regions, err = h.lay(s.Uses); err != nil {
		return nil, err
	}
	for i, u := range s.Uses {
		if at := b.at(u.Ref); u.Reads && u.Bytes != 0 {
			if err := q.CopyOut(unsafe.Pointer(&regions[i][0]), at.Buf, at.Off, u.Bytes); err != nil {
				return nil, err
			}
		}
	}
	// Also what earlier steps copy back from this memory must be through.
	return regions, q.Synchronize()
}

// skips says whether the word of an OpSkip is 0.
func (h *hostSteps) skips(q driver.Queue, s *plan.Step, b *Places) (bool, error) {
	regions, err := h.fetch(q, s, b)
	if err != nil {
		return false, err
	}
	return binary.NativeEndian.Uint32(regions[0]) == 0, nil
}

// run fetches what the step reads, calls the function, and queues the copies back.
func (h *hostSteps) run(q driver.Queue, s *plan.Step, f algo.HostStep, b *Places) error {
	regions, err := h.fetch(q, s, b)
	if err != nil {
		return err
	}
	start := time.Now()
	err = f(regions, s.Vals)
	h.spent += time.Since(start)
	if err != nil {
		return fmt.Errorf("host function %s: %w", s.Host, err)
	}
	for i, u := range s.Uses {
		if at := b.at(u.Ref); u.Writes && u.Bytes != 0 {
			if err := q.CopyIn(at.Buf, at.Off, unsafe.Pointer(&regions[i][0]), u.Bytes); err != nil {
				return err
			}
		}
	}
	return nil
}

// lay gives each use its part of the buffer.
func (h *hostSteps) lay(uses []plan.Use) ([][]byte, error) {
	if h.mem == nil {
		m, err := h.dev.AllocHost(h.need)
		if err != nil {
			return nil, fmt.Errorf("%d bytes of page-locked memory for host steps: %w", h.need, err)
		}
		h.mem = m
	}
	all := unsafe.Slice((*byte)(h.mem.Pointer()), h.need)
	regions := make([][]byte, len(uses))
	for i, u := range uses {
		regions[i], all = all[:u.Bytes:u.Bytes], all[room(u):]
	}
	return regions, nil
}

// close frees the buffer. The queue is idle, or has nothing that uses it.
func (h *hostSteps) close() {
	if h.mem != nil {
		// Nothing is lost with it; the device's Close would report a failure.
		_ = h.mem.Close()
		h.mem = nil
	}
}
