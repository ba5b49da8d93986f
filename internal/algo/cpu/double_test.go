package cpu

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
)

// wideShapes make halves of keys whose high ones are all different, all alike, and in
// runs of any length.
var wideShapes = map[string]func(r *rand.Rand, i, n int) key.Wide{
	"uniform": func(r *rand.Rand, _, _ int) key.Wide { return key.Wide{Hi: r.Uint64(), Lo: r.Uint64()} },
	"low":     func(r *rand.Rand, _, _ int) key.Wide { return key.Wide{Lo: r.Uint64()} },
	"few":     func(r *rand.Rand, _, _ int) key.Wide { return key.Wide{Hi: r.Uint64N(3), Lo: r.Uint64N(3) << 60} },
	"runs": func(r *rand.Rand, i, _ int) key.Wide {
		return key.Wide{Hi: r.Uint64N(40) * r.Uint64N(40), Lo: r.Uint64()}
	},
	"one other": func(r *rand.Rand, i, n int) key.Wide { return key.Wide{Hi: uint64(i / max(1, n-1)), Lo: r.Uint64N(99)} },
	"constant":  func(*rand.Rand, int, int) key.Wide { return key.Wide{Hi: 1 << 63, Lo: 5} },
	"sorted":    func(_ *rand.Rand, i, _ int) key.Wide { return key.Wide{Hi: uint64(i / 9), Lo: uint64(i)} },
	"falling":   func(_ *rand.Rand, i, n int) key.Wide { return key.Wide{Hi: uint64((n - i) / 9), Lo: uint64(n - i)} },
}

// wideReference is docs/order.md for keys of 128 bits, without the codec.
func wideReference(t key.Type, desc bool) func(a, b key.Octets) int {
	order := func(a, b key.Octets) int { return bytes.Compare(a[:], b[:]) }
	if t == key.U128 {
		half := func(b key.Octets, at int) uint64 { return binary.NativeEndian.Uint64(b[at:]) }
		order = func(a, b key.Octets) int {
			return cmp.Or(cmp.Compare(half(a, 0), half(b, 0)), cmp.Compare(half(a, 8), half(b, 8)))
		}
	}
	if desc {
		return func(a, b key.Octets) int { return order(b, a) }
	}
	return order
}

func wideKeys(t key.Type, shape string, n int) []key.Octets {
	r, x := rand.New(rand.NewPCG(5, uint64(n))), make([]key.Octets, n)
	for i := range x {
		key.DecodeWide(key.CodecOf(t, key.Order{}), &x[i], wideShapes[shape](r, i, n))
	}
	return x
}

func TestWide(t *testing.T) {
	sizes := []int{0, 1, 2, 3, smallItems, smallItems + 1, 100, 1100, 20_000}
	if !testing.Short() {
		sizes = append(sizes, 70_000, 200_000)
	}
	for _, n := range sizes {
		for shape := range wideShapes {
			for _, ty := range []key.Type{key.U128, key.B128} {
				for _, desc := range []bool{false, true} {
					in := wideKeys(ty, shape, n)
					o := Options{Workers: 1 + 2*rand.IntN(2)}
					c := key.CodecOf(ty, key.Order{Desc: desc})
					checkWide(t, fmt.Sprintf("%v %s, %d keys, desc %v, %+v", ty, shape, n, desc, o), in, wideReference(ty, desc), c, o)
				}
			}
		}
	}
}

// TestWideCapped sorts with less memory than the keys take.
func TestWideCapped(t *testing.T) {
	n := leastCap/int(itemScratch) + 100
	for _, ty := range []key.Type{key.U128, key.B128} {
		o := Options{MemoryCap: 1}
		if !o.capped(n) {
			t.Fatal("the cap is not where the test thinks")
		}
		checkWide(t, "capped", wideKeys(ty, "runs", n), wideReference(ty, false), key.CodecOf(ty, key.Order{}), o)
		if testing.Short() {
			break
		}
	}
}

