package exec

import (
	"context"
	"errors"
	"slices"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/plan"
)

// lane is what one sort needs of a device at a time: queues, device memory
// that grows and is kept, pinned staging. One goroutine uses it.
type lane struct {
	s      *Session
	q      driver.Queue // work, and copies in order with it
	link   transfer.Link
	memory [plan.MostRegions]arena
	mirror [2]arena        // of shares, the own one and the one before: see mirror.go
	recent []*bound        // arguments of the last plans, the latest last
	times  [2]driver.Event // before and after a sort; nil until the first
	probes []probe         // of the devices that sort together with this one

	// The sort that run is at, for work, which is the method sort: made once, so
	// that handing it over allocates nothing.
	ctx     context.Context
	current *bound
	work    func() error
	status  [plan.StatusBytes]byte // of that sort, as the device wrote it
}

func newLane(s *Session, q driver.Queue) *lane {
	l := &lane{s: s, q: q, link: transfer.Link{Device: s.dev, Caps: s.caps, Work: q, Sizes: &s.x.Sizes.Sizes, Workers: s.x.HostWorkers()}}
	l.work = l.sort
	return l
}

// arena is a device buffer that is replaced by a larger one on demand.
type arena struct{ buf driver.Buffer }

func (a *arena) bytes() uint64 {
	if a.buf == nil {
		return 0
	}
	return a.buf.Bytes()
}

func (a *arena) free() error {
	if a.buf == nil {
		return nil
	}
	err := a.buf.Close()
	a.buf = nil
	return err
}

// grow makes the lane's memory of a region hold at least n bytes and returns it; its
// contents are undefined then.
func (l *lane) grow(r plan.Region, n uint64) (transfer.Place, error) {
	return l.growArena(&l.memory[r], n)
}

func (l *lane) growArena(a *arena, n uint64) (transfer.Place, error) {
	if a.bytes() >= n {
		return transfer.Place{Buf: a.buf}, nil
	}
	l.forget()
	if err := a.free(); err != nil {
		return transfer.Place{}, err
	}
	b, err := l.s.dev.Alloc(n)
	if err != nil {
		return transfer.Place{}, err
	}
	a.buf = b
	return transfer.Place{Buf: b}, nil
}

// held is the device memory that the lane keeps, in bytes.
func (l *lane) held() (bytes uint64) {
	for _, a := range l.memory {
		bytes += a.bytes()
	}
	return bytes + l.mirror[0].bytes() + l.mirror[1].bytes()
}

// forget drops the bound arguments and their graphs, whose addresses may change.
func (l *lane) forget() { l.forgetIf(func(*bound) bool { return true }) }

// forgetIf is forget for some.
func (l *lane) forgetIf(f func(*bound) bool) {
	l.recent = slices.DeleteFunc(l.recent, func(b *bound) bool {
		if !f(b) {
			return false
		}
		b.close()
		return true
	})
}

// trim frees the device memory and keeps the queues.
func (l *lane) trim() error {
	l.forget()
	var errs []error
	for i := range l.memory {
		errs = append(errs, l.memory[i].free())
	}
	return errors.Join(append(errs, l.unmirror())...)
}

// close waits for the lane's work and frees everything. Every part is freed
// even if an earlier one fails.
func (l *lane) close() error {
	// Work that failed has been reported by whoever submitted it.
	_ = l.link.Drain()
	errs := []error{l.trim()}
	for i := range l.probes {
		errs = append(errs, l.probes[i].close())
	}
	for i, e := range l.times {
		if e != nil {
			errs = append(errs, e.Close())
			l.times[i] = nil
		}
	}
	return errors.Join(append(errs, l.link.Close(), l.q.Close())...)
}
