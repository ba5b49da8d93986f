package cpu_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/cpu"
)

// tiedRow has a float of few values, zeros and NaNs of all kinds among them, and what it is in 16 bits.
type tiedRow struct {
	f       float64
	half    cpu.Float16
	brain   cpu.BFloat16
	missing bool
	u       uint8
	at      int
}

func tiedRows(n int) []tiedRow {
	r := rand.New(rand.NewPCG(7, uint64(n)))
	kinds := []tiedRow{
		{f: math.Copysign(0, -1), half: cpu.Float16{Bits: 0x8000}, brain: cpu.BFloat16{Bits: 0x8000}}, {},
		{f: math.NaN(), half: cpu.Float16{Bits: 0x7e00}, brain: cpu.BFloat16{Bits: 0x7fc0}},
		{f: math.Float64frombits(0xfff8_0000_0000_0003), half: cpu.Float16{Bits: 0xfe03}, brain: cpu.BFloat16{Bits: 0xffc3}},
		{f: 1, half: cpu.Float16{Bits: 0x3c00}, brain: cpu.BFloat16{Bits: 0x3f80}},
		{f: math.Inf(-1), half: cpu.Float16{Bits: 0xfc00}, brain: cpu.BFloat16{Bits: 0xff80}},
	}
	x := make([]tiedRow, n)
	for i := range x {
		x[i] = kinds[r.IntN(len(kinds))]
		x[i].u, x[i].missing, x[i].at = uint8(r.IntN(3)), r.IntN(5) == 0, i
	}
	return x
}

// TestOrderEqualZeros: zeros tie, and NaNs, for few rows and for many, alone and before another column, as in a
// stable sort by comparisons.
func TestOrderEqualZeros(t *testing.T) {
	orders := map[string]cpu.Order[tiedRow]{
		"f64": cpu.By(func(x *tiedRow) float64 { return x.f }), "f32": cpu.By(func(x *tiedRow) float32 { return float32(x.f) }),
		"f16": cpu.By(func(x *tiedRow) cpu.Float16 { return x.half }), "bf16": cpu.By(func(x *tiedRow) cpu.BFloat16 { return x.brain }),
		"null": cpu.ByNull(func(x *tiedRow) (float64, bool) { return x.f, !x.missing }),
	}
	byU := cpu.By(func(x *tiedRow) uint8 { return x.u }).EqualZeros() // which changes nothing
	for name, o := range orders {
		for how := range 8 {
			desc, last, second := how&1 != 0, how&2 != 0, how&4 != 0
			o := o.EqualZeros()
			if desc {
				o = o.Desc()
			}
			if last {
				o = o.NaNLast()
			}
			columns := []cpu.Order[tiedRow]{o}
			if second {
				columns = append(columns, byU)
			}
			compare := func(a, b tiedRow) int {
				c := 0
				if null := name == "null"; null && (a.missing || b.missing) {
					c = map[bool]int{true: 0, false: 1}[a.missing] - map[bool]int{true: 0, false: 1}[b.missing]
				} else {
					if c = cmp.Compare(a.f, b.f); last && (a.f != a.f) != (b.f != b.f) {
						c = -c
					}
					if desc {
						c = -c
					}
				}
				if c == 0 && second {
					c = cmp.Compare(a.u, b.u)
				}
				return c
			}
			for _, n := range []int{2, 3, 4, 7, 8, 9, 16, 17, 64, 65, 3000} {
				x := tiedRows(n)
				want := slices.Clone(x)
				slices.SortStableFunc(want, compare)
				y, z := slices.Clone(x), slices.Clone(x)
				cpu.SortBy(y, columns...)
				if err := cpu.SortByWith(context.Background(), nil, z, columns...); err != nil {
					t.Fatal(err)
				}
				what := fmt.Sprintf("%d rows by %s, desc %v, NaN last %v, second column %v", n, name, desc, last, second)
				for i, at := range cpu.ArgsortBy(x, columns...) {
					if want[i].at != at || y[i].at != at || z[i].at != at {
						t.Fatalf("%s: place %d has row %d by ArgsortBy, %d by SortBy, %d by SortByWith, want %d", what, i, at, y[i].at, z[i].at, want[i].at)
					}
				}
			}
		}
	}
}
