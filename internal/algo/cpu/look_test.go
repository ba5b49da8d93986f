package cpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
)

// lookItems keys of 64 bits, four times what a worker may go through between two
// looks at the context.
const lookItems = 4 * lookBytes / 8

// changeMax is how many bytes of the caller's slices may change between two looks,
// and after a look that ends the sort: both sides of a step that swaps.
const changeMax = 3 * lookBytes

// firstLooks is how many looks TestLooks takes each of.
const firstLooks = 12

// lookCase is one way through the sorts.
type lookCase struct {
	name string
	op   string // keys, capped, pairs, argsort
	// fill makes key i of n.
	fill  func(r *rand.Rand, i, n int) uint64
	codec key.Codec
	// least is how often the context is looked at, at least: in passes over the keys
	// by steps of lookBytes.
	least int
}

func lookCases() []lookCase {
	uniform := func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() }
	rising := func(_ *rand.Rand, i, _ int) uint64 { return uint64(i) << 20 }
	falling := func(_ *rand.Rand, i, n int) uint64 { return uint64(n-i) << 20 }
	two := func(r *rand.Rand, _, _ int) uint64 { return 1 << 62 * (r.Uint64() & 1) }
	few := func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(16) << 58 }
	nans := func(r *rand.Rand, _, _ int) uint64 { return 0xfff1<<48 | r.Uint64()>>16 }
	ties := func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(2)<<63 | r.Uint64N(1000) }
	const pass = lookItems * 8 / lookBytes
	return []lookCase{
		{"uniform", "keys", uniform, 0, 3 * pass},
		{"descending", "keys", uniform, key.CodecDesc, 3 * pass},
		{"floats", "keys", uniform, key.CodecFloatNaNLast, 3 * pass},
		{"negative NaNs", "keys", nans, key.CodecFloatNaNFirst, 3 * pass},
		{"sorted", "keys", rising, 0, pass},
		{"reverse", "keys", falling, 0, 2 * pass},
		{"two values", "keys", two, key.CodecSigned, 2 * pass},
		{"few values", "keys", few, 0, 2 * pass},
		{"uniform", "capped", uniform, 0, 3 * pass},
		{"floats", "capped", uniform, key.CodecFloatNaNLast, 3 * pass},
		{"uniform", "pairs", uniform, 0, 2 * pass},
		{"sorted", "pairs", rising, 0, pass},
		{"reverse", "pairs", falling, 0, 2 * pass},
		{"two values", "pairs", two, 0, 2 * pass},
		{"uniform", "argsort", uniform, 0, 3 * pass},
		{"sorted", "argsort", rising, 0, 2 * pass},
		{"reverse", "argsort", falling, 0, 2 * pass},
		{"two values", "argsort", two, 0, 3 * pass},
		{"ties", "argsort", ties, 0, 3 * pass},
	}
}

// lookData is what a case sorts, and its input.
type lookData struct {
	in, x, v []uint64
	last     []byte // a copy of x and v
}

// sort sorts a fresh copy of the input.
func (d *lookData) sort(c lookCase, workers int, look func() bool) error {
	copy(d.x, d.in)
	count(d.v, 0, 1)
	o := Options{Workers: workers, look: look}
	switch c.op {
	case "pairs":
		return Pairs(d.x, d.v, c.codec, o)
	case "argsort":
		return Argsort(d.x, d.v, c.codec, o)
	case "capped":
		o.MemoryCap = 1
	}
	return Keys(d.x, c.codec, o)
}

// views are x and v as bytes.
func (d *lookData) views() [][]byte {
	var b [][]byte
	for _, s := range [][]uint64{d.x, d.v} {
		b = append(b, unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*8))
	}
	return b
}

func (d *lookData) keep() {
	d.last = d.last[:0]
	for _, b := range d.views() {
		d.last = append(d.last, b...)
	}
}

// changed counts the bytes of x and v that changed since keep, by pages.
func (d *lookData) changed() (sum int) {
	last := d.last
	for _, b := range d.views() {
		for ; len(b) > 0; b, last = b[4096:], last[4096:] {
			if !bytes.Equal(b[:4096], last[:4096]) {
				sum += 4096
			}
		}
	}
	return sum
}

// TestLooks counts how often sorts look at the context, and at some of the looks how
// much of the caller's memory has changed since the one before: no way through the
// sorts goes over all of it in one step.
func TestLooks(t *testing.T) {
	eachLookCase(t, func(t *testing.T, c lookCase, d *lookData) {
		looks := 0
		if err := d.sort(c, 1, func() bool { looks++; return false }); err != nil {
			t.Fatal(err)
		}
		if looks < c.least {
			t.Errorf("%d looks at the context, want %d", looks, c.least)
		}
		// The first steps, which have the longest segments, and some of the others.
		i, every, most := 0, max(2, looks/8), 0
		if err := d.sort(c, 1, func() bool {
			i++
			if i > 1 && i <= firstLooks || i > every && i%every == 1 {
				most = max(most, d.changed())
			}
			if i < firstLooks || i%every == 0 {
				d.keep()
			}
			return false
		}); err != nil {
			t.Fatal(err)
		}
		if most > changeMax {
			t.Errorf("%d bytes changed between two of %d looks", most, looks)
		}
	})
}

