package transfer

import (
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
)

// Made says when the device has made each part of an output, so that copies of it
// can be queued before. Its methods take nil: all is made.
type Made struct {
	from, part uint64 // where the output begins in its buffer, and what a part has, in bytes
	events     []driver.Event

	mu     sync.Mutex
	waited map[driver.Queue]int // number of parts that a queue has waited for
}

// NewMade is for an output that begins at a place and is made in parts of so many
// bytes. The caller closes it.
func NewMade(at Place, part uint64) *Made {
	return &Made{from: at.Off, part: part, waited: map[driver.Queue]int{}}
}

// Record notes that the next part is made by what q has now.
func (m *Made) Record(q driver.Queue) error {
	e, err := q.Record()
	if err == nil {
		m.events = append(m.events, e)
	}
	return err
}

// hold has q wait for the parts that c lies in. Parts are made in order, so that
// the last one stands for all before it.
func (m *Made) hold(q driver.Queue, c chunk) error {
	if m == nil || c.n == 0 {
		return nil
	}
	last := int((c.s.Dev.Off + c.off + c.n - 1 - m.from) / m.part)
	m.mu.Lock()
	known := m.waited[q] > last
	m.mu.Unlock()
	if known {
		return nil
	}
	if err := q.Wait(m.events[last]); err != nil {
		return err
	}
	m.mu.Lock()
	m.waited[q] = last + 1
	m.mu.Unlock()
	return nil
}

// Close gives the events back. Waits that are queued stay what they are.
func (m *Made) Close() {
	if m == nil {
		return
	}
	for _, e := range m.events {
		// An event that cannot be freed is the device's to free.
		_ = e.Close()
	}
	m.events = nil
}
