// Package counting sorts slices on the host by counting, with one goroutine:
// the catalogue's counting and counting-range. Keys alone are written out by
// their counts; values are moved stably. docs/algorithms/counting.md.
package counting

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// Word is the type of values and indices.
type Word interface{ ~uint32 | ~uint64 }

// Options are the conditions of one sort.
type Options struct {
	Ctx       context.Context // nil: never cancelled
	MemoryCap uint64          // bytes of scratch; 0: no cap
	Workers   int             // of the radix sort that takes what cannot be counted; 0: GOMAXPROCS
}

func (o Options) err() error {
	if o.Ctx == nil {
		return nil
	}
	return o.Ctx.Err()
}

// OutOfRange is the error of a key outside the range that was promised. Nothing
// has been moved then.
type OutOfRange struct{ Bits uint64 }

// Error gives the key's bit pattern.
func (e OutOfRange) Error() string {
	return fmt.Sprintf("the key of bits %#x is outside the range", e.Bits)
}

// TooLarge is the error of a range whose counters do not fit the memory cap.
type TooLarge struct{ Need, Cap uint64 }

// Error gives both sizes in bytes.
func (e TooLarge) Error() string {
	return fmt.Sprintf("counters and scratch take %d bytes, the cap is %d", e.Need, e.Cap)
}

// Data is what is sorted: keys, and values or indices beside them. V is without
// meaning where both are nil.
type Data[U key.Word, V Word] struct {
	Keys    []U
	Values  []V // moved with the keys, if not nil
	Indices []V // written, if not nil; the keys stay
}

const (
	counterBytes = 8
	// mostCounters bounds the dense counters that n keys are worth: beyond a few
	// per key most would be empty, and beyond 2^26 they leave every cache.
	leastDense, mostDense, densePerKey = 1 << 16, 1 << 26, 4
	// mostDistinct bounds the distinct keys of a sparse range.
	mostDistinct = 1 << 16
)

// Max sorts d, whose encoded keys under c run from lo to lo+bins-1. The error is
// OutOfRange, TooLarge, or the context's; d is then as it was.
func Max[U key.Word, V Word](d Data[U, V], c key.Codec, lo U, bins uint64, o Options) error {
	if err := o.err(); err != nil || len(d.Keys) == 0 {
		return err
	}
	if need := counterBytes*bins + scratch(d); o.MemoryCap != 0 && need > o.MemoryCap || bins > math.MaxInt/counterBytes {
		return TooLarge{need, o.MemoryCap}
	}
	if mask, ok := maskOf[U](c); ok {
		for _, k := range d.Keys {
			if uint64(k^mask-lo) >= bins {
				return OutOfRange{uint64(k)}
			}
		}
		return dense(d, c, lo, bins, o)
	}
	for _, k := range d.Keys {
		if uint64(key.Encode(c, k)-lo) >= bins {
			return OutOfRange{uint64(k)}
		}
	}
	return dense(d, c, lo, bins, o)
}

// Range sorts d, whatever its range is: densely, by its distinct keys, or by the
// radix sort of package cpu. The error is the context's; d is then a permutation
// of what it was.
func Range[U key.Word, V Word](d Data[U, V], c key.Codec, o Options) error {
	n := uint64(len(d.Keys))
	if err := o.err(); err != nil || n == 0 {
		return err
	}
	lo, hi := key.Encode(c, d.Keys[0]), key.Encode(c, d.Keys[0])
	if mask, ok := maskOf[U](c); ok {
		for _, k := range d.Keys {
			lo, hi = min(lo, k^mask), max(hi, k^mask)
		}
	} else {
		for _, k := range d.Keys {
			i := key.Encode(c, k)
			lo, hi = min(lo, i), max(hi, i)
		}
	}
	most := min(mostDense, max(leastDense, densePerKey*n))
	if o.MemoryCap != 0 {
		if scratch(d) > o.MemoryCap {
			return radix(d, c, o)
		}
		most = min(most, (o.MemoryCap-scratch(d))/counterBytes)
	}
	if span := uint64(hi - lo); span < most {
		return dense(d, c, lo, span+1, o)
	}
	if err := o.err(); err != nil {
		return err
	}
	if encodedKeys, counts := distinct(d.Keys, c); encodedKeys != nil {
		return sparse(d, c, encodedKeys, counts, o)
	}
	return radix(d, c, o)
}

