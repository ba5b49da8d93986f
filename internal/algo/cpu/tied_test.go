package cpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
)

var tiedOrders = []key.Order{
	{EqualZeros: true}, {EqualZeros: true, Desc: true},
	{EqualZeros: true, NaNLast: true}, {EqualZeros: true, NaNLast: true, Desc: true},
}

// tiedKeys returns n floats, of which one in every is a zero or NaN of any bits.
func tiedKeys[U key.Word](r *rand.Rand, n, every int) []U {
	quiet := key.Canonical(key.CodecFloatNaNFirst, ^U(0))
	sign := ^(^U(0) >> 1)
	ties := []U{0, sign, quiet, quiet | sign, quiet + 5, ^U(0), quiet&(quiet<<1) | 1, 0, sign}
	x := make([]U, n)
	for i := range x {
		if x[i] = U(r.Uint64()); r.IntN(every) == 0 {
			x[i] = ties[r.IntN(len(ties))]
		}
	}
	return x
}

// TestTied: pairs and positions of floats are those of a stable sort by comparison, for
// few and many that tie, and with buffers that hold all of them, some and one.
func TestTied(t *testing.T) {
	tiedOf[uint32, uint32](t, key.F32)
	tiedOf[uint32, uint64](t, key.F32)
	tiedOf[uint64, uint32](t, key.F64)
	tiedOf[uint64, uint64](t, key.F64)
	tiedOf[uint16, uint32](t, key.F16)
	if !testing.Short() {
		tiedOf[uint16, uint64](t, key.BF16)
	}
}

func tiedOf[U key.Word, V wide](t *testing.T, ty key.Type) {
	r, take := rand.New(rand.NewPCG(3, 4)), soak.Share(t, 3, 1) // of the long ones
	for _, o := range tiedOrders {
		c := key.CodecOf(ty, o)
		for _, n := range []int{0, 1, 2, 3, 40, 1000, 30000} {
			for _, every := range []int{1, 3, 1000} {
				if n > 1000 && !take() {
					continue
				}
				in := tiedKeys[U](r, n, every)
				want := verify.ArgsortRef(in, ty, o)
				name := fmt.Sprintf("%v %+v, values of %T, n=%d, one in %d", ty, o, V(0), n, every)
				idx := make([]V, n)
				if err := Argsort(in, idx, c, Options{}); err != nil || !samePlaces(idx, want) {
					t.Fatalf("%s: argsort: error %v, or another order", name, err)
				}
				sortPairs := func(how string, sort func(k []U, v []V) error) {
					k, v := slices.Clone(in), make([]V, n)
					for i := range v {
						v[i] = V(i)
					}
					if err := sort(k, v); err != nil || !samePlaces(v, want) {
						t.Fatalf("%s: pairs%s: error %v, or another order", name, how, err)
					}
					for j, i := range want {
						if k[j] != in[i] {
							t.Fatalf("%s: pairs%s: key %d has the bits %x, not %x", name, how, j, k[j], in[i])
						}
					}
				}
				sortPairs("", func(k []U, v []V) error { return Pairs(k, v, c, Options{}) })
				for _, room := range []int{1, 7, 300} {
					sortPairs(fmt.Sprintf(" with room for %d", room), func(k []U, v []V) error {
						return sortAround(still, k, v, c, Options{}, tiesIn(k, c), room, func(k []U, v []V) error {
							return Pairs(k, v, c&^key.CodecEqualZeros, Options{})
						})
					})
				}
			}
		}
	}
}

func samePlaces[V wide, W int | uint64](got []V, want []W) bool {
	return slices.EqualFunc(got, want, func(a V, b W) bool { return uint64(a) == uint64(b) })
}

// TestTiedKeys: keys alone have one result, and disorder is seen in it as the order has it.
func TestTiedKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, o := range tiedOrders {
		c := key.CodecOf(key.F64, o)
		in := tiedKeys[uint64](r, 5000, 2)
		x, y := slices.Clone(in), slices.Clone(in)
		if err := errors.Join(Keys(x, c, Options{}), Keys(y, c&^key.CodecEqualZeros, Options{})); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(x, y) {
			t.Errorf("%+v: keys alone differ from those of an order without ties", o)
		}
		k, v := slices.Clone(in), make([]uint32, len(in))
		if err := Pairs(k, v, c, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, s := range [][]uint64{k, x, in, append(slices.Clone(k), k[0])} {
			want := -1
			for i := 1; i < len(s); i++ {
				if verify.Compare[uint64](key.F64, o)(s[i-1], s[i]) > 0 {
					want = i
					break
				}
			}
			if got := FirstDisorder(s, c); got != want {
				t.Errorf("%+v: first disorder at %d, want %d", o, got, want)
			}
		}
	}
}

// TestTiedCancelled: wherever a sort of pairs is cancelled, they are still together.
func TestTiedCancelled(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	c := key.CodecOf(key.F64, tiedOrders[0])
	in := tiedKeys[uint64](r, 1<<20, 3)
	for looks := 0; ; looks++ {
		k, v := slices.Clone(in), make([]uint32, len(in))
		for i := range v {
			v[i] = uint32(i)
		}
		left := looks
		err := Pairs(k, v, c, Options{Workers: 1, look: func() bool { left--; return left < 0 }})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		seen := make([]bool, len(in))
		for j, i := range v {
			if seen[i] || k[j] != in[i] {
				t.Fatalf("cancelled at look %d: place %d has the value of place %d, and another's key or the second time", looks, j, i)
			}
			seen[i] = true
		}
		if err == nil {
			if looks < 10 {
				t.Errorf("only %d looks at the context", looks)
			}
			return
		}
		if looks > 20 {
			looks += looks / 3
		}
	}
}

// TestTiedAllocations: what no order with ties asks for costs other sorts nothing.
func TestTiedAllocations(t *testing.T) {
	k, v := make([]uint32, 100), make([]uint32, 100)
	if n := testing.AllocsPerRun(10, func() {
		_ = Pairs(k, v, key.CodecUnsigned, Options{})
		_ = Argsort(k, v, key.CodecUnsigned, Options{})
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// BenchmarkTied sorts pairs and positions of f32 by an order with ties and by one
// without: with no zero or NaN, one in a hundred, and every second.
func BenchmarkTied(b *testing.B) {
	const n = 10_000_000
	for _, every := range []int{math.MaxInt, 100, 2} {
		in := tiedKeys[uint32](rand.New(rand.NewPCG(9, 9)), n, every)
		for _, o := range []key.Order{{}, {EqualZeros: true}} {
			c := key.CodecOf(key.F32, o)
			k, v := make([]uint32, n), make([]uint32, n)
			run := func(mode string, sort func() error) {
				name := fmt.Sprintf("%s/ties=%v/one in %d", mode, o.EqualZeros, every)
				if every == math.MaxInt {
					name = fmt.Sprintf("%s/ties=%v/none", mode, o.EqualZeros)
				}
				b.Run(name, func(b *testing.B) {
					for range b.N {
						b.StopTimer()
						copy(k, in)
						b.StartTimer()
						if err := sort(); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
			run("pairs", func() error { return Pairs(k, v, c, Options{}) })
			run("argsort", func() error { return Argsort(k, v, c, Options{}) })
		}
	}
}
