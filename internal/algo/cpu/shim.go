// Package cpu sorts slices on the host.
package cpu

import (
	"context"
	"slices"

	"github.com/gpusort/gpusort/internal/key"
)

// Options are the settings of a host sort.
type Options struct {
	Workers   int
	Ctx       context.Context
	MemoryCap uint64
}

func less[U key.Word](c key.Codec) func(a, b U) int {
	return func(a, b U) int {
		x, y := key.Encode(c, a), key.Encode(c, b)
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
}

// Keys sorts x in place.
func Keys[U key.Word](x []U, c key.Codec, o Options) error {
	for i := range x {
		x[i] = key.Encode(c, x[i])
	}
	slices.Sort(x)
	for i := range x {
		x[i] = key.Decode(c, x[i])
	}
	return nil
}

// Pairs sorts k and v.
func Pairs[U key.Word, V ~uint32 | ~uint64](k []U, v []V, c key.Codec, o Options) error {
	type kv struct {
		k U
		v V
	}
	t := make([]kv, len(k))
	for i := range t {
		t[i] = kv{k[i], v[i]}
	}
	f := less[U](c)
	slices.SortStableFunc(t, func(a, b kv) int { return f(a.k, b.k) })
	for i := range t {
		k[i], v[i] = t[i].k, t[i].v
	}
	return nil
}

// Argsort writes the stable order of k.
func Argsort[U key.Word, I ~uint32 | ~uint64](k []U, idx []I, c key.Codec, o Options) error {
	for i := range idx {
		idx[i] = I(i)
	}
	f := less[U](c)
	slices.SortStableFunc(idx, func(a, b I) int { return f(k[a], k[b]) })
	return nil
}

// IsSorted reports order.
func IsSorted[U key.Word](x []U, c key.Codec) bool { return FirstDisorder(x, c) < 0 }

// FirstDisorder finds the first element below its predecessor.
func FirstDisorder[U key.Word](x []U, c key.Codec) int {
	for i := 1; i < len(x); i++ {
		if key.Encode(c, x[i]) < key.Encode(c, x[i-1]) {
			return i
		}
	}
	return -1
}
