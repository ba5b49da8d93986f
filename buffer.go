package gpusort

import (
	"cmp"
	"context"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/op"
)

// Buffer is memory for n items on the Sorter's device; if the Sorter has none, it is
// host memory. Only Upload and Download copy between it and the host. A Buffer is
// used by one goroutine at a time; several Buffers may be sorted at once.
type Buffer[T any] struct {
	s      *Sorter
	memory *engine.Memory
	off, n int
	parent bool // a slice of another Buffer, whose memory it shares
}

// NewBuffer reserves memory for n items on the device of s. Its contents are
// undefined. T holds no pointers. The caller closes it before s.
func NewBuffer[T any](s *Sorter, n int) (*Buffer[T], error) {
	bytes, err := plainBytes[T]("NewBuffer", n)
	if err != nil {
		return nil, err
	}
	if err := s.check("NewBuffer"); err != nil {
		return nil, err
	}
	m, err := s.engine.Alloc(bytes)
	if err != nil {
		return nil, fail("NewBuffer", err)
	}
	return &Buffer[T]{s: s, memory: m, n: n}, nil
}

// WrapDevicePointer makes a Buffer of n items that another library allocated
// on the device of s: ptr is a CUdeviceptr or a cl_mem. The owner keeps the
// memory alive until the Buffer is closed, and closing frees nothing of it.
func WrapDevicePointer[T any](s *Sorter, ptr uintptr, n int) (*Buffer[T], error) {
	bytes, err := plainBytes[T]("WrapDevicePointer", n)
	if err != nil {
		return nil, err
	}
	if err := s.check("WrapDevicePointer"); err != nil {
		return nil, err
	}
	m, err := s.engine.Wrap(ptr, bytes)
	if err != nil {
		return nil, fail("WrapDevicePointer", err)
	}
	return &Buffer[T]{s: s, memory: m, n: n}, nil
}

// check returns an error if b was not made by NewBuffer or WrapDevicePointer.
func (b *Buffer[T]) check(op string) error {
	if b == nil || b.memory == nil {
		return fmt.Errorf("gpusort: %s: %w: the Buffer is nil or zero: make one with NewBuffer", op, ErrClosed)
	}
	return nil
}

// Len is the number of items; 0 for a nil Buffer.
func (b *Buffer[T]) Len() int {
	if b == nil {
		return 0
	}
	return b.n
}

// OnHost reports whether the Buffer is host memory, because its Sorter has no
// device. It is false for a nil or zero Buffer.
func (b *Buffer[T]) OnHost() bool { return b.check("Buffer.OnHost") == nil && b.memory.OnHost() }

// Slice is the Buffer's items [i, j), which share its memory. Closing the Buffer
// frees that memory; closing the slice frees nothing. Like a Go slice expression it
// panics if i or j is out of range.
func (b *Buffer[T]) Slice(i, j int) *Buffer[T] {
	if i < 0 || j < i || j > b.Len() {
		panic(fmt.Sprintf("gpusort: Buffer.Slice: [%d:%d] of %d items", i, j, b.Len()))
	}
	if b == nil {
		return nil
	}
	return &Buffer[T]{s: b.s, memory: b.memory, off: b.off + i, n: j - i, parent: true}
}

// Upload copies src, which is as long as the Buffer, to the device.
func (b *Buffer[T]) Upload(ctx context.Context, src []T) error {
	if err := b.check("Buffer.Upload"); err != nil {
		return err
	}
	if len(src) != b.n {
		return lengths("Buffer.Upload", "items in the slice", len(src), "in the buffer", b.n)
	}
	return fail("Buffer.Upload", b.region().Upload(orBackground(ctx), pointer(src)))
}

// Download copies the Buffer to dst, which is as long. After an error the contents
// of dst are undefined; the Buffer is as it was.
func (b *Buffer[T]) Download(ctx context.Context, dst []T) error {
	if err := b.check("Buffer.Download"); err != nil {
		return err
	}
	if len(dst) != b.n {
		return lengths("Buffer.Download", "items in the slice", len(dst), "in the buffer", b.n)
	}
	return fail("Buffer.Download", b.region().Download(orBackground(ctx), pointer(dst)))
}

