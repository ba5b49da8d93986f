package few

import (
	"math"
	"slices"

	"github.com/gpusort/gpusort/internal/key"
)

const (
	// nearlyMost is the most keys that are looked at for an order that they nearly
	// have: more of them are worth the instructions of package cpu.
	nearlyMost = 4096
	// looked neighbours show which way most keys go; one of them may go the other way, or
	// odd if these are a quarter of the others.
	looked, odd = 16, 2
	// strays is how many keys out of place are put in theirs.
	strays = 8
)

// nearly sorts x, longer than Most, and reports true if few keys are out of place in
// ascending or descending order, and none is NaN.
func nearly[T key.Key](x []T) bool {
	if i := rise(x, 1); i < len(x) {
		falls, rises := tendency(x)
		switch {
		case mostly(rises, falls):
		case mostly(falls, rises):
			slices.Reverse(x)
			i = rise(x, 1)
		default:
			return false
		}
		if !repair(x, i, strays) {
			return false
		}
	}
	if n := len(x); isFloat[T]() && x[0] <= 0 && x[n-1] >= 0 {
		orderZeros(x)
	}
	return true
}

// rise returns the first index from i, at least 1, whose key is not at least the one
// before, as no key is to a NaN, or the number of keys.
func rise[T key.Key](x []T, i int) int {
	a := x[i-1]
	// Four a turn, each with a branch of its own.
	for ; i+4 <= len(x); i += 4 {
		y := x[i : i+4 : i+4]
		b := y[0]
		if !(a <= b) {
			return i
		}
		c := y[1]
		if !(b <= c) {
			return i + 1
		}
		d := y[2]
		if !(c <= d) {
			return i + 2
		}
		a = y[3]
		if !(d <= a) {
			return i + 3
		}
	}
	for ; i < len(x) && a <= x[i]; i++ {
		a = x[i]
	}
	return i
}

// tendency counts which way neighbours go, at places that are evenly spread, without
// a branch that depends on it.
func tendency[T key.Key](x []T) (falls, rises int) {
	step := uint(len(x)-1) * (1 << 16 / looked)
	for k := range uint(looked) {
		at := int(k * step >> 16)
		a, b := x[at], x[at+1]
		if b < a {
			falls++
		}
		if a < b {
			rises++
		}
	}
	return falls, rises
}

// mostly reports whether so many neighbours that go one way are most, few enough going
// the other.
func mostly(one, other int) bool { return other <= 1 || other <= odd && 4*other <= one }

// repair puts the key at i, which is below the one before, and that one in their
// places, and so on for the next such pair, so many times at most. It reports whether
// x is then in order. i is the first such place or the number of keys.
func repair[T key.Key](x []T, i, times int) bool {
	for moves := 2 * len(x); i < len(x); i = rise(x, i) {
		if times--; times < 0 || moves < 0 {
			return false
		}
		low, high := x[i], x[i-1]
		down := i - 1
		for ; down > 0 && low < x[down-1]; down-- {
			x[down] = x[down-1]
		}
		x[down] = low
		up := i
		for ; up+1 < len(x) && x[up+1] < high; up++ {
			x[up] = x[up+1]
		}
		x[up] = high
		moves -= up - down
	}
	return true
}

// orderZeros puts −0 before +0 in x, which is in order by value.
func orderZeros[T key.Key](x []T) {
	lo := 0
	for lo < len(x) && x[lo] < 0 {
		lo++
	}
	negative, hi := lo, lo
	for ; hi < len(x) && x[hi] == 0; hi++ {
		if math.Signbit(float64(x[hi])) {
			negative++
		}
	}
	for i := lo; i < hi; i++ {
		x[i] = 0
		if i < negative {
			x[i] = -x[i]
		}
	}
}
