package onesweep

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// Where Control has pass, low and disorder: see kernels/cuda/block/control.cuh.
const passAt, lowAt, disorderAt = 3 * 16384, 3*16384 + 92, 3*16384 + 96

// runs of keys that agree above the lowest digits: how long the run of place i of n is
// to be, and the lowest digits of its keys.
type runs struct {
	name   string
	length func(r *rand.Rand, i, n int) int
	low    func(r *rand.Rand, i int) uint64
	again  bool // a run in disorder is longer than a thread sorts
}

func someRuns() []runs {
	const most = layout.FixUpMost
	random := func(r *rand.Rand, _ int) uint64 { return r.Uint64() }
	always := func(l int) func(*rand.Rand, int, int) int { return func(*rand.Rand, int, int) int { return l } }
	between := func(least, most int) func(*rand.Rand, int, int) int {
		return func(r *rand.Rand, _, _ int) int { return least + r.IntN(most-least+1) }
	}
	// seldom has one run of the length about place 7000.
	seldom := func(l int) func(*rand.Rand, int, int) int {
		return func(r *rand.Rand, i, _ int) int {
			if i >= 7000 && i < 7003 {
				return l
			}
			return 1 + r.IntN(3)
		}
	}
	return []runs{
		{"alone", always(1), random, false},
		{"up to 5", between(1, 5), random, false},
		{"as many as a thread sorts", between(1, most), random, false},
		{"all as many as a thread sorts", always(most), random, false},
		{"one more", seldom(most + 1), random, true},
		{"all one more", always(most + 1), random, true},
		{"longer than a tile", seldom(5000), random, true},
		{"one, reversed with ties", func(_ *rand.Rand, _, n int) int { return n }, func(_ *rand.Rand, i int) uint64 { return uint64(1<<20-i) / 2 }, true},
		{"one, all keys equal", func(_ *rand.Rand, _, n int) int { return n }, func(*rand.Rand, int) uint64 { return 7 }, false},
		{"long, two values", always(3001), func(r *rand.Rand, _ int) uint64 { return r.Uint64N(2) }, true},
		{"few values", between(1, most), func(r *rand.Rand, _ int) uint64 { return r.Uint64N(3) }, false},
		{"in order already", between(1, 400), func(_ *rand.Rand, i int) uint64 { return uint64(i) }, false},
		// Disorder in one pair of neighbours of a long run, where another tile may see it.
		{"a late disorder", always(9700), func(_ *rand.Rand, i int) uint64 { return uint64(i) - 2*uint64(i%9699/9698) }, true},
		{"an early disorder", always(9700), func(_ *rand.Rand, i int) uint64 { return uint64(i) + 2*(1-min(uint64(i%9700), 1)) }, true},
	}
}

// TestEmulatedFixUp fixes up on the host what passes by the upper digits leave: runs of all lengths and
// places, keys and pairs, which must come out stably. Runs in disorder that a thread does not sort make all passes run.
func TestEmulatedFixUp(t *testing.T) {
	exe := kerneltest.Build(t, "onesweep", "SM_90")
	defer func(least uint64) { wideLeast = least }(wideLeast)
	wideLeast = 0
	kinds := []plan.Problem{{Type: key.U64}, {Type: key.U64, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.U64, Mode: plan.Pairs, ValueBytes: 8}}
	for turn, in := range someRuns() {
		for i, p := range kinds {
			if testing.Short() && (turn+i)%3 != 0 {
				continue // inputs take turns
			}
			p.Items = 20011 + uint64(turn*len(kinds)+i)
			low := 2 + 2*(turn%2)
			t.Run(fmt.Sprintf("%s/value=%d/low=%d", in.name, p.ValueBytes, low), func(t *testing.T) {
				r := rand.New(rand.NewPCG(p.Items, uint64(turn)))
				keys := make([]uint64, 0, p.Items)
				// All digits vary, so that a number of passes is even.
				for upper := uint64(0x0123456789ab) >> (8 * (low - 2)); len(keys) < int(p.Items); upper += 1 + r.Uint64N(1<<(28-4*low)) {
					for l := in.length(r, len(keys), int(p.Items)); l > 0 && len(keys) < int(p.Items); l-- {
						keys = append(keys, upper<<(8*low)|in.low(r, len(keys))&(1<<(8*low)-1))
					}
				}
				keys[0], keys[len(keys)-1] = 0, ^uint64(0)
				c := h200
				c.ComputeUnits, c.Cooperative = 1+turn%3, true // blocks walk over several tiles
				b := plan.NewBuilder("fix-up", p)
				control, gate := b.Scratch("control", ControlBytes), b.Scratch("gate", 4)
				b.Memset("control", control, 0, ControlBytes)
				b.Memset("gate", gate, GateOpen, 4)
				tiles, err := gatedTiles(p, c, maxRows)
				if err != nil {
					t.Fatal(err)
				}
				g := Gated{Gate: gate, Control: control, Words: b.Scratch("words", tiles.tiles*rowBytes), Sets: 1,
					Keys: b.Scratch("keys", p.KeyBytes()), Values: b.Scratch("values", p.ValuesBytes())}
				histogram{"histogram", plan.Ref{Region: plan.KeysIO}, p.Items, control, p.Mode, plan.At(gate), false, 0}.append(b, p, c, 1)
				b.Memset("no passes", control.Add(passAt), 0, 4*uint64(low))
				b.Memset("low", control.Add(lowAt), uint32(low), 4)
				g.passes(b, p, c, tiles)
				scratch, err := sortChecked(t, exe, p, b.Plan(), keys, uint64(turn%2*8))
				if err != nil {
					t.Error(err)
				}
				if again := binary.LittleEndian.Uint32(scratch[disorderAt:]) != 0; again != in.again {
					t.Errorf("all passes run: %v, want %v", again, in.again)
				}
			})
		}
	}
}

