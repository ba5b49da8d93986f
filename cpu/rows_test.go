package cpu_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/check/soak"
)

// item is a row whose place tells equal ones apart, and says which of the keys is its own:
// rows of one type, so that sorts of rows are compiled once, not once for each type of key.
type item struct {
	missing bool
	place   int
}

// lengths are some of 0 to 1,100 that r draws, and some at edges; with GPUSORT_EVERY=1 all.
func lengths(r *rand.Rand) (out []int) {
	step := 5
	switch {
	case testing.Short():
		step = 90
	case soak.Every():
		step = 1
	}
	for n := 0; n <= 1100; n += 1 + r.IntN(step) {
		out = append(out, n)
	}
	return append(out, 1, 2, 12, 13, 63, 64, 1100, 5000)
}

// columns sorts by one key in all its orders; compare is that of docs/order.md, ascending,
// and nan says which keys are NaN.
func columns[K cpu.ColumnKey](t *testing.T, draw func(*rand.Rand) K, compare func(a, b K) int, nan func(K) bool) {
	t.Helper()
	drawn := soak.Rand(t)
	for form := range 16 {
		desc, nanLast, nulls, nullsLast := form&1 != 0, form&2 != 0, form&4 != 0, form&8 != 0
		if nullsLast && !nulls || nanLast && nan == nil {
			continue
		}
		var keys []K
		order := func(a, b item) int {
			if a.missing || b.missing {
				switch {
				case a.missing == b.missing:
					return 0
				case a.missing != nullsLast:
					return -1
				}
				return 1
			}
			x, y := keys[a.place], keys[b.place]
			c := compare(x, y)
			if nanLast && nan(x) != nan(y) {
				c = -1
				if nan(x) {
					c = 1
				}
			}
			if desc {
				return -c
			}
			return c
		}
		for _, n := range lengths(drawn) {
			r := rand.New(rand.NewPCG(uint64(form), uint64(n)))
			x := make([]item, n)
			keys = make([]K, n)
			var calls atomic.Int64
			for i := range x {
				keys[i] = draw(r)
				x[i] = item{nulls && r.IntN(3) == 0, i}
			}
			by := cpu.By(func(p *item) K { calls.Add(1); return keys[p.place] })
			other := gpusort.By(func(p *item) K { return keys[p.place] })
			if nulls {
				by = cpu.ByNull(func(p *item) (K, bool) { calls.Add(1); return keys[p.place], !p.missing })
				other = gpusort.ByNull(func(p *item) (K, bool) { return keys[p.place], !p.missing })
			}
			if desc {
				by, other = by.Desc(), other.Desc()
			}
			if nanLast {
				by, other = by.NaNLast(), other.NaNLast()
			}
			if nullsLast {
				by, other = by.NullsLast(), other.NullsLast()
			}
			want := slices.Clone(x)
			slices.SortStableFunc(want, order)
			wrong := func(what string, place func(i int) int) {
				t.Helper()
				for i := range want {
					if place(i) != want[i].place {
						got, own := x[place(i)], want[i]
						t.Fatalf("%s of %d, desc %v, NaN last %v, nulls %v, last %v: place %d has %v, %v, want %v, %v", what, n,
							desc, nanLast, nulls, nullsLast, i, got, keys[got.place], own, keys[own.place])
					}
				}
			}
			idx := cpu.ArgsortBy(x, by)
			wrong("ArgsortBy", func(i int) int { return idx[i] })
			if calls.Load() != int64(n) && n > 1 {
				t.Fatalf("%d calls for %d elements", calls.Load(), n)
			}
			y := slices.Clone(x)
			cpu.SortBy(y, by)
			wrong("SortBy", func(i int) int { return y[i].place })
			y = slices.Clone(x)
			gpusort.SortBy(y, other)
			wrong("gpusort.SortBy", func(i int) int { return y[i].place })
		}
	}
}

func few[K any](v ...K) func(r *rand.Rand) K {
	return func(r *rand.Rand) K { return v[r.IntN(len(v))] }
}

// float compares by the order of bits that docs/order.md has.
func float(a, b float64) int {
	x, y := math.Float64bits(a), math.Float64bits(b)
	switch {
	case a != a && b != b:
		return cmp.Compare(x, y)
	case a != a || b != b:
		return cmp.Compare(a, b)
	case a == b:
		return cmp.Compare(y>>63, x>>63)
	}
	return cmp.Compare(a, b)
}