// maskOf returns what turns an integer key into its encoded key by exclusive or, and
// whether c has one: a call per key would take most of the time.
func maskOf[U key.Word](c key.Codec) (mask U, ok bool) {
	switch c &^ key.CodecDesc {
	case key.CodecUnsigned:
	case key.CodecSigned:
		mask = ^(^U(0) >> 1)
	default:
		return 0, false
	}
	if c&key.CodecDesc != 0 {
		mask = ^mask
	}
	return mask, true
}

// scratch is the memory in bytes that moving the values takes.
func scratch[U key.Word, V Word](d Data[U, V]) uint64 { return 8 * uint64(len(d.Values)) }

func radix[U key.Word, V Word](d Data[U, V], c key.Codec, o Options) error {
	opt := cpu.Options{Workers: o.Workers, Ctx: o.Ctx, MemoryCap: o.MemoryCap}
	switch {
	case d.Values != nil:
		return cpu.Pairs(d.Keys, d.Values, c, opt)
	case d.Indices != nil:
		return cpu.Argsort(d.Keys, d.Indices, c, opt)
	}
	return cpu.Keys(d.Keys, c, opt)
}

func dense[U key.Word, V Word](d Data[U, V], c key.Codec, lo U, bins uint64, o Options) error {
	counts := make([]int, bins)
	if mask, ok := maskOf[U](c); ok {
		for _, k := range d.Keys {
			counts[k^mask-lo]++
		}
	} else {
		for _, k := range d.Keys {
			counts[key.Encode(c, k)-lo]++
		}
	}
	if err := o.err(); err != nil {
		return err
	}
	place(d, counts, func(k U) int { return int(key.Encode(c, k) - lo) })
	if d.Indices == nil {
		at := 0
		for b, times := range counts {
			at = fill(d.Keys, at, times, key.Decode(c, lo+U(b)))
		}
	}
	return nil
}

// distinct counts the keys by their encoded keys, in rising order of these; nil if
// there are more than mostDistinct.
func distinct[U key.Word](keys []U, c key.Codec) (encodedKeys []U, counts []int) {
	found := map[U]int{}
	for _, k := range keys {
		found[key.Encode(c, k)]++
		if len(found) > mostDistinct {
			return nil, nil
		}
	}
	for i := range found {
		encodedKeys = append(encodedKeys, i)
	}
	slices.Sort(encodedKeys)
	for _, i := range encodedKeys {
		counts = append(counts, found[i])
	}
	return encodedKeys, counts
}

func sparse[U key.Word, V Word](d Data[U, V], c key.Codec, encodedKeys []U, counts []int, o Options) error {
	if err := o.err(); err != nil {
		return err
	}
	place(d, counts, func(k U) int {
		at, _ := slices.BinarySearch(encodedKeys, key.Encode(c, k))
		return at
	})
	if d.Indices == nil {
		at := 0
		for b, times := range counts {
			at = fill(d.Keys, at, times, key.Decode(c, encodedKeys[b]))
		}
	}
	return nil
}

// place moves values or writes indices, in input order within each counter.
func place[U key.Word, V Word](d Data[U, V], counts []int, bin func(U) int) {
	if d.Values == nil && d.Indices == nil {
		return
	}
	next, sum := make([]int, len(counts)), 0
	for b, times := range counts {
		next[b] = sum
		sum += times
	}
	if d.Indices != nil {
		for i, k := range d.Keys {
			b := bin(k)
			d.Indices[next[b]] = V(i)
			next[b]++
		}
		return
	}
	moved := make([]V, len(d.Values))
	for i, k := range d.Keys {
		b := bin(k)
		moved[next[b]] = d.Values[i]
		next[b]++
	}
	copy(d.Values, moved)
}

// fill writes k to the next `times` places and returns the place behind them.
func fill[U key.Word](keys []U, at, times int, k U) int {
	run := keys[at : at+times]
	for i := range run {
		run[i] = k
	}
	return at + times
}