// TestEmulatedLow sorts on the host inputs whose upper digits suffice, or do not.
func TestEmulatedLow(t *testing.T) {
	exe := kerneltest.Build(t, "onesweep", "SM_90")
	defer func(least uint64) { wideLeast = least }(wideLeast)
	wideLeast = 0
	const n = 20011
	for turn, in := range []struct {
		name        string
		least, most uint32 // digits left out
		again       bool
		encoded     func(r *rand.Rand, i int) uint64
	}{
		{"smooth", 3, 4, false, func(r *rand.Rand, _ int) uint64 { return r.Uint64N(1<<40) + r.Uint64N(1<<40)<<23 }},
		{"uniform", 4, 4, false, func(r *rand.Rand, _ int) uint64 { return r.Uint64() }},
		{"ands of 2", 2, 5, false, func(r *rand.Rand, _ int) uint64 { return r.Uint64() & r.Uint64() }},
		{"ands of 5", 0, 0, false, func(r *rand.Rand, _ int) uint64 {
			return r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64()
		}},
		{"24 bits", 0, 0, false, func(r *rand.Rand, _ int) uint64 { return r.Uint64N(1 << 24) }},
		// Equal keys need no order; the one beside them the sample may miss.
		{"zeros and others", 2, 5, false, func(r *rand.Rand, i int) uint64 {
			if i%20 == 0 {
				return r.Uint64()
			}
			return 0
		}},
		{"zeros and one beside them", 0, 0, true, func(r *rand.Rand, i int) uint64 {
			switch {
			case i%20 == 0:
				return r.Uint64()
			case i == 9001:
				return 77
			}
			return 0
		}},
	} {
		for i, p := range []plan.Problem{
			{Type: key.U64}, {Type: key.U64, Order: key.Order{Desc: true}, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.F64, Mode: plan.Pairs, ValueBytes: 8},
		} {
			p.Items = n
			t.Run(fmt.Sprintf("%s/value=%d", in.name, p.ValueBytes), func(t *testing.T) {
				r := rand.New(rand.NewPCG(n, uint64(turn)))
				keys := make([]uint64, n)
				for i := range keys {
					keys[i] = key.Decode(p.Codec(), in.encoded(r, i))
				}
				c := h200
				c.ComputeUnits, c.Cooperative = 1+(turn+i)%3, true
				b := plan.NewBuilder("low", p)
				control, gate := b.Scratch("control", ControlBytes), b.Scratch("gate", 4)
				b.Memset("control", control, 0, ControlBytes)
				b.Memset("gate", gate, GateOpen, 4)
				words, err := WordsBytes(p, c)
				if err != nil {
					t.Fatal(err)
				}
				g := Gated{Gate: gate, Control: control, Words: b.Scratch("words", 2*words), Sets: 1 + uint32(turn%2),
					Keys: b.Scratch("keys", p.KeyBytes()), Values: b.Scratch("values", p.ValuesBytes())}
				if err := g.Append(b, p, c); err != nil {
					t.Fatal(err)
				}
				scratch, err := sortChecked(t, exe, p, b.Plan(), keys, uint64(turn%2*8))
				if err != nil {
					t.Error(err)
				}
				if low := binary.LittleEndian.Uint32(scratch[lowAt:]); low < in.least || low > in.most {
					t.Errorf("%d digits left out", low)
				}
				if again := binary.LittleEndian.Uint32(scratch[disorderAt:]) != 0; again != in.again {
					t.Errorf("all passes run: %v, want %v", again, in.again)
				}
			})
		}
	}
}