// Close frees the memory. A second Close is a no-op.
func (b *Buffer[T]) Close() error {
	if err := b.check("Buffer.Close"); err != nil {
		return err
	}
	if b.parent {
		return nil
	}
	return fail("Buffer.Close", b.memory.Close())
}

func (b *Buffer[T]) region() engine.Region {
	var t T
	size := uint64(unsafe.Sizeof(t))
	return engine.Region{M: b.memory, Off: uint64(b.off) * size, Bytes: uint64(b.n) * size}
}

// SortBuffer sorts the items in place on their device, in the order of the
// Buffer's Sorter, and waits. After an error the Buffer's contents are undefined.
func SortBuffer[T AnyKey](ctx context.Context, b *Buffer[T]) error {
	if err := b.check("SortBuffer"); err != nil {
		return err
	}
	return b.s.runBuffers(ctx, "SortBuffer", op.Spec{Type: typeOf[T](), Items: uint64(b.n)}, engine.Regions{b.region()})
}

// SortPairsBuffer sorts the keys and moves the values along, stable. Values have 4 or
// 8 bytes and do not overlap the keys. After an error the Buffers' contents are
// undefined.
func SortPairsBuffer[K AnyKey, V any](ctx context.Context, keys *Buffer[K], values *Buffer[V]) error {
	if err := cmp.Or(keys.check("SortPairsBuffer"), values.check("SortPairsBuffer")); err != nil {
		return err
	}
	if keys.n != values.n {
		return lengths("SortPairsBuffer", "keys", keys.n, "values", values.n)
	}
	var v V
	p := op.Spec{Type: typeOf[K](), Mode: op.Pairs, Items: uint64(keys.n), ValueBytes: int(unsafe.Sizeof(v))}
	return keys.s.runBuffers(ctx, "SortPairsBuffer", p, engine.Regions{keys.region(), values.region()})
}

// ArgsortBuffer writes the stable order of the keys as indices to idx, which does not
// overlap them. It does not change the keys.
func ArgsortBuffer[T AnyKey, I Index](ctx context.Context, idx *Buffer[I], keys *Buffer[T]) error {
	if err := cmp.Or(keys.check("ArgsortBuffer"), idx.check("ArgsortBuffer")); err != nil {
		return err
	}
	if keys.n != idx.n {
		return lengths("ArgsortBuffer", "keys", keys.n, "indices", idx.n)
	}
	var i I
	p := op.Spec{Type: typeOf[T](), Mode: op.Argsort, Items: uint64(keys.n), ValueBytes: int(unsafe.Sizeof(i))}
	return keys.s.runBuffers(ctx, "ArgsortBuffer", p, engine.Regions{keys.region(), idx.region()})
}

// runBuffers carries out p, in the order of s, on memory where it lies.
func (s *Sorter) runBuffers(ctx context.Context, name string, p op.Spec, at engine.Regions) error {
	p.Order = s.order
	r, err := s.engine.Run(orBackground(ctx), p, at)
	s.note(ctx, r)
	return fail(name, err)
}

// Pinned is a slice of page-locked host memory. It is copied to and from the device at
// the full rate of the connection, such as PCIe.
type Pinned[T any] struct {
	memory *engine.Pinned
	n      int
}

// AllocPinned reserves page-locked memory for n items on the device of s; on a
// Sorter without a device it is ordinary memory. T holds no pointers. The
// caller closes it, after which its slice must not be touched.
func AllocPinned[T any](s *Sorter, n int) (*Pinned[T], error) {
	bytes, err := plainBytes[T]("AllocPinned", n)
	if err != nil {
		return nil, err
	}
	if err := s.check("AllocPinned"); err != nil {
		return nil, err
	}
	m, err := s.engine.AllocPinned(bytes)
	if err != nil {
		return nil, fail("AllocPinned", err)
	}
	return &Pinned[T]{m, n}, nil
}

// Slice is the memory. It is valid until Close.
func (p *Pinned[T]) Slice() []T {
	if p == nil || p.n == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(p.memory.Pointer()), p.n)
}

// Close frees the memory. A second Close is a no-op.
func (p *Pinned[T]) Close() error {
	if p == nil || p.memory == nil {
		return fmt.Errorf("gpusort: Pinned.Close: %w: it is nil or zero: make one with AllocPinned", ErrClosed)
	}
	return fail("Pinned.Close", p.memory.Close())
}
