package few

import (
	"math"
	"slices"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// PairsMost is the most pairs or positions that are inserted in whatever order their
// keys are: from there on the fixed costs of other ways are lower.
const PairsMost = 47

// pairs is Pairs of Go's numbers.
func pairs[K key.Key, V any](k []K, v []V) bool {
	n := len(k)
	if n < 2 || n > nearlyMost {
		return n < 2
	}
	v = v[:n]
	if fallsThroughout(k) {
		slices.Reverse(k)
		slices.Reverse(v)
		return true
	}
	times := n
	if n > PairsMost {
		if falls, rises := tendency(k); !mostly(rises, falls) {
			return false
		}
		times = strays
	}
	if !repairPairs(k, v, times) {
		return false
	}
	// −0 and +0 are left to sorts by bits: both are 0 here.
	return !isFloat[K]() || !slices.ContainsFunc(k, func(u K) bool { return u == 0 && math.Signbit(float64(u)) })
}

// fallsThroughout reports whether each key is below the one before, two at least.
func fallsThroughout[K key.Key](k []K) bool {
	for i := 1; i < len(k); i++ {
		if !(k[i] < k[i-1]) {
			return false
		}
	}
	return len(k) > 1
}

// repairPairs is repair, stable, of pairs; where times is their number, it inserts each.
func repairPairs[K key.Key, V any](k []K, v []V, times int) bool {
	for i := rise(k, 1); i < len(k); i = rise(k, i) {
		low, high, w, z := k[i], k[i-1], v[i], v[i-1]
		if times--; times < 0 || low != low || high != high {
			return false
		}
		j := i
		for ; j > 0 && low < k[j-1]; j-- {
			k[j], v[j] = k[j-1], v[j-1]
		}
		k[j], v[j] = low, w
		if len(k) <= PairsMost || j < i-1 {
			continue
		}
		// The key before may be the one that is out of place.
		j = i
		for ; j+1 < len(k) && k[j+1] < high; j++ {
			k[j], v[j] = k[j+1], v[j+1]
		}
		k[j], v[j] = high, z
	}
	return true
}

// argsort is Argsort of Go's numbers.
func argsort[K key.Key, I op.Index](idx []I, x []K) bool {
	n := len(x)
	if n > nearlyMost {
		return false
	}
	idx = idx[:n]
	if fallsThroughout(x) {
		for i := range idx {
			idx[i] = I(n - 1 - i)
		}
		return true
	}
	at, times := n, n
	if n > 1 {
		at = rise(x, 1)
	}
	if n > PairsMost && at < n {
		if falls, rises := tendency(x); !mostly(rises, falls) {
			return false
		}
		times = strays
	}
	for i := range idx {
		idx[i] = I(i)
	}
	if !repairIndex(idx, x, at, times) {
		return false
	}
	return !isFloat[K]() || !slices.ContainsFunc(x, func(u K) bool { return u == 0 && math.Signbit(float64(u)) })
}

// repairIndex is repairPairs of the positions of keys that stay; at is the first that
// is out of order, or their number.
func repairIndex[K key.Key, I op.Index](idx []I, x []K, at, times int) bool {
	for ; at < len(idx); at++ {
		low, high := idx[at], idx[at-1]
		u, last := x[low], x[high]
		if last <= u {
			continue
		}
		if times--; times < 0 || u != u || last != last {
			return false
		}
		j := at
		for ; j > 0 && u < x[idx[j-1]]; j-- {
			idx[j] = idx[j-1]
		}
		idx[j] = low
		if len(idx) <= PairsMost || j < at-1 {
			continue
		}
		j = at
		for ; j+1 < len(idx) && x[idx[j+1]] < last; j++ {
			idx[j] = idx[j+1]
		}
		if idx[j] = high; j > at {
			at-- // what is here now is to be looked at
		}
	}
	return true
}
