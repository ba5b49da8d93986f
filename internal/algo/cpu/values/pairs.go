package values

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// Pairs sorts the keys k, of type t, in the order o by run, which carries out one sort, and moves
// the values v, which are as many, along: with the keys, or afterwards by ByIndex. Values without
// a size are nothing to move, but where keys of different bits tie, the keys keep the order of pairs.
func Pairs[K, V any](t key.Type, h Host, k []K, v []V, o key.Order, run func(op.Job) error) error {
	j := op.SortKeysOf(t, k, o)
	ties := key.CodecOf(t, o)&key.CodecEqualZeros != 0
	if unsafe.Sizeof(*new(V)) == 0 && !ties || len(k) == 0 {
		return run(j)
	}
	if at, bytes, ok := Words(v); ok {
		return run(j.AddValues(at, bytes))
	}
	return ByIndex(h, k, v, func(keys, places unsafe.Pointer, bytes int) error {
		j := j.AddValues(places, bytes)
		j.At[op.KeysIO] = keys
		return run(j)
	})
}