func checkWide(t *testing.T, name string, in []key.Octets, compare func(a, b key.Octets) int, c key.Codec, o Options) {
	t.Helper()
	perm := make([]uint64, len(in))
	count(perm, 0, 1)
	slices.SortStableFunc(perm, func(a, b uint64) int { return compare(in[a], in[b]) })
	want := make([]key.Octets, len(in))
	for i, at := range perm {
		want[i] = in[at]
	}
	x := slices.Clone(in)
	if err := KeysWide(x, c, o); err != nil || !slices.Equal(x, want) {
		t.Fatalf("%s: keys: error %v, or not sorted", name, err)
	}
	idx, idx32 := make([]uint64, len(in)), make([]uint32, len(in))
	if err := ArgsortWide(in, idx, c, o); err != nil || !slices.Equal(idx, perm) {
		t.Fatalf("%s: argsort: error %v, or another order", name, err)
	}
	if err := ArgsortWide(in, idx32, c, o); err != nil || !samePlaces(idx32, idx) {
		t.Fatalf("%s: argsort of 4 bytes: error %v, or another order", name, err)
	}
	k, v, v32 := slices.Clone(in), make([]uint64, len(in)), make([]uint32, len(in))
	count(v, 0, 1)
	count(v32, 0, 1)
	if err := PairsWide(k, v, c, o); err != nil || !slices.Equal(k, want) || !slices.Equal(v, perm) {
		t.Fatalf("%s: pairs: error %v, or not sorted", name, err)
	}
	copy(k, in)
	if err := PairsWide(k, v32, c, o); err != nil || !slices.Equal(k, want) || !samePlaces(v32, perm) {
		t.Fatalf("%s: pairs of 4 bytes: error %v, or not sorted", name, err)
	}
	first := -1
	for i := 1; i < len(in) && first < 0; i++ {
		if compare(in[i], in[i-1]) < 0 {
			first = i
		}
	}
	if got := DisorderWide(in, c); got != first {
		t.Fatalf("%s: disorder at %d, not %d", name, got, first)
	}
}

// TestWideCancelled ends sorts at one look after the other: nothing is lost, and pairs
// stay together.
func TestWideCancelled(t *testing.T) {
	shrinkBounded(t)
	in := wideKeys(key.B128, "runs", 9*blockItems)
	c := key.CodecOf(key.B128, key.Order{})
	order := wideReference(key.B128, false)
	all := slices.SortedFunc(slices.Values(in), order)
	for _, memory := range []uint64{0, 1} {
		for n, ended := 0, false; !ended; n += 1 + n/3 {
			looks := 0
			o := Options{Workers: 1, MemoryCap: memory, look: func() bool { looks++; return looks > n }}
			x := slices.Clone(in)
			err := KeysWide(x, c, o)
			if err != nil && !errors.Is(err, context.Canceled) || err == nil && !slices.IsSortedFunc(x, order) {
				t.Fatalf("keys, %d looks: %v", n, err)
			}
			if ended = err == nil; !slices.Equal(slices.SortedFunc(slices.Values(x), order), all) {
				t.Fatalf("keys, %d looks: some are lost", n)
			}
		}
	}
	for n := 1; n < 1<<12; n *= 2 {
		ctx := &endingAfter{Context: context.Background(), n: n}
		k, v := slices.Clone(in), make([]uint32, len(in))
		count(v, 0, 1)
		if err := PairsWide(k, v, c, Options{Workers: 1, Ctx: ctx}); err == nil && !slices.IsSortedFunc(k, order) {
			t.Fatalf("pairs, %d looks: no error, but not sorted", n)
		}
		for i, at := range v {
			if k[i] != in[at] {
				t.Fatalf("pairs, %d looks: a pair came apart", n)
			}
		}
		slices.Sort(v)
		if len(slices.Compact(v)) != len(in) {
			t.Fatalf("pairs, %d looks: some are lost", n)
		}
	}
}

// endingAfter is a context that ends after so many questions for its error.
type endingAfter struct {
	context.Context
	n int
}

func (c *endingAfter) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}