// half compares floats of 16 bits, of which so many are the fraction.
func half(fraction uint) func(a, b uint16) int {
	value := func(u uint16) float64 {
		exponent := int(u&0x7fff) >> fraction
		mantissa := float64(u & (1<<fraction - 1))
		bias := 1<<(14-fraction) - 1
		var f float64
		switch {
		case exponent == 1<<(15-fraction)-1 && mantissa != 0:
			return math.NaN()
		case exponent == 1<<(15-fraction)-1:
			f = math.Inf(1)
		case exponent == 0:
			f = math.Ldexp(mantissa, 1-bias-int(fraction))
		default:
			f = math.Ldexp(mantissa+float64(int(1)<<fraction), exponent-bias-int(fraction))
		}
		return math.Copysign(f, float64(1-2*int(u>>15)))
	}
	return func(a, b uint16) int {
		x, y := value(a), value(b)
		if x != x && y != y {
			return cmp.Compare(a, b)
		}
		return float(x, y)
	}
}

func TestColumns(t *testing.T) {
	t.Run("u8", func(t *testing.T) { columns(t, few[uint8](0, 1, 127, 128, 255), cmp.Compare, nil) })
	t.Run("i16", func(t *testing.T) {
		columns(t, func(r *rand.Rand) int16 { return int16(r.Uint32()) }, cmp.Compare, nil)
	})
	t.Run("u32", func(t *testing.T) {
		columns(t, func(r *rand.Rand) uint32 { return r.Uint32() >> r.IntN(32) }, cmp.Compare, nil)
	})
	type named int
	t.Run("named int", func(t *testing.T) {
		columns(t, func(r *rand.Rand) named { return named(r.Uint64() >> r.IntN(64)) }, cmp.Compare, nil)
	})
	t.Run("u64", func(t *testing.T) { columns(t, (*rand.Rand).Uint64, cmp.Compare, nil) })
	floats := []float64{math.NaN(), -math.NaN(), math.Float64frombits(0xfff0000000000001), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 1.5, -1.5, 1e300}
	t.Run("f64", func(t *testing.T) { columns(t, few(floats...), float, func(f float64) bool { return f != f }) })
	t.Run("f32", func(t *testing.T) {
		columns(t, few(0, float32(math.Copysign(0, -1)), -1, 1, float32(math.NaN()), float32(math.Inf(-1))),
			func(a, b float32) int { return float(float64(a), float64(b)) }, func(f float32) bool { return f != f })
	})
	t.Run("f16", func(t *testing.T) {
		columns(t, func(r *rand.Rand) cpu.Float16 { return cpu.Float16{Bits: uint16(r.Uint32())} },
			func(a, b cpu.Float16) int { return half(10)(a.Bits, b.Bits) }, func(f cpu.Float16) bool { return f.Bits&0x7fff > 0x7c00 })
	})
	t.Run("bf16", func(t *testing.T) {
		columns(t, func(r *rand.Rand) gpusort.BFloat16 { return gpusort.BFloat16{Bits: uint16(r.Uint32())} },
			func(a, b cpu.BFloat16) int { return half(7)(a.Bits, b.Bits) }, func(f cpu.BFloat16) bool { return f.Bits&0x7fff > 0x7f80 })
	})
	t.Run("bool", func(t *testing.T) {
		columns(t, few(true, false), func(a, b bool) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) }, nil)
	})
	t.Run("u128", func(t *testing.T) {
		columns(t, func(r *rand.Rand) cpu.Uint128 { return cpu.Uint128{Hi: r.Uint64N(3), Lo: r.Uint64()} },
			func(a, b cpu.Uint128) int { return cmp.Or(cmp.Compare(a.Hi, b.Hi), cmp.Compare(a.Lo, b.Lo)) }, nil)
	})
	type id [16]byte
	t.Run("[16]byte", func(t *testing.T) {
		columns(t, func(r *rand.Rand) (k id) {
			k[r.IntN(16)] = byte(r.IntN(3))
			return k
		},
			func(a, b id) int { return bytes.Compare(a[:], b[:]) }, nil)
	})
	t.Run("time", func(t *testing.T) {
		columns(t, func(r *rand.Rand) time.Time {
			return time.Unix(r.Int64N(3)<<r.IntN(50), r.Int64N(3)).In(time.FixedZone("", r.IntN(9000)))
		}, time.Time.Compare, nil)
	})
	t.Run("addr", func(t *testing.T) {
		columns(t, few(netip.Addr{}, netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("9.0.0.2"), netip.MustParseAddr("::1"),
			netip.MustParseAddr("fe80::1%eth0"), netip.MustParseAddr("fe80::1%eth"), netip.MustParseAddr("fe80::1")), netip.Addr.Compare, nil)
	})
	t.Run("string", func(t *testing.T) { columns(t, text, strings.Compare, nil) })
	type line []byte
	t.Run("bytes", func(t *testing.T) {
		columns(t, func(r *rand.Rand) line { return line(text(r)) }, func(a, b line) int { return bytes.Compare(a, b) }, nil)
	})
}

