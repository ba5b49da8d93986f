package gpusort

import (
	"context"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// find carries out p, of the order that it has, on memory where it lies: on a device by its
// kernels, on the host by onHost, which gets the same memory. It returns the number that a
// device found.
func (s *Sorter) find(ctx context.Context, name string, p op.Spec, at engine.Regions, onHost func(key.Order, cpu.Options, op.Memory) error) (number uint64, err error) {
	var r engine.Report
	ctx = orBackground(ctx)
	if at[op.KeysIO].M.OnHost() {
		r, err = s.engine.OnHostMemory(ctx, p, at, func(h cpu.Options, m op.Memory) error { return onHost(p.Order, h, m) })
	} else {
		r, number, err = s.engine.Find(ctx, p, at)
	}
	s.note(ctx, r)
	return number, fail(name, err)
}

// view is region r of m as n items.
func view[T any](m op.Memory, r op.Region, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(m[r]), n)
}

// assign writes x to dst as integers of its type.
func assign[I Integer](dst []I, x []int) {
	for i, v := range x {
		dst[i] = I(v)
	}
}
