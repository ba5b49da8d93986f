// Package lsd sorts slices on the host by least significant digits first: 8
// bits a pass, each pass stable, digits that are the same in all keys left out.
// Every worker counts and moves its own range, so that a pass is two rounds over
// the keys without locks. Scratch is as many keys and values as are sorted.
//
// It is the plain method that reports compare with; package cpu is faster.
// Source: Knuth, The Art of Computer Programming, volume 3, section 5.2.5.
package lsd

import (
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
)

const (
	digitBits = 8
	digits    = 1 << digitBits
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
	s := sorter[U, V]{o: o, parts: o.Parts(len(k), leastPart), keys: [2][]U{k, make([]U, len(k))}}
	if v != nil {
		s.values = [2][]V{v[:len(k)], make([]V, len(k))}
	}
	s.encode(k, c)
	err := s.passes()
	s.decode(k, c)
	if s.now == 1 && v != nil {
		copy(v, s.values[1])
	}
	return err
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
	s := sorter[U, V]{
		o: o, parts: o.Parts(len(k), leastPart),
		keys: [2][]U{make([]U, len(k)), make([]U, len(k))}, values: [2][]V{idx[:len(k)], make([]V, len(k))},
	}
	s.encode(k, c)
	err := s.passes()
	if s.now == 1 {
		copy(idx, s.values[1])
	}
	return err
}

// sorter is one sort between two sets of slices.
type sorter[U key.Word, V uint32 | uint64] struct {
	o       team.Options
	parts   int
	keys    [2][]U // encoded keys
	values  [2][]V // nil for keys alone
	now     int    // which of the two holds the data
	varying uint64 // bits in which encoded keys differ
}

// encode writes the encoded keys of k to the first slice and finds where they vary.
func (s *sorter[U, V]) encode(k []U, c key.Codec) {
	var varying atomic.Uint64
	first := key.Encode(c, k[0])
	s.o.Each(s.parts, func(p int) {
		lo, hi := team.Chunk(len(k), s.parts, p)
		to, differ := s.keys[0], U(0)
		for i := lo; i < hi; i++ {
			u := key.Encode(c, k[i])
			to[i] = u
			differ |= u ^ first
		}
		varying.Or(uint64(differ))
	})
	s.varying = varying.Load()
}

// decode writes the patterns of the encoded keys to k.
func (s *sorter[U, V]) decode(k []U, c key.Codec) {
	s.o.Each(s.parts, func(p int) {
		lo, hi := team.Chunk(len(k), s.parts, p)
		from := s.keys[s.now]
		for i := lo; i < hi; i++ {
			k[i] = key.Decode(c, from[i])
		}
	})
}

// passes moves the data by every digit that varies. It stops between passes.
func (s *sorter[U, V]) passes() error {
	for shift := uint(0); s.varying>>shift != 0; shift += digitBits {
		if err := s.o.Err(); err != nil {
			return err
		}
		if s.varying>>shift&(digits-1) != 0 {
			s.pass(shift)
		}
		if shift+digitBits == 64 {
			break
		}
	}
	return nil
}

// pass counts the digits of every part, turns the counts into places, all parts
// of a digit in order, and moves.
func (s *sorter[U, V]) pass(shift uint) {
	n, from, to := len(s.keys[0]), s.keys[s.now], s.keys[1-s.now]
	places := make([][digits]int, s.parts)
	s.o.Each(s.parts, func(p int) {
		lo, hi := team.Chunk(n, s.parts, p)
		var counts [digits]int
		for _, u := range from[lo:hi] {
			counts[uint8(u>>shift)]++
		}
		places[p] = counts
	})
	sum := 0
	for d := range digits {
		for p := range places {
			places[p][d], sum = sum, sum+places[p][d]
		}
	}
	s.o.Each(s.parts, func(p int) {
		lo, hi := team.Chunk(n, s.parts, p)
		at := places[p]
		if s.values[0] == nil {
			for _, u := range from[lo:hi] {
				d := uint8(u >> shift)
				to[at[d]] = u
				at[d]++
			}
			return
		}
		moved := s.values[1-s.now]
		for i, v := range s.values[s.now][lo:hi] {
			u := from[lo+i]
			d := uint8(u >> shift)
			to[at[d]], moved[at[d]] = u, v
			at[d]++
		}
	})
	s.now = 1 - s.now
}
