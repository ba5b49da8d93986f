package verify

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// Compare returns the comparison of docs/order.md for bit patterns of type t,
// written from its words and not through the codec. It returns 0 for equal
// bits only, and for what EqualZeros has tie.
func Compare[U key.Word](t key.Type, o key.Order) func(a, b U) int {
	asc := ascending[U](t, o)
	if o.Desc {
		return func(a, b U) int { return asc(b, a) }
	}
	return asc
}

func ascending[U key.Word](t key.Type, o key.Order) func(a, b U) int {
	switch t {
	case key.I8:
		return func(a, b U) int { return cmp.Compare(int8(a), int8(b)) }
	case key.I16:
		return func(a, b U) int { return cmp.Compare(int16(a), int16(b)) }
	case key.I32:
		return func(a, b U) int { return cmp.Compare(int32(a), int32(b)) }
	case key.I64:
		return func(a, b U) int { return cmp.Compare(int64(a), int64(b)) }
	case key.F32, key.F64, key.F16, key.BF16:
		value := func(u U) float64 { return valueOf(t, uint64(u)) }
		return func(a, b U) int { return compareFloats(a, b, value(a), value(b), o) }
	}
	return func(a, b U) int { return cmp.Compare(a, b) }
}

// valueOf is the number that the bits u of a float of type t are.
func valueOf(t key.Type, u uint64) float64 {
	switch t {
	case key.BF16:
		return float64(math.Float32frombits(uint32(u) << 16))
	case key.F32:
		return float64(math.Float32frombits(uint32(u)))
	case key.F64:
		return math.Float64frombits(u)
	}
	sign, exponent, fraction := 1-2*float64(u>>15), int(u>>10&31), float64(u&1023)
	switch {
	case exponent == 0:
		return math.Copysign(math.Ldexp(fraction, -24), sign)
	case exponent < 31:
		return sign * math.Ldexp(1024+fraction, exponent-25)
	case fraction != 0:
		return math.NaN()
	}
	return math.Inf(int(sign))
}

// compareFloats orders the numbers x and y with bit patterns a and b.
func compareFloats[U key.Word](a, b U, x, y float64, o key.Order) int {
	nanSide := -1 // where a NaN stands beside a number
	if o.NaNLast {
		nanSide = 1
	}
	switch xNaN, yNaN := x != x, y != y; {
	case o.EqualZeros && (x == y || xNaN && yNaN):
		return 0
	case xNaN && yNaN:
		return cmp.Compare(a, b)
	case xNaN:
		return nanSide
	case yNaN:
		return -nanSide
	case x < y:
		return -1
	case x > y:
		return 1
	case a == b:
		return 0
	case math.Signbit(x): // −0 beside +0
		return -1
	}
	return 1
}

// SortKeys sorts x by comparisons. Keys alone have one possible result, also with
// EqualZeros.
func SortKeys[U key.Word](x []U, t key.Type, o key.Order) {
	o.EqualZeros = false
	slices.SortStableFunc(x, Compare[U](t, o))
}

// ArgsortRef returns the stable argsort of x by comparisons.
func ArgsortRef[U key.Word](x []U, t key.Type, o key.Order) []int {
	idx := make([]int, len(x))
	for i := range idx {
		idx[i] = i
	}
	less := Compare[U](t, o)
	slices.SortStableFunc(idx, func(i, j int) int { return less(x[i], x[j]) })
	return idx
}

// SortPairs sorts k stably by comparisons and moves v along.
func SortPairs[U key.Word, V any](k []U, v []V, t key.Type, o key.Order) {
	idx := ArgsortRef(k, t, o)
	k2, v2 := slices.Clone(k), slices.Clone(v)
	for j, i := range idx {
		k[j], v[j] = k2[i], v2[i]
	}
}

// BitsOf returns the memory of x as bit patterns of its width, without a copy.
// It panics if U has not the width of T.
func BitsOf[U key.Word, T key.Key](x []T) []U {
	var t T
	var u U
	if unsafe.Sizeof(t) != unsafe.Sizeof(u) {
		panic("verify: BitsOf to a different width")
	}
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}