var long = strings.Repeat("0123456789", 1000)

// text is of any bytes, often alike.
func text(r *rand.Rand) string {
	switch r.IntN(8) {
	case 0:
		return ""
	case 1:
		return strings.Repeat("\x00", r.IntN(20))
	case 2:
		return strings.Repeat("\xff", r.IntN(20))
	case 3:
		return "\xc3\x28\x00\x01" + string(rune('a'+r.IntN(3)))
	case 4:
		if r.IntN(10) > 0 {
			return "short"
		}
		return long + string(rune('a'+r.IntN(20)))
	}
	return "https://host/" + fmt.Sprint(r.IntN(1000))
}

// person has what several columns are made of.
type person struct {
	last, first string
	born        time.Time
	height      float64
	children    int32
	place       int
}

func people(n int) []person {
	r, p := rand.New(rand.NewPCG(4, uint64(n))), make([]person, n)
	for i := range p {
		p[i] = person{text(r), text(r), time.Unix(r.Int64N(4), 0), []float64{1.5, math.NaN(), -0.5}[r.IntN(3)], int32(r.IntN(5) - 2), i}
	}
	return p
}

func sortedBy(p []person, compare func(a, b person) int) []int {
	p = slices.Clone(p)
	slices.SortStableFunc(p, compare)
	return places(p)
}

func places(p []person) []int {
	idx := make([]int, len(p))
	for i := range p {
		idx[i] = p[i].place
	}
	return idx
}

// TestSeveralColumns compares with a stable sort by comparing.
func TestSeveralColumns(t *testing.T) {
	last := cpu.By(func(p *person) string { return p.last })
	first := cpu.By(func(p *person) []byte { return []byte(p.first) })
	born := cpu.By(func(p *person) time.Time { return p.born })
	height := cpu.By(func(p *person) float64 { return p.height })
	children := cpu.By(func(p *person) int32 { return p.children })
	short := cpu.ByNull(func(p *person) (int8, bool) { return int8(p.children), p.children != 0 })
	nulls := func(a, b person) int {
		if (a.children == 0) != (b.children == 0) {
			return map[bool]int{true: -1, false: 1}[a.children == 0]
		}
		return cmp.Compare(a.children, b.children)
	}
	drawn := soak.Rand(t)
	for _, c := range []struct {
		orders  []cpu.Order[person]
		compare func(a, b person) int
	}{
		{nil, func(a, b person) int { return 0 }},
		{[]cpu.Order[person]{last, born.Desc()}, func(a, b person) int {
			return cmp.Or(cmp.Compare(a.last, b.last), b.born.Compare(a.born))
		}},
		{[]cpu.Order[person]{last.Desc(), first.Desc()}, func(a, b person) int {
			return cmp.Or(cmp.Compare(b.last, a.last), cmp.Compare(b.first, a.first))
		}},
		{[]cpu.Order[person]{height, children}, func(a, b person) int {
			return cmp.Or(cmp.Compare(a.height, b.height), cmp.Compare(a.children, b.children))
		}},
		{[]cpu.Order[person]{children.Desc(), short}, func(a, b person) int { return cmp.Compare(b.children, a.children) }},
		{[]cpu.Order[person]{short, first}, func(a, b person) int { return cmp.Or(nulls(a, b), cmp.Compare(a.first, b.first)) }},
		{[]cpu.Order[person]{height.Desc(), last, first.Desc(), children}, func(a, b person) int {
			return cmp.Or(cmp.Compare(b.height, a.height), cmp.Compare(a.last, b.last), cmp.Compare(b.first, a.first), cmp.Compare(a.children, b.children))
		}},
	} {
		for _, n := range lengths(drawn) {
			p := people(n)
			want := sortedBy(p, c.compare)
			if got := cpu.ArgsortBy(p, c.orders...); !slices.Equal(got, want) {
				t.Fatalf("ArgsortBy of %d by %d columns differs", n, len(c.orders))
			}
			for _, workers := range []int{1, 3} {
				s, err := cpu.New(cpu.WithWorkers(workers), cpu.WithMemoryLimit(uint64(workers)<<10))
				if err != nil {
					t.Fatal(err)
				}
				q := slices.Clone(p)
				if err := cpu.SortByWith(context.Background(), s, q, c.orders...); err != nil || !slices.Equal(places(q), want) {
					t.Fatalf("SortByWith of %d by %d columns differs, %v", n, len(c.orders), err)
				}
			}
		}
	}
}

