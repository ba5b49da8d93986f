// Package cpu sorts slices on the host: keys, pairs and argsort, on the
// unsigned bit patterns of key types, in the order that a key.Codec says.
//
// Large inputs are split once or more by their most significant varying bits
// into buckets that fit the level-2 cache; each bucket is finished there. The
// codec is applied while keys are first read and undone while they are last
// written. Every result is determined by the input, and all but keys-only sorts are
// stable.
package cpu

import (
	"context"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
)

// Options are the conditions of one sort. The zero value uses every processor,
// cannot be cancelled and has no cap on scratch.
type Options struct {
	// Workers is the number of goroutines that may work at a time; 0 means
	// GOMAXPROCS. A cancelled one brings elements back by GOMAXPROCS. None is left
	// when the sort returns.
	Workers int
	// Ctx cancels the sort; nil never does. Pairs, and keys without vector
	// instructions, whose elements have more than 96 MiB take up to 1.5 times as long
	// if they can be cancelled: they stay in the caller's slices, so that little is
	// to be brought back. Scratch is then 48 MiB a worker, 80 for one, twice as much
	// where most elements are alike in their highest bits, and not n elements.
	Ctx context.Context
	// MemoryCap is the most scratch memory in bytes; 0 means no cap. Keys are
	// sorted in place if their scratch exceeds it. Pairs and positions are then
	// sorted in parts and merged in place, with 8 MiB and a MiB a worker at least.
	MemoryCap uint64
	// Compact has pairs stay in the caller's slices from 2 MiB of elements on, whether they can
	// be cancelled or not. Scratch is then 6 bytes a pair, 4 MiB and 1.5 MiB a worker (measured
	// with 1 to 16), or that of Ctx where that is less. It is for callers whose memory is short, or fresh: keys that differ in
	// few bits take up to twice as long.
	Compact bool
	// look stands in for the context in tests: it is asked in its place.
	look func() bool
}

// Word32or64 is the set of types of values and indices.
type Word32or64 interface{ ~uint32 | ~uint64 }

// AloneItems is the number of keys below which Keys works on the calling goroutine
// alone and keeps no pointer to x but in its frames, so that x may lie on a stack.
const AloneItems = forkItems

// AloneWide is AloneItems of keys of 128 bits.
const AloneWide = smallItems + 1

// A generic function is compiled in every package that reaches it. So those that others
// call only view slices as memory, and the sorts themselves are compiled here, once.

// Keys sorts the bit patterns x in place into the order of c, as it is without
// key.CodecEqualZeros. The error is
// that of o.Ctx; x then holds a permutation of its keys.
func Keys[U key.Word](x []U, c key.Codec, o Options) error {
	return keysAt(unsafe.Pointer(unsafe.SliceData(x)), int(unsafe.Sizeof(U(0))), len(x), c, o)
}

// keysAt is Keys of n keys of so many bytes.
//
//go:noinline
func keysAt(x unsafe.Pointer, bytes, n int, c key.Codec, o Options) error {
	if err := o.err(); err != nil {
		return err
	}
	if n < 2 {
		return nil
	}
	c &^= key.CodecEqualZeros
	switch bytes {
	case 1:
		return keys8(unsafe.Slice((*uint8)(x), n), c, o)
	case 2:
		return keys16(unsafe.Slice((*uint16)(x), n), c, o)
	case 4:
		return keysWide(unsafe.Slice((*uint32)(x), n), c, o)
	default:
		return keysWide(unsafe.Slice((*uint64)(x), n), c, o)
	}
}

// Pairs sorts the keys k in place into the order of c and moves v alike: v[i]
// stays with k[i]. Equal keys keep their input order. k and v have equal
// lengths and do not overlap. The error is that of o.Ctx; the pairs are then
// permuted, each still together.
func Pairs[U key.Word, V Word32or64](k []U, v []V, c key.Codec, o Options) error {
	v = v[:len(k)]
	return pairsAt(unsafe.Pointer(unsafe.SliceData(k)), unsafe.Pointer(unsafe.SliceData(v)),
		int(unsafe.Sizeof(U(0))), int(unsafe.Sizeof(V(0))), len(k), c, o)
}

// pairsAt is Pairs of n keys and values of so many bytes.
//
//go:noinline
func pairsAt(k, v unsafe.Pointer, keyBytes, valueBytes, n int, c key.Codec, o Options) error {
	if err := o.err(); err != nil {
		return err
	}
	if n < 2 {
		return nil
	}
	return key.ByWidths(keyBytes, valueBytes,
		pairsOf[uint8, uint32], pairsOf[uint16, uint32], pairsOf[uint32, uint32], pairsOf[uint64, uint32],
		pairsOf[uint8, uint64], pairsOf[uint16, uint64], pairsOf[uint32, uint64], pairsOf[uint64, uint64],
	)(k, v, n, c, o)
}

func pairsOf[U key.Word, V wide](keys, values unsafe.Pointer, n int, c key.Codec, o Options) error {
	k, v := unsafe.Slice((*U)(keys), n), unsafe.Slice((*V)(values), n)
	if c&key.CodecEqualZeros != 0 {
		return ownPairsTied(k, v, c, o)
	}
	return pairsByKey(k, v, c, o)
}

// Argsort writes to idx the permutation that sorts k into the order of c:
// k[idx[0]] is first. Equal keys are listed by position. k is not written; idx
// has its length. The error is that of o.Ctx; idx then holds anything.
func Argsort[U key.Word, I Word32or64](k []U, idx []I, c key.Codec, o Options) error {
	idx = idx[:len(k)]
	return argsortAt(unsafe.Pointer(unsafe.SliceData(k)), unsafe.Pointer(unsafe.SliceData(idx)),
		int(unsafe.Sizeof(U(0))), int(unsafe.Sizeof(I(0))), len(k), c, o)
}

// argsortAt is Argsort of n keys and positions of so many bytes.
//
//go:noinline
func argsortAt(k, idx unsafe.Pointer, keyBytes, indexBytes, n int, c key.Codec, o Options) error {
	if err := o.err(); err != nil {
		return err
	}
	return key.ByWidths(keyBytes, indexBytes,
		argsortOf[uint8, uint32], argsortOf[uint16, uint32], argsortOf[uint32, uint32], argsortOf[uint64, uint32],
		argsortOf[uint8, uint64], argsortOf[uint16, uint64], argsortOf[uint32, uint64], argsortOf[uint64, uint64],
	)(k, idx, n, c, o)
}

func argsortOf[U key.Word, I wide](keys, places unsafe.Pointer, n int, c key.Codec, o Options) error {
	k, idx := unsafe.Slice((*U)(keys), n), unsafe.Slice((*I)(places), n)
	switch {
	case n < 2:
		clear(idx)
		return nil
	case c&key.CodecEqualZeros != 0:
		return ownArgsortTied(k, idx, c, o)
	}
	return argsortByKey(k, idx, c, o)
}

// Err is the context's error.
func (o Options) Err() error { return o.err() }

// Team is how work beside a sort is shared among workers.
func (o Options) Team() team.Options { return team.Options{Workers: o.Workers, Ctx: o.Ctx} }

func (o Options) err() error {
	if o.Ctx == nil {
		return nil
	}
	return o.Ctx.Err()
}

// cast views x as a slice of T, a type of the same width.
func cast[T, U any](x []U) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
