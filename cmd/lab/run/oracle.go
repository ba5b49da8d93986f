package run

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// input is what every algorithm of a group sorts: keys and, for pairs, the
// positions 0 … n−1 as values, in memory that the harness owns.
type input struct {
	p      plan.Problem
	keys   unsafe.Pointer
	values unsafe.Pointer // nil unless Mode is Pairs
	digest verify.Digest  // of keys, pairs or, for Argsort, of 0 … n−1
	// special says that float keys hold NaN or −0, on which orders differ.
	special bool
}

// source is where an input comes from.
type source struct {
	dist dist.Dist
	max  uint64 // keys are taken modulo max+1; 0: as they are
	seed uint64
	// fresh makes other keys in every round; else all rounds have those of the first.
	fresh bool
}

// round is the source of a round's input, counted from 0: the first has the seed
// itself. Which keys a round has depends on nothing but the seed and its number.
func (s source) round(i int) source {
	if s.fresh {
		s.seed += uint64(i) * 0x9e3779b97f4a7c15 // the golden ratio: far from small seeds
	}
	return s
}

// fill writes the input of a source to memory of the problem's size and
// remembers what the output must be.
func fill(p plan.Problem, src source, keys, values unsafe.Pointer) *input {
	in := &input{p: p, keys: keys, values: values}
	key.ByWidth(p.Type.Bytes(), fillKeys[uint8], fillKeys[uint16], fillKeys[uint32], fillKeys[uint64])(in, src)
	return in
}

func fillKeys[U key.Word](in *input, src source) {
	n := int(in.p.Items)
	k := unsafe.Slice((*U)(in.keys), n)
	dist.Fill(k, src.dist, in.p.Type, src.seed)
	if src.max != 0 && src.max < uint64(^U(0)) {
		m := U(src.max) + 1
		parallel(n, func(lo, hi int) int {
			for i := lo; i < hi; i++ {
				k[i] %= m
			}
			return -1
		})
	}
	if in.p.Type.Row().Kind == key.Float {
		in.special = hasSpecial(k, in.p.Type.Bits())
	}
	switch {
	case in.p.Mode == plan.Keys:
		in.digest = verify.Multiset(k)
	case in.p.ValueBytes == 4:
		fillValues[U, uint32](in, k)
	default:
		fillValues[U, uint64](in, k)
	}
}

func fillValues[U, V key.Word](in *input, k []U) {
	if in.p.Mode == plan.Argsort {
		// The digest of 0 … n−1, computed without a slice of them.
		x := make([]V, 1<<16)
		for lo := 0; lo < len(k); lo += len(x) {
			part := x[:min(len(x), len(k)-lo)]
			for i := range part {
				part[i] = V(lo + i)
			}
			in.digest.Add(verify.Multiset(part))
		}
		return
	}
	v := unsafe.Slice((*V)(in.values), len(k))
	parallel(len(v), func(lo, hi int) int {
		for i := lo; i < hi; i++ {
			v[i] = V(i)
		}
		return -1
	})
	in.digest = verify.PairMultiset(k, v)
}

func hasSpecial[U key.Word](k []U, bits int) bool {
	sign := U(1) << (bits - 1)
	inf := uint64(0x7f800000)
	if bits == 64 {
		inf = 0x7ff0000000000000
	}
	return parallel(len(k), func(lo, hi int) int {
		for i := lo; i < hi; i++ {
			if k[i] == sign || uint64(k[i]&^sign) > inf {
				return i
			}
		}
		return -1
	}) >= 0
}

// check verifies one output: order, stability, and the same multiset. With
// Argsort keys are the keys as the sort left them. The error names the first
// wrong position.
func (in *input) check(keys, values unsafe.Pointer) error {
	return key.ByWidth(in.p.Type.Bytes(), checkKeys[uint8], checkKeys[uint16], checkKeys[uint32], checkKeys[uint64])(in, keys, values)
}

func checkKeys[U key.Word](in *input, keys, values unsafe.Pointer) error {
	n := int(in.p.Items)
	k := unsafe.Slice((*U)(keys), n)
	switch {
	case in.p.Mode != plan.Keys && in.p.ValueBytes == 4:
		return checkValues(in, k, unsafe.Slice((*uint32)(values), n))
	case in.p.Mode != plan.Keys:
		return checkValues(in, k, unsafe.Slice((*uint64)(values), n))
	}
	if err := ordered(k, in.p.Codec()); err != nil {
		return err
	}
	return same(in.digest, verify.Multiset(k), "keys")
}

func checkValues[U key.Word, V uint32 | uint64](in *input, k []U, v []V) error {
	c := in.p.Codec()
	if in.p.Mode == plan.Pairs {
		if err := ordered(k, c); err != nil {
			return err
		}
		// Values are the input's positions: among equal keys they must rise.
		at := parallel(len(k), func(lo, hi int) int {
			for i := max(lo, 1); i < hi; i++ {
				if k[i] == k[i-1] && v[i] < v[i-1] {
					return i
				}
			}
			return -1
		})
		if at >= 0 {
			return fmt.Errorf("position %d: equal keys, but the value of input position %d stands after that of %d: not stable", at, v[at], v[at-1])
		}
		return same(in.digest, verify.PairMultiset(k, v), "pairs")
	}
	orig := unsafe.Slice((*U)(in.keys), len(k))
	n := V(len(k) - 1)
	at := parallel(len(k), func(lo, hi int) int {
		for i := lo; i < hi; i++ {
			if k[i] != orig[i] || v[i] > n {
				return i
			}
			if i == 0 || v[i-1] > n {
				continue
			}
			a, b := key.Encode(c, orig[v[i-1]]), key.Encode(c, orig[v[i]])
			if a > b || a == b && v[i-1] > v[i] {
				return i
			}
		}
		return -1
	})
	switch {
	case at < 0:
		return same(in.digest, verify.Multiset(v), "indices")
	case k[at] != orig[at]:
		return fmt.Errorf("position %d: argsort changed the key", at)
	case v[at] > n:
		return fmt.Errorf("position %d holds index %d, outside 0 … %d", at, v[at], n)
	}
	return fmt.Errorf("position %d: index %d does not belong after index %d", at, v[at], v[at-1])
}

func ordered[U key.Word](k []U, c key.Codec) error {
	if i := verify.FirstDisorder(k, c); i >= 0 {
		return fmt.Errorf("position %d is out of order: bits %#x after %#x", i, k[i], k[i-1])
	}
	return nil
}

func same(want, got verify.Digest, what string) error {
	if want != got {
		return fmt.Errorf("in order, but not the same %s: the input has %v, the output %v", what, want, got)
	}
	return nil
}

// parallel calls find on parts of [0, n) and returns the least position that
// any call returned, or −1.
func parallel(n int, find func(lo, hi int) int) int {
	parts := max(1, min(runtime.GOMAXPROCS(0), n/(1<<14)))
	if parts == 1 {
		return find(0, n) // on this thread, whose caches the next sample finds
	}
	at := make([]int, parts)
	var wg sync.WaitGroup
	for i := range parts {
		wg.Go(func() { at[i] = find(n*i/parts, n*(i+1)/parts) })
	}
	wg.Wait()
	for _, p := range at {
		if p >= 0 {
			return p
		}
	}
	return -1
}