// TestStops ends sorts at some of their looks at the context: the keys are then a
// permutation, with their values, and, but where results are written back from
// scratch, little has changed since that look.
func TestStops(t *testing.T) {
	eachLookCase(t, func(t *testing.T, c lookCase, d *lookData) {
		looks := 0
		if err := d.sort(c, 1, func() bool { looks++; return false }); err != nil {
			t.Fatal(err)
		}
		want := sum(d.in, nil)
		back := c.op == "pairs" || c.op == "keys" && simd.Current() == simd.Plain
		for trial := range 4 {
			at, seen, err := 1+looks*trial*3/10, 0, error(nil)
			for err == nil {
				seen = 0
				err = d.sort(c, 1, func() bool {
					if seen++; seen == at {
						d.keep()
					}
					return seen >= at
				})
				if (err != nil) != (seen >= at) {
					t.Fatalf("look %d of %d was to end the sort: %v", at, seen, err)
				}
				if err == nil && at == 1 {
					t.Fatal("the sort did not look at the context")
				} else if err == nil { // samples are drawn anew in each sort: this one had fewer looks
					at /= 2
				}
			}
			if n := d.changed(); n > changeMax && !back {
				t.Errorf("%d bytes changed after look %d of %d", n, at, looks)
			}
			d.check(t, c, want)
			var shared atomic.Int64
			_ = d.sort(c, 3, func() bool { return shared.Add(1) >= int64(at) })
			d.check(t, c, want)
		}
	})
}

// check compares what a sort left with the input, whose sum is want.
func (d *lookData) check(t *testing.T, c lookCase, want uint64) {
	t.Helper()
	switch c.op {
	case "argsort":
		if !slices.Equal(d.x, d.in) {
			t.Fatal("argsort changed the keys")
		}
	case "pairs":
		places := make([]uint64, len(d.in))
		count(places, 0, 1)
		if sum(d.x, d.v) != sum(d.in, places) {
			t.Fatal("pairs were lost or came apart")
		}
	default:
		if sum(d.x, nil) != want {
			t.Fatal("keys were lost")
		}
	}
}

// sum is the same for the same keys, or pairs if v is not nil, in any order, and
// hardly ever for others.
func sum(k, v []uint64) (s uint64) {
	for i, u := range k {
		if v != nil {
			u += v[i] * 0xd1342543de82ef95
		}
		u = (u ^ u>>31) * 0x9e3779b97f4a7c15
		s += u ^ u>>29
	}
	return s
}

func eachLookCase(t *testing.T, f func(t *testing.T, c lookCase, d *lookData)) {
	if testing.Short() {
		absent.Skip(t, "a run without -short", "the race detector, which it is for, takes tens of times as long")
	}
	// What is partitioned in one go and what is encoded are then shorter than the keys.
	defer func(p, e int) { partitionBytes, encodeBytes = p, e }(partitionBytes, encodeBytes)
	partitionBytes, encodeBytes = lookBytes, lookBytes
	d := &lookData{in: make([]uint64, lookItems), x: make([]uint64, lookItems), v: make([]uint64, lookItems)}
	for _, c := range lookCases() {
		r := rand.New(rand.NewPCG(61, 62))
		for i := range d.in {
			d.in[i] = c.fill(r, i, len(d.in))
		}
		for l := simd.Plain; l <= simd.Best(); l++ {
			if c.op == "capped" && l > simd.Plain {
				continue // they sort keys in place as it is
			}
			t.Run(fmt.Sprintf("%s/%s/%v", c.op, c.name, l), func(t *testing.T) {
				defer simd.Force(l)()
				f(t, c, d)
			})
		}
	}
}

// TestBisect sorts a segment whose partitions have divided badly so often that it is
// divided in the middle of its values.
func TestBisect(t *testing.T) {
	if !simd.Available() {
		absent.Skip(t, "vectors", "this processor or build has no vector instructions")
	}
	r := rand.New(rand.NewPCG(63, 64))
	for _, values := range []func() uint64{r.Uint64, func() uint64 { return r.Uint64() >> r.IntN(64) }, func() uint64 { return ^uint64(0) - r.Uint64N(3) }} {
		x := make([]uint64, lookItems)
		for i := range x {
			x[i] = values()
		}
		want := slices.Sorted(slices.Values(x))
		j := vectorJob[uint64]{run: newRun(Options{Workers: 2, look: func() bool { return false }}), x: x}
		j.deal([]segment[uint64]{{hi: len(x), max: ^uint64(0), lopsided: lopsidedMax + 1}})
		if !slices.Equal(x, want) {
			t.Error("wrong")
		}
	}
}
