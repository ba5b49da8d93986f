package gpusort

import (
	"cmp"
	"context"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/op"
)

// Stream is a queue of a Sorter's device in which Buffers are sorted while the program
// goes on. What is in it is done in order. A Stream is used by one goroutine at a time.
type Stream struct {
	s      *Sorter
	stream *engine.Stream
}

// NewStream makes a Stream with a queue of its own, whose Handle other libraries can be
// given. A Sorter without a device has none: the error wraps ErrNoDevice. The caller closes
// it before s.
func NewStream(s *Sorter) (*Stream, error) {
	if err := s.check("NewStream"); err != nil {
		return nil, err
	}
	t, err := s.engine.NewStream()
	if err != nil {
		return nil, fail("NewStream", err)
	}
	return &Stream{s, t}, nil
}

// WrapStream makes a Stream of the caller's queue on the device of s: a CUstream of the
// primary context, or an in-order cl_command_queue of the context of s, which is that of
// its Buffers' cl_mem. Sorts in it are in order with the caller's own work there. The
// owner keeps the queue open until the Stream is closed, which does not close the queue.
func WrapStream(s *Sorter, handle uintptr) (*Stream, error) {
	if err := s.check("WrapStream"); err != nil {
		return nil, err
	}
	t, err := s.engine.WrapStream(handle)
	if err != nil {
		return nil, fail("WrapStream", err)
	}
	return &Stream{s, t}, nil
}

func (t *Stream) check(op string) error {
	if t == nil || t.stream == nil {
		return fmt.Errorf("gpusort: %s: %w: the Stream is nil or zero: make one with NewStream or WrapStream", op, ErrClosed)
	}
	return nil
}

// Handle is the CUstream or cl_command_queue, valid until Close; 0 for a Stream that is
// nil, zero or closed.
func (t *Stream) Handle() uintptr {
	if t.check("Stream.Handle") != nil {
		return 0
	}
	return t.stream.Handle()
}

// Close waits for what is in the Stream and frees the scratch memory that its sorts share.
// A second Close is a no-op.
func (t *Stream) Close() error {
	if err := t.check("Stream.Close"); err != nil {
		return err
	}
	return fail("Stream.Close", t.stream.Close())
}

// Pending is a sort that was put into a Stream. It is used by one goroutine at a time.
type Pending struct {
	s    *Sorter
	name string
	work *engine.Pending
}

// Done reports, without waiting, whether the sort has ended, with an error or without.
func (p *Pending) Done() (bool, error) {
	if err := p.check("Pending.Done"); err != nil {
		return false, err
	}
	done, err := p.work.Done()
	return done, fail("Pending.Done", err)
}

// Wait waits for the sort and reports what it did; Elapsed is from the start of the sort to
// the end of this call. After an error the Buffers' contents are undefined. A second Wait
// returns the same. A program that knows by other means when the Stream is done need not
// wait, but keeps some bytes on the device until the Sorter is closed.
func (p *Pending) Wait() (Report, error) {
	if err := p.check("Pending.Wait"); err != nil {
		return Report{}, err
	}
	r, err := p.work.Wait()
	p.s.note(context.Background(), r)
	return Report(r), fail(p.name, err)
}

func (p *Pending) check(op string) error {
	if p == nil || p.work == nil {
		return fmt.Errorf("gpusort: %s: %w: it is nil or zero: SortBufferOn and the like make it", op, ErrClosed)
	}
	return nil
}

// SortBufferOn is SortBuffer in a Stream of the same Sorter: it returns before the device
// has sorted. Until it has, only work in the same queue uses the Buffer. ctx ends it only
// before it is in the queue.
func SortBufferOn[T AnyKey](ctx context.Context, t *Stream, b *Buffer[T]) (*Pending, error) {
	if err := cmp.Or(t.check("SortBufferOn"), b.check("SortBufferOn")); err != nil {
		return nil, err
	}
	return t.start(ctx, "SortBufferOn", op.Spec{Type: typeOf[T](), Items: uint64(b.n)}, engine.Regions{b.region()})
}

// SortPairsBufferOn is SortPairsBuffer in a Stream, as SortBufferOn.
func SortPairsBufferOn[K AnyKey, V any](ctx context.Context, t *Stream, keys *Buffer[K], values *Buffer[V]) (*Pending, error) {
	const name = "SortPairsBufferOn"
	if err := cmp.Or(t.check(name), keys.check(name), values.check(name)); err != nil {
		return nil, err
	}
	if keys.n != values.n {
		return nil, lengths(name, "keys", keys.n, "values", values.n)
	}
	p := op.Spec{Type: typeOf[K](), Mode: op.Pairs, Items: uint64(keys.n), ValueBytes: int(unsafe.Sizeof(*new(V)))}
	return t.start(ctx, name, p, engine.Regions{keys.region(), values.region()})
}

// ArgsortBufferOn is ArgsortBuffer in a Stream, as SortBufferOn.
func ArgsortBufferOn[T AnyKey, I Index](ctx context.Context, t *Stream, idx *Buffer[I], keys *Buffer[T]) (*Pending, error) {
	const name = "ArgsortBufferOn"
	if err := cmp.Or(t.check(name), keys.check(name), idx.check(name)); err != nil {
		return nil, err
	}
	if keys.n != idx.n {
		return nil, lengths(name, "keys", keys.n, "indices", idx.n)
	}
	p := op.Spec{Type: typeOf[T](), Mode: op.Argsort, Items: uint64(keys.n), ValueBytes: int(unsafe.Sizeof(*new(I)))}
	return t.start(ctx, name, p, engine.Regions{keys.region(), idx.region()})
}

func (t *Stream) start(ctx context.Context, name string, p op.Spec, at engine.Regions) (*Pending, error) {
	p.Order = t.s.order
	w, err := t.stream.Start(orBackground(ctx), p, at)
	if err != nil {
		return nil, fail(name, err)
	}
	return &Pending{t.s, name, w}, nil
}

// DevicePointer is where the Buffer's items begin on the device, for other libraries, until
// Close: a CUdeviceptr, or a cl_mem. Of a slice that does not begin where its Buffer does,
// OpenCL has none: the error wraps ErrUnsupported. It wraps ErrNoDevice if the Buffer is
// host memory.
func (b *Buffer[T]) DevicePointer() (uintptr, error) {
	if err := b.check("Buffer.DevicePointer"); err != nil {
		return 0, err
	}
	p, err := b.region().Handle()
	return p, fail("Buffer.DevicePointer", err)
}
