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

// typed is what a key type needs of its Go type.
type typed struct {
	run      func(ctx context.Context, c testCase, mode string) error
	supports func(s *gpusort.Sorter, mode string, n int) error
}

func typedOf[T gpusort.Key, U key.Word]() typed {
	return typed{runMode[T, U], supportsMode[T]}
}

var goTypes = map[key.Type]typed{
	key.U8: typedOf[uint8, uint8](), key.I8: typedOf[int8, uint8](),
	key.U16: typedOf[uint16, uint16](), key.I16: typedOf[int16, uint16](),
	key.U32: typedOf[uint32, uint32](), key.I32: typedOf[int32, uint32](), key.F32: typedOf[float32, uint32](),
	key.U64: typedOf[uint64, uint64](), key.I64: typedOf[int64, uint64](), key.F64: typedOf[float64, uint64](),
}

// supportsMode says whether s sorts n items; the error wraps ErrUnsupported if it does not.
func supportsMode[T gpusort.Key](s *gpusort.Sorter, mode string, n int) error {
	m := modes[mode]
	_, err := gpusort.Explain[T](s, m.mode, n, m.valueBytes)
	return err
}

// run sorts and returns what is wrong with the result.
func (c testCase) run(ctx context.Context, mode string) error {
	t, ok := goTypes[c.t]
	if !ok {
		return fmt.Errorf("key type %v has no Go type", c.t)
	}
	return t.run(ctx, c, mode)
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
