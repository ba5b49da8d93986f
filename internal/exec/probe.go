package exec

import (
	"errors"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/cut"
	"github.com/gpusort/gpusort/internal/exec/transfer"
	"github.com/gpusort/gpusort/internal/key"
)

// probe reads a few bytes of a lane's device for one member of a group, which has it for
// its own: a queue and page-locked memory, made on first use.
type probe struct {
	q   driver.Queue
	mem driver.HostBuffer
}

// relayUnit is what a copy between devices that goes through the host moves at a time.
const relayUnit = 1 << 20

// leastProbe is the memory of a probe at first, in bytes: that of a look at a middle.
const leastProbe = 4 << 10

// open makes the queue and so many bytes of memory on first use. No copy is under way.
func (p *probe) open(d driver.Device, bytes uint64) (err error) {
	if p.q == nil {
		if p.q, err = d.NewQueue(); err != nil {
			p.q = nil
			return err
		}
	}
	if p.mem != nil && p.mem.Bytes() >= bytes {
		return nil
	}
	if p.mem != nil {
		err = p.mem.Close()
		if p.mem = nil; err != nil {
			return err
		}
	}
	if p.mem, err = d.AllocHost(max(bytes, leastProbe)); err != nil {
		p.mem = nil
	}
	return err
}

// close waits for the probe's copies and frees it.
func (p *probe) close() error {
	var errs []error
	if p.q != nil {
		_ = p.q.Synchronize() // what failed has been reported
		errs = append(errs, p.q.Close())
	}
	if p.mem != nil {
		errs = append(errs, p.mem.Close())
	}
	*p = probe{}
	return errors.Join(errs...)
}

// sortedRun is a sorted run on a member's device.
type sortedRun struct {
	member       int
	from         uint64 // the place of its first item in the member's memory
	keys, values transfer.Place
	n            uint64
}

// reader reads the runs' keys for member p. What it returns is valid until the next read.
func (s *groupSort) reader(p int) cut.Read {
	width := uint64(s.spec.Type.Bytes())
	return func(spans []cut.Span) ([]cut.Keys, error) {
		used := make([]uint64, len(s.lanes)) // bytes of each member's probe
		at := make([]uint64, len(spans))
		for i, span := range spans {
			m := s.runs[span.Run].member
			at[i] = used[m]
			used[m] += span.N * width
		}
		for m, n := range used {
			if n == 0 {
				continue
			}
			if err := s.lanes[m].probes[p].open(s.lanes[m].s.dev, n); err != nil {
				return nil, s.named(m, err)
			}
		}
		for i, span := range spans {
			r := s.runs[span.Run]
			b, src := &s.lanes[r.member].probes[p], r.keys.Plus(span.From*width)
			if err := b.q.CopyOut(unsafe.Add(b.mem.Pointer(), at[i]), src.Buf, src.Off, span.N*width); err != nil {
				return nil, s.named(r.member, err)
			}
		}
		for m, n := range used {
			if n != 0 {
				if err := s.lanes[m].probes[p].q.Synchronize(); err != nil {
					return nil, s.named(m, err)
				}
			}
		}
		out := make([]cut.Keys, len(spans))
		for i, span := range spans {
			p := unsafe.Add(s.lanes[s.runs[span.Run].member].probes[p].mem.Pointer(), at[i])
			out[i] = cut.KeysOf(span.N, s.encoder(p, span.N))
		}
		return out, nil
	}
}

// encoder encodes any of n keys at p in host memory.
func (s *groupSort) encoder(p unsafe.Pointer, n uint64) func(i uint64) uint64 {
	return key.ByWidth(s.spec.Type.Bytes(), encoderOf[uint8], encoderOf[uint16], encoderOf[uint32], encoderOf[uint64])(s.spec.Codec(), p, n)
}

func encoderOf[U key.Word](c key.Codec, p unsafe.Pointer, n uint64) func(i uint64) uint64 {
	x := unsafe.Slice((*U)(p), n)
	return func(i uint64) uint64 { return uint64(key.Encode(c, x[i])) }
}
