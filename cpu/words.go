package cpu

import (
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

func (s settings) options() cpu.Options {
	return cpu.Options{Workers: s.workers, Ctx: s.ctx, MemoryCap: s.memory}
}

func sortKeys[T AnyKey](x []T, s settings) error {
	return cpu.RunKeys(typeOf[T](), s.order, unsafe.Pointer(unsafe.SliceData(x)), len(x), s.options())
}

// sortPairs sorts keys and values of equal number.
func sortPairs[K AnyKey, V any](k []K, v []V, s settings) error {
	h := values.Host{Ctx: s.ctx, Workers: s.workers, Limit: s.memory}
	return values.Pairs(typeOf[K](), h, k, v, s.order, func(j op.Job) error { return cpu.Run(j, s.options()) })
}

// argsort writes the order of x to as many indices.
func argsort[T AnyKey, I Index](idx []I, x []T, s settings) error {
	return cpu.Run(op.SortIndicesOf(typeOf[T](), idx, x, s.order), s.options())
}

func firstDisorder[T AnyKey](x []T, o key.Order) int {
	return cpu.Disorder(typeOf[T](), o, unsafe.Pointer(unsafe.SliceData(x)), len(x))
}

func checkPairs[K, V any](op string, k []K, v []V) error {
	if len(k) != len(v) {
		return fmt.Errorf("cpu: %s: %w: %d keys but %d values: both slices must have the same length",
			op, ErrUnsupported, len(k), len(v))
	}
	return nil
}

func checkIndex[T AnyKey, I Index](name string, idx []I, x []T) error {
	if len(idx) != len(x) {
		return fmt.Errorf("cpu: %s: %w: %d indices but %d keys: both slices must have the same length",
			name, ErrUnsupported, len(idx), len(x))
	}
	if !op.HoldsIndices[I](len(x)) {
		return fmt.Errorf("cpu: %s: %w: indices of %d items do not fit %T: use an 8-byte index type",
			name, ErrUnsupported, len(x), I(0))
	}
	return nil
}
