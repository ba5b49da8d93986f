// Package bitonic holds the bitonic sorts of report 004 for one processor: a
// recursive one and four loops, each a step nearer to a kernel. They are here to
// be measured beside each other; cpu-radix is the fast one.
//
// All run the network whose comparators put the smaller element at the lower
// position (internal/algo/bitonic says why), so that any number of elements is
// sorted without padding. Keys are encoded as unsigned numbers before and decoded
// after. Pairs and argsort run it on words that hold half a key and a position,
// which makes them stable.
package bitonic

import (
	"context"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// Method is one of the report's programs.
type Method uint8

// The methods.
const (
	Recursive Method = iota // merges call themselves on both halves
	Iter0                   // a loop over all positions, partner test
	Iter1                   // two loops, over blocks and the lower half of each
	Iter2                   // one loop over pairs, position by division
	Iter3                   // one loop over pairs, position by shifts
)

// Methods lists all of them in the order of the report.
var Methods = []Method{Recursive, Iter0, Iter1, Iter2, Iter3}

func (m Method) String() string {
	return [...]string{"bitonic-recursive", "bitonic-iter0", "bitonic-iter1", "bitonic-iter2", "bitonic-iter3"}[m]
}

// MaxPairs is the most items of Pairs and Argsort: positions have 32 bits.
const MaxPairs = 1 << 32

// Word32or64 is the set of types of values and indices.
type Word32or64 interface{ ~uint32 | ~uint64 }

// Keys sorts the bit patterns x in place into the order of c. The error is
// ctx's (nil: never); x then holds a permutation of its keys.
func Keys[U key.Word](m Method, x []U, c key.Codec, ctx context.Context) error {
	for i, u := range x {
		x[i] = key.Encode(c, u)
	}
	err := sort(m, x, ctx)
	for i, u := range x {
		x[i] = key.Decode(c, u)
	}
	return err
}

// Argsort writes to idx, of k's length, the permutation that sorts k into the
// order of c, equal keys by position. k is not written. It takes 8 bytes of
// scratch memory per item, and at most MaxPairs items. The error is ctx's; idx
// then holds some permutation.
func Argsort[U key.Word, I Word32or64](m Method, k []U, idx []I, c key.Codec, ctx context.Context) error {
	words, err := order(m, k, c, ctx)
	if words == nil {
		for i := range idx {
			idx[i] = I(i)
		}
		return err
	}
	for i, w := range words {
		idx[i] = I(uint32(w))
	}
	return nil
}

// Pairs sorts the keys k in place into the order of c and moves v, of its
// length, alike. Equal keys keep their input order. It takes 16 bytes of scratch
// memory per item, and at most MaxPairs items. The error is ctx's; nothing has
// moved then.
func Pairs[U key.Word, V Word32or64](m Method, k []U, v []V, c key.Codec, ctx context.Context) error {
	words, err := order(m, k, c, ctx)
	if err != nil {
		return err
	}
	old := make([]uint64, len(k))
	gather(words, k, old)
	gather(words, v, old)
	return nil
}

// gather moves x[i] to where words say, by way of old.
func gather[T key.Word](words []uint64, x []T, old []uint64) {
	for i, u := range x {
		old[i] = uint64(u)
	}
	for i, w := range words {
		x[i] = T(old[uint32(w)])
	}
}

// order returns words whose low halves are the positions of k in sorted order,
// or nil and why not. 64-bit keys take two sorts: by the low halves, and of that
// order by the high ones.
func order[U key.Word](m Method, k []U, c key.Codec, ctx context.Context) ([]uint64, error) {
	if uint64(len(k)) > MaxPairs {
		return nil, fmt.Errorf("%v of %d pairs: positions have 32 bits, so that %d are the most", m, len(k), uint64(MaxPairs))
	}
	words := make([]uint64, len(k))
	for i, u := range k {
		words[i] = uint64(key.Encode(c, u))<<32 | uint64(i)
	}
	if err := sort(m, words, ctx); err != nil {
		return nil, err
	}
	if unsafe.Sizeof(*new(U)) < 8 {
		return words, nil
	}
	// The position in the first order breaks ties; what it stands for is looked
	// up afterwards.
	first := make([]uint32, len(k))
	for i, w := range words {
		first[i] = uint32(w)
		words[i] = uint64(key.Encode(c, k[first[i]]))>>32<<32 | uint64(i)
	}
	if err := sort(m, words, ctx); err != nil {
		return nil, err
	}
	for i, w := range words {
		words[i] = uint64(first[uint32(w)])
	}
	return words, nil
}

// sort orders x ascending.
func sort[U key.Word](m Method, x []U, ctx context.Context) error {
	if len(x) < 2 {
		return cancelled(ctx)
	}
	if m == Recursive {
		return recurse(x, 0, 1<<bits.Len(uint(len(x)-1)), ctx)
	}
	run := [...]func(x []U, distance, mask int){Iter0: iter0[U], Iter1: iter1[U], Iter2: iter2[U]}
	for span := 2; span < 2*len(x); span *= 2 {
		for distance := span / 2; distance > 0; distance /= 2 {
			if err := cancelled(ctx); err != nil {
				return err
			}
			mask := distance
			if distance == span/2 {
				mask = span - 1
			}
			if m == Iter3 {
				iter3(x, bits.Len(uint(distance))-1, mask)
			} else {
				run[m](x, distance, mask)
			}
		}
	}
	return nil
}

func cancelled(ctx context.Context) error {
	if ctx == nil {
		return nil
	}
	return ctx.Err()
}
