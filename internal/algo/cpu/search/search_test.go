package search

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// TestWalk looks up queries in order, which are gone through beside the numbers, as a search of each finds them: more and
// fewer than there are numbers, and so few that they are not gone through.
func TestWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for _, o := range []key.Order{{}, {Desc: true}, {NaNLast: true}, {EqualZeros: true}} {
		for _, few := range []uint64{5, 1000, 1 << 40} { // different values
			walked(t, key.U64, o, func() uint64 { return r.Uint64N(few) })
			walked(t, key.I64, o, func() int64 { return int64(r.Uint64N(few)) - int64(few/2) })
			walked(t, key.F64, o, func() float64 {
				switch r.IntN(50) {
				case 0:
					return math.Copysign(0, float64(r.IntN(2))-0.5)
				case 1:
					return math.Inf(r.IntN(2)*2 - 1)
				}
				return float64(int64(r.Uint64N(few))-int64(few/2)) / 3
			})
		}
	}
}

func walked[T uint64 | int64 | float64](t *testing.T, typ key.Type, o key.Order, draw func() T) {
	c := key.CodecOf(typ, o)
	of := func(x T) uint64 { return key.Encode(c, key.Words[uint64](key.Memory([]T{x}))[0]) }
	drawn := func(n int) []T {
		x := make([]T, n)
		for i := range x {
			x[i] = draw()
		}
		slices.SortFunc(x, func(a, b T) int { return cmp.Compare(of(a), of(b)) })
		return x
	}
	for _, sizes := range [][2]int{{0, 70}, {1, 100}, {100, 65}, {3000, 200}, {3000, 10_000}, {20_000, 20_000}, {100_000, 100}} {
		sorted, queries := drawn(sizes[0]), drawn(sizes[1])
		got, err := Positions(typ, sorted, queries, o, cpu.Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		encoded := make([]uint64, len(sorted))
		for i, x := range sorted {
			encoded[i] = of(x)
		}
		for i, q := range queries {
			v := of(q)
			if want := sort.Search(len(encoded), func(k int) bool { return encoded[k] >= v }); got[i] != want {
				t.Fatalf("%v, %+v: query %v, %d of %d, among %d: %d, want %d", typ, o, q, i, len(queries), len(sorted), got[i], want)
			}
		}
	}
}

// TestSorted looks up many queries in no order, some of which are zeros and NaNs, with room for all and for a part of
// them only.
func TestSorted(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 10))
	for _, o := range []key.Order{{}, {Desc: true}, {NaNLast: true}, {EqualZeros: true}, {Desc: true, EqualZeros: true}} {
		anyOrder(t, r, key.U64, o, func() uint64 { return r.Uint64() >> r.IntN(64) })
		anyOrder(t, r, key.I32, o, func() uint32 { return r.Uint32() })
		anyOrder(t, r, key.F16, o, func() uint16 { return uint16(r.Uint32()) }) // NaNs among them
		anyOrder(t, r, key.I8, o, func() uint8 { return uint8(r.Uint32()) })
		anyOrder(t, r, key.F64, o, func() uint64 {
			switch r.IntN(3000) {
			case 0:
				return r.Uint64() | 0x7ff<<52
			case 1:
				return r.Uint64() & (1 << 63)
			}
			return r.Uint64() &^ (1 << 62)
		})
	}
}

func anyOrder[U key.Word](t *testing.T, r *rand.Rand, typ key.Type, o key.Order, draw func() U) {
	c := key.CodecOf(typ, o)
	drawn := func(n int) []U {
		x := make([]U, n)
		for i := range x {
			x[i] = draw()
		}
		return x
	}
	of := func(u U) U {
		if c&key.CodecEqualZeros != 0 {
			u = key.Canonical(c, u)
		}
		return key.Encode(c&^key.CodecEqualZeros, u)
	}
	sorted, queries := drawn(leastSorted+r.IntN(leastSorted)), drawn(2*leastSorted+r.IntN(leastSorted))
	slices.SortFunc(sorted, func(a, b U) int { return cmp.Compare(of(a), of(b)) })
	was := slices.Clone(queries)
	for _, most := range []uint64{0, sortedBytes * leastSorted, 1 << 20} {
		got, err := Positions(typ, sorted, queries, o, cpu.Options{Workers: 1 + r.IntN(2), MemoryCap: most})
		if err != nil || !slices.Equal(queries, was) {
			t.Fatalf("%v, %+v: the queries were changed, or %v", typ, o, err)
		}
		for i, q := range queries {
			v := of(q)
			if want := sort.Search(len(sorted), func(k int) bool { return of(sorted[k]) >= v }); got[i] != want {
				t.Fatalf("%v, %+v, %d bytes of scratch: query %d, %x, among %d: %d, want %d", typ, o, most, i, q, len(sorted), got[i], want)
			}
		}
	}
}
