package verify

import (
	"cmp"
	"fmt"
	"sync"

	"github.com/gpusort/gpusort/internal/key"
)

// Index is a position as argsort writes it.
type Index interface {
	~uint32 | ~uint64 | ~int32 | ~int64 | ~int
}

// Argsort checks that idx is the stable argsort of keys in c's order: a
// permutation of 0 … n−1 whose keys rise, equal keys by rising index. The
// error names the first offending position. The keys are compared on all processors.
func Argsort[U key.Word, I Index](keys []U, idx []I, c key.Codec) error {
	if len(idx) != len(keys) {
		return fmt.Errorf("%d indices for %d keys", len(idx), len(keys))
	}
	if err := Permutation(idx); err != nil {
		return err
	}
	parts := split(len(keys))
	found := make([]error, len(parts))
	var wg sync.WaitGroup
	for p, r := range parts {
		check := func() { found[p] = risingKeys(keys, idx, max(r[0], 1), r[1], c) }
		if len(parts) == 1 {
			check()
			continue
		}
		wg.Go(check)
	}
	wg.Wait()
	return cmp.Or(found...)
}

// Permutation checks that idx holds each of 0 … n−1 once. The error names the first
// offending position.
func Permutation[I Index](idx []I) error {
	n := len(idx)
	seen := make([]uint64, (n+63)/64)
	for j, i := range idx {
		if i < 0 || uint64(i) >= uint64(n) {
			return fmt.Errorf("position %d holds index %d, outside 0 … %d", j, i, n-1)
		}
		if seen[i/64]>>(i%64)&1 != 0 {
			return fmt.Errorf("position %d repeats index %d: no permutation", j, i)
		}
		seen[i/64] |= 1 << (i % 64)
	}
	return nil
}

// risingKeys looks at positions lo … hi−1 of an argsort, each against the one before.
func risingKeys[U key.Word, I Index](keys []U, idx []I, lo, hi int, c key.Codec) error {
	for j := lo; j < hi; j++ {
		a, b := key.Encode(c, keys[idx[j-1]]), key.Encode(c, keys[idx[j]])
		switch {
		case b < a:
			return fmt.Errorf("position %d: the key of index %d comes before that of index %d", j, idx[j], idx[j-1])
		case a == b && idx[j] < idx[j-1]:
			return fmt.Errorf("position %d: equal keys, but index %d after %d: not stable", j, idx[j], idx[j-1])
		}
	}
	return nil
}

// Pairs checks a stable sort of pairs whose values were the input positions
// 0 … n−1: in is the input's keys, out the sorted keys, v the moved values.
// Each pair must have stayed together, and v must be the stable argsort of in.
func Pairs[U key.Word, V Index](in, out []U, v []V, c key.Codec) error {
	if len(out) != len(in) {
		return fmt.Errorf("%d keys came back of %d", len(out), len(in))
	}
	if err := Argsort(in, v, c); err != nil {
		return err
	}
	for j, i := range v {
		if out[j] != in[i] {
			return fmt.Errorf("position %d: value %d arrived with the key of bits %#x, it left with %#x", j, i, out[j], in[i])
		}
	}
	return nil
}

// Keys checks that out is in c's order and holds the keys of in, as multisets.
// The error names the first offending position.
func Keys[U key.Word](in, out []U, c key.Codec) error {
	if i := FirstDisorder(out, c); i >= 0 {
		return fmt.Errorf("disorder at position %d: key of bits %#x after %#x", i, out[i], out[i-1])
	}
	if a, b := Multiset(in), Multiset(out); a != b {
		return fmt.Errorf("not the same keys: input has %v, output %v", a, b)
	}
	return nil
}
