// Package merge sorts slices on the host by merging: stable, in parallel, on the
// unsigned bit patterns of key types, in the order that a key.Codec says.
//
// Keys are replaced by their encoded keys, whose natural order is the wanted one.
// Blocks that fit a core's cache are sorted by insertion and merges there, one
// worker each. Then runs double in passes over all items. Every pass is cut into
// slices of its output, found by merge path (Green, Odeh and Birk 2014,
// "Merge Path: A Visually Intuitive Approach to Parallel Merging"), so that all
// workers have equal work down to the last pass, which merges two runs.
package merge

import (
	"context"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// Options are the conditions of one sort. The zero value uses every processor
// and cannot be cancelled.
type Options struct {
	// Workers is the number of goroutines that may work at a time; 0 means
	// GOMAXPROCS. None is left when the sort returns.
	Workers int
	// Ctx cancels the sort; nil never does.
	Ctx context.Context
}

// Value is the set of types of values and indices.
type Value interface{ ~uint32 | ~uint64 }

// Keys sorts the bit patterns x in place into the order of c, with as many keys
// of scratch. The error is that of o.Ctx; x then holds a permutation of its keys.
func Keys[U key.Word](x []U, c key.Codec, o Options) error {
	return run(x, []uint32(nil), c, o, false)
}

// Pairs sorts the keys k in place into the order of c and moves v alike: v[i]
// stays with k[i]. Equal keys keep their input order. k and v have equal lengths
// and do not overlap. The error is that of o.Ctx; the pairs are then permuted,
// each still together.
func Pairs[U key.Word, V Value](k []U, v []V, c key.Codec, o Options) error {
	return run(k, v[:len(k):len(k)], c, o, false)
}

// Argsort writes to idx the permutation that sorts k into the order of c:
// k[idx[0]] is first. Equal keys are listed by position. k is not written; idx
// has its length. Scratch is two copies of the keys and one of the indices. The
// error is that of o.Ctx; idx then holds some permutation.
func Argsort[U key.Word, I Value](k []U, idx []I, c key.Codec, o Options) error {
	idx = idx[:len(k)]
	for i := range idx {
		idx[i] = I(i)
	}
	if err := o.err(); err != nil {
		return err
	}
	encodedKeys := make([]U, len(k))
	copy(encodedKeys, k)
	return run(encodedKeys, idx, c, o, true)
}

func (o Options) err() error {
	if o.Ctx == nil {
		return nil
	}
	return o.Ctx.Err()
}

// encodedKey maps bit patterns to their encoded keys and back, a block at a time.
func encodedKey[U key.Word](x []U, c key.Codec, decode bool) {
	switch {
	case c == key.CodecUnsigned:
	case c&key.CodecFloatNaNFirst == 0:
		// An integer's map is one exclusive OR, the encoded key of 0.
		m := key.Encode(c, U(0))
		for i := range x {
			x[i] ^= m
		}
	case unsafe.Sizeof(U(0)) == 4:
		mapAll(unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)), c, decode)
	default:
		mapAll(unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(x))), len(x)), c, decode)
	}
}

func mapAll[U uint32 | uint64](x []U, c key.Codec, decode bool) {
	if decode {
		for i, u := range x {
			x[i] = key.Decode(c, u)
		}
		return
	}
	for i, u := range x {
		x[i] = key.Encode(c, u)
	}
}