// TestStrings compares with slices.Sort and with stable sorts.
func TestStrings(t *testing.T) {
	type word string
	type line []byte
	for _, n := range append(lengths(soak.Rand(t)), 40_000) {
		r := rand.New(rand.NewPCG(9, uint64(n)))
		w, b := make([]word, n), make([]line, n)
		for i := range w {
			w[i] = word(text(r))
			b[i] = line(w[i])
		}
		up, down := make([]int, n), make([]int, n)
		for i := range up {
			up[i], down[i] = i, i
		}
		slices.SortStableFunc(up, func(i, j int) int { return cmp.Compare(w[i], w[j]) })
		slices.SortStableFunc(down, func(i, j int) int { return cmp.Compare(w[j], w[i]) })
		if got := cpu.ArgsortStrings(w); !slices.Equal(got, up) {
			t.Fatalf("ArgsortStrings of %d differs", n)
		}
		if got := cpu.ArgsortStringsDesc(w); !slices.Equal(got, down) {
			t.Fatalf("ArgsortStringsDesc of %d differs", n)
		}
		if got := cpu.ArgsortBytes(b); !slices.Equal(got, up) {
			t.Fatalf("ArgsortBytes of %d differs", n)
		}
		if got := gpusort.ArgsortBytesDesc(b); !slices.Equal(got, down) {
			t.Fatalf("ArgsortBytesDesc of %d differs", n)
		}
		for desc, idx := range [][]int{up, down} {
			x, y := slices.Clone(w), slices.Clone(b)
			if desc == 1 {
				cpu.SortStringsDesc(x)
				cpu.SortBytesDesc(y)
			} else {
				cpu.SortStrings(x)
				gpusort.SortBytes(y)
			}
			for i, at := range idx {
				if x[i] != w[at] || string(y[i]) != string(w[at]) {
					t.Fatalf("place %d of %d sorted words has %.40q and %.40q, want %.40q", i, n, x[i], y[i], w[at])
				}
			}
		}
	}
}

// TestGather compares with a loop, by indices of any type.
func TestGather(t *testing.T) {
	for _, n := range []int{0, 1, 100, 100_000} {
		gathers[uint8](t, n)
		gathers[string](t, n)
		gathers[person](t, n)
		gathers[[100]byte](t, n)
	}
	for what, f := range map[string]func(){
		"an index too high":    func() { cpu.Gather(make([]int, 2), make([]int, 2), []int{0, 2}) },
		"a negative index":     func() { cpu.Gather(make([]int, 2), make([]int, 2), []int{0, -1}) },
		"fewer indices":        func() { cpu.Gather(make([]int, 2), make([]int, 2), []int{0}) },
		"fewer indices of x":   func() { cpu.Permute(make([]int, 2), []int{0}) },
		"far out, by a worker": func() { cpu.Gather(make([]int, 1<<20), make([]int, 9), slices.Repeat([]int{9}, 1<<20)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			f()
		}()
	}
	if err := cpu.GatherWith(context.Background(), nil, make([]int, 2), nil, []int{1}); !errors.Is(err, cpu.ErrUnsupported) {
		t.Errorf("GatherWith of fewer indices: %v", err)
	}
}

func gathers[T comparable](t *testing.T, n int) {
	t.Helper()
	x := make([]T, n)
	for i := range x {
		switch p := any(&x[i]).(type) {
		case *uint8:
			*p = uint8(i * 7)
		case *string:
			*p = fmt.Sprint(i)
		case *person:
			*p = person{last: fmt.Sprint(i), place: i}
		case *[100]byte:
			p[99], p[3] = byte(i), byte(i>>8)
		}
	}
	perm := rand.Perm(n)
	small := make([]uint32, n)
	want := make([]T, n)
	for i, at := range perm {
		small[i], want[i] = uint32(at), x[at]
	}
	got := make([]T, n)
	cpu.Gather(got, x, small)
	if !slices.Equal(got, want) {
		t.Fatalf("Gather of %d %T differs", n, *new(T))
	}
	gpusort.Permute(x, perm)
	if !slices.Equal(x, want) {
		t.Fatalf("Permute of %d %T differs", n, *new(T))
	}
}
