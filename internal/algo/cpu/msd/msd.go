// Package msd sorts slices on the host by most significant digits first: 8 bits
// a level, stable, from one set of slices to the other and back, short buckets
// by insertion. Large buckets are split by all workers, the others sorted by one
// each. Scratch is as many keys and values as are sorted.
//
// It is the plain method that reports compare with; package cpu is faster.
// Source: Knuth, The Art of Computer Programming, volume 3, section 5.2.5;
// McIlroy, Bostic and McIlroy, "Engineering radix sort" (1993), whose list-based
// form is stable too.
package msd

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
)

const (
	digitBits = 8
	digits    = 1 << digitBits
	// insertionMax is the longest bucket that insertion sorts: below it the
	// counters of a level cost more than the moves.
	insertionMax = 32
	// leastPart is how many keys are worth a worker: some 20 times the counters
	// that it brings.
	leastPart = 1 << 13
)

// Keys sorts the bit patterns x in place into the order of c. The error is that
// of o.Ctx; x then holds a permutation of its keys.
func Keys[U key.Word](x []U, c key.Codec, o team.Options) error {
	return Pairs[U, uint32](x, nil, c, o)
}

// Pairs sorts the keys k in place and moves v alike. Equal keys keep their input
// order. v has k's length, or is nil. The error is that of o.Ctx; the pairs are
// then permuted, each still together.
func Pairs[U key.Word, V uint32 | uint64](k []U, v []V, c key.Codec, o team.Options) error {
	if err := o.Err(); err != nil || len(k) < 2 {
		return err
	}
	s := sorter[U, V]{o: o}
	a := span[U, V]{k: k}
	if v != nil {
		a.v = v[:len(k)]
	}
	s.each(len(k), func(lo, hi int) { encode(k[lo:hi], k[lo:hi], c) })
	s.top(a, a.alike(), topShift[U](), false)
	s.each(len(k), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			k[i] = key.Decode(c, k[i])
		}
	})
	return o.Err()
}

// Argsort writes to idx the permutation that sorts k into the order of c, equal
// keys by position. k is not written; idx has its length. The error is that of
// o.Ctx; idx then holds some permutation.
func Argsort[U key.Word, V uint32 | uint64](k []U, idx []V, c key.Codec, o team.Options) error {
	for i := range idx {
		idx[i] = V(i)
	}
	if err := o.Err(); err != nil || len(k) < 2 {
		return err
	}
	s := sorter[U, V]{o: o}
	a := span[U, V]{make([]U, len(k)), idx[:len(k)]}
	s.each(len(k), func(lo, hi int) { encode(a.k[lo:hi], k[lo:hi], c) })
	s.top(a, a.alike(), topShift[U](), false)
	return o.Err()
}

func encode[U key.Word](to, from []U, c key.Codec) {
	for i, u := range from {
		to[i] = key.Encode(c, u)
	}
}

// topShift is the shift of the first digit.
func topShift[U key.Word]() uint { return uint(unsafe.Sizeof(U(0)))*8 - digitBits }

// span is a range of encoded keys with their values, if there are any.
type span[U key.Word, V uint32 | uint64] struct {
	k []U
	v []V
}

func (s span[U, V]) sub(lo, hi int) span[U, V] {
	if s.v == nil {
		return span[U, V]{k: s.k[lo:hi]}
	}
	return span[U, V]{s.k[lo:hi], s.v[lo:hi]}
}

// alike makes a span of the same size.
func (s span[U, V]) alike() span[U, V] {
	t := span[U, V]{k: make([]U, len(s.k))}
	if s.v != nil {
		t.v = make([]V, len(s.v))
	}
	return t
}

// copyFrom takes t's contents.
func (s span[U, V]) copyFrom(t span[U, V]) {
	copy(s.k, t.k)
	copy(s.v, t.v)
}
