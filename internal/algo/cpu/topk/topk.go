// Package topk finds the first k keys of a slice in an order, or their positions,
// without sorting the rest.
package topk

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// Smallest returns the first k keys of x, of type t, in the order o, or all if they are fewer,
// sorted. Scratch: two to four k keys and 64 KiB a worker, n/2 keys at most; for more than
// n/16 keys as many as x has.
func Smallest[T any](t key.Type, x []T, k int, o key.Order, h cpu.Options) ([]T, error) {
	if k < 0 {
		return nil, refuse(k)
	}
	out := cpu.Results[T](min(k, len(x)))
	c := key.CodecOf(t, o) &^ key.CodecEqualZeros
	err := key.ByWidthTo16(t.Bytes(),
		smallest[uint8], smallest[uint16], smallest[uint32], smallest[uint64], smallestWide,
	)(key.Memory(out), key.Memory(x), c, h)
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Positions returns where the keys that Smallest returns stand in x; of equal keys the
// earlier ones are taken, and stand first. Its scratch besides that of Smallest is k
// positions a worker and 2k keys.
func Positions[T any](t key.Type, x []T, k int, o key.Order, h cpu.Options) ([]int, error) {
	if k < 0 {
		return nil, refuse(k)
	}
	if k = min(k, len(x)); k == 0 {
		return cpu.Results[int](0), h.Err()
	}
	return key.ByWidthTo16(t.Bytes(),
		positions[uint8], positions[uint16], positions[uint32], positions[uint64], positionsWide,
	)(key.Memory(x), k, key.CodecOf(t, o), h)
}

func refuse(k int) error { return op.Refuse("%d keys are asked for: give 0 or more", k) }

// Select permutes x so that x[k] stands where a sort by o would put it, with none
// behind it that belongs before it, and none before it that belongs behind. It returns x[k].
func Select[T any](t key.Type, x []T, k int, o key.Order, h cpu.Options) (v T, err error) {
	if k < 0 || k >= len(x) {
		return v, op.Refuse("place %d of %d keys is asked for: places are from 0 to one less than the length", k, len(x))
	}
	err = key.ByWidthTo16(t.Bytes(),
		choose[uint8], choose[uint16], choose[uint32], choose[uint64], chooseWide,
	)(key.Memory(x), k, key.CodecOf(t, o), h)
	if err != nil {
		return v, err
	}
	return x[k], nil
}

func choose[U key.Word](x key.Slice, k int, c key.Codec, h cpu.Options) error {
	return cpu.Select(key.Words[U](x), k, c, h)
}

// wholePart is the part of x from which k keys are selected from a copy of x.
const wholePart = 16

func smallest[U key.Word](dst, src key.Slice, c key.Codec, h cpu.Options) error {
	out, x := key.Words[U](dst), key.Words[U](src)
	best := out
	var err error
	switch {
	case len(out) == 0:
	case len(out) > len(x)/wholePart:
		var put func()
		best, put = cpu.Buffer[U](len(x))
		defer put()
		if err = encode(best, x, c, h); err == nil && len(out) < len(x) {
			err = cpu.Select(best, len(out)-1, key.CodecUnsigned, h)
		}
		best = best[:len(out)]
	default:
		err = stream(out, x, c, h)
	}
	if err == nil {
		err = cpu.Keys(best, key.CodecUnsigned, h)
	}
	if err != nil {
		return err
	}
	return steps[U](h, len(out), func(lo, hi int) { cpu.Decode(out[lo:hi], best[lo:hi], c) })
}

func encode[U key.Word](dst, x []U, c key.Codec, h cpu.Options) error {
	return steps[U](h, len(x), func(lo, hi int) { cpu.Encode(dst[lo:hi], x[lo:hi], c) })
}

func steps[U key.Word](h cpu.Options, n int, f func(lo, hi int)) error {
	return h.Team().Steps(n, int(unsafe.Sizeof(U(0))), f)
}
