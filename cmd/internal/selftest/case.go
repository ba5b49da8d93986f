package selftest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
)

// testCase is one sort.
type testCase struct {
	s    *gpusort.Sorter
	t    key.Type
	o    key.Order
	d    dist.Dist
	n    int
	seed uint64
}

// run sorts and returns what is wrong with the result.
func (c testCase) run(ctx context.Context, mode string) error {
	switch c.t {
	case key.U8:
		return runMode[uint8, uint8](ctx, c, mode)
	case key.I8:
		return runMode[int8, uint8](ctx, c, mode)
	case key.U16:
		return runMode[uint16, uint16](ctx, c, mode)
	case key.I16:
		return runMode[int16, uint16](ctx, c, mode)
	case key.U32:
		return runMode[uint32, uint32](ctx, c, mode)
	case key.I32:
		return runMode[int32, uint32](ctx, c, mode)
	case key.U64:
		return runMode[uint64, uint64](ctx, c, mode)
	case key.I64:
		return runMode[int64, uint64](ctx, c, mode)
	case key.F32:
		return runMode[float32, uint32](ctx, c, mode)
	case key.F64:
		return runMode[float64, uint64](ctx, c, mode)
	}
	return fmt.Errorf("key type %v has no Go type", c.t)
}

func runMode[T gpusort.Key, U key.Word](ctx context.Context, c testCase, mode string) error {
	in := make([]T, c.n)
	dist.FillKeys(in, c.d, c.seed)
	switch mode {
	case "keys":
		return runKeys[T, U](ctx, c, in)
	case "pairs-4":
		return runPairs[T, U, uint32](ctx, c, in)
	case "pairs-8":
		return runPairs[T, U, uint64](ctx, c, in)
	case "argsort-4":
		return runArgsort[T, U, uint32](ctx, c, in)
	}
	return runArgsort[T, U, int64](ctx, c, in)
}

func runKeys[T gpusort.Key, U key.Word](ctx context.Context, c testCase, in []T) error {
	out := slices.Clone(in)
	if err := gpusort.SortWith(ctx, c.s, out); err != nil {
		return err
	}
	a, b := verify.BitsOf[U](in), verify.BitsOf[U](out)
	if c.n > refItems {
		return verify.Keys(a, b, key.CodecOf(c.t, c.o))
	}
	want := slices.Clone(a)
	verify.SortKeys(want, c.t, c.o)
	for i := range want {
		if b[i] != want[i] {
			return fmt.Errorf("position %d holds the bits %#x, want %#x", i, b[i], want[i])
		}
	}
	return nil
}

func runPairs[T gpusort.Key, U key.Word, V uint32 | uint64](ctx context.Context, c testCase, in []T) error {
	out, v := slices.Clone(in), make([]V, c.n)
	for i := range v {
		v[i] = V(i)
	}
	if err := gpusort.SortPairsWith(ctx, c.s, out, v); err != nil {
		return err
	}
	if err := verify.Pairs(verify.BitsOf[U](in), verify.BitsOf[U](out), v, key.CodecOf(c.t, c.o)); err != nil {
		return err
	}
	return sameOrder[U](c, verify.BitsOf[U](in), v)
}

func runArgsort[T gpusort.Key, U key.Word, I uint32 | int64](ctx context.Context, c testCase, in []T) error {
	keys, idx := slices.Clone(in), make([]I, c.n)
	if err := gpusort.ArgsortWith(ctx, c.s, idx, keys); err != nil {
		return err
	}
	a, b := verify.BitsOf[U](in), verify.BitsOf[U](keys)
	if !slices.Equal(a, b) {
		return errors.New("argsort changed its keys")
	}
	if err := verify.Argsort(a, idx, key.CodecOf(c.t, c.o)); err != nil {
		return err
	}
	return sameOrder[U](c, a, idx)
}

// sameOrder compares the positions of a small case with the reference's.
func sameOrder[U key.Word, I verify.Index](c testCase, in []U, idx []I) error {
	if c.n > refItems {
		return nil
	}
	for j, want := range verify.ArgsortRef(in, c.t, c.o) {
		if int(idx[j]) != want {
			return fmt.Errorf("position %d holds item %d, want %d", j, idx[j], want)
		}
	}
	return nil
}
