package run

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec/transfer"
)

// guardPattern is guardByte as device fills take it.
const guardPattern = 0xA5A5A5A5

// devBuffer is device memory with guards on both sides.
type devBuffer struct {
	name string
	buf  driver.Buffer
	room uint64 // bytes between the guards, a multiple of 4
	used uint64 // bytes that the sort at hand may touch
}

func newDevBuffer(s *stock, name string, n uint64) (*devBuffer, error) {
	if n == 0 {
		return nil, nil
	}
	room := (n + 3) / 4 * 4
	b, err := s.buffer(name, room+2*guardBytes)
	if err != nil {
		return nil, err
	}
	return &devBuffer{name, b, room, n}, nil
}

// place is the first byte between the guards. Without a buffer it is nowhere.
func (b *devBuffer) place() transfer.Place {
	if b == nil {
		return transfer.Place{}
	}
	return transfer.Place{Buf: b.buf, Off: guardBytes}
}

// address is the device address; 0 without a buffer.
func (b *devBuffer) address() uintptr {
	if b == nil {
		return 0
	}
	return b.buf.Handle() + guardBytes
}

// end is where the guard behind the used bytes begins, rounded up to a word.
func (b *devBuffer) end() uint64 { return guardBytes + (b.used+3)/4*4 }

// arm queues the writing of both guards.
func (b *devBuffer) arm(q driver.Queue) error {
	if b == nil {
		return nil
	}
	if err := q.Memset(b.buf, 0, guardPattern, guardBytes); err != nil {
		return err
	}
	return q.Memset(b.buf, b.end(), guardPattern, guardBytes)
}

// fetch queues a copy of both guards to host memory of 2·guardBytes.
func (b *devBuffer) fetch(q driver.Queue, to unsafe.Pointer) error {
	if err := q.CopyOut(to, b.buf, 0, guardBytes); err != nil {
		return err
	}
	return q.CopyOut(unsafe.Add(to, guardBytes), b.buf, b.end(), guardBytes)
}

// intact judges what fetch brought.
func (b *devBuffer) intact(at unsafe.Pointer) error {
	g := unsafe.Slice((*byte)(at), 2*guardBytes)
	for i, side := range []string{"before", "after"} {
		part := g[i*guardBytes : (i+1)*guardBytes]
		if off := slices.IndexFunc(part, func(x byte) bool { return x != guardByte }); off >= 0 {
			return fmt.Errorf("wrote outside the %s buffer: byte %d of the guard %s it changed", b.name, off, side)
		}
	}
	return nil
}
