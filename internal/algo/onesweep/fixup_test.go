package onesweep

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// runs of keys that agree above the lowest digits: how long the run of place i of n is
// to be, and the lowest digits of its keys.
type runs struct {
	name   string
	length func(r *rand.Rand, i, n int) int
	low    func(r *rand.Rand, i int) uint64
	giant  bool // if there are enough keys one is the grid's
}

func someRuns() []runs {
	random := func(r *rand.Rand, _ int) uint64 { return r.Uint64() }
	always := func(l int) func(*rand.Rand, int, int) int { return func(*rand.Rand, int, int) int { return l } }
	between := func(least, most int) func(*rand.Rand, int, int) int {
		return func(r *rand.Rand, _, _ int) int { return least + r.IntN(most-least+1) }
	}
	// Windows are tiles of 3,584 keys, or 4,096 with values, and 128 more.
	return []runs{
		{"alone", always(1), random, false},
		{"up to 5", between(1, 5), random, false},
		{"up to 40", between(1, 40), random, false},
		{"127 to 130", between(127, 130), random, false},
		{"tiles", always(3584), random, false},
		{"tiles with values", always(4096), random, false},
		{"as far as the window", func(_ *rand.Rand, i, _ int) int { return []int{3400, 184 + 127, 1, 3600}[i/500%4] }, random, false},
		{"windows and one", always(4096 + 129), random, false},
		{"a giant and its neighbours", func(_ *rand.Rand, i, _ int) int { return []int{3, layout.FixUpAlone + 3000}[min(1, i/2000)] }, random, true},
		{"one, reversed with ties", func(_ *rand.Rand, _, n int) int { return n }, func(_ *rand.Rand, i int) uint64 { return uint64(1<<20-i) / 2 }, true},
		{"long ones among short ones", func(r *rand.Rand, _, _ int) int { return []int{1, 2, 3, 5000 + r.IntN(3000)}[r.IntN(4)] }, random, false},
		{"one", func(_ *rand.Rand, _, n int) int { return n }, random, true},
		{"one, all keys equal", func(_ *rand.Rand, _, n int) int { return n }, func(*rand.Rand, int) uint64 { return 7 }, false},
		{"long, two values", always(3001), func(r *rand.Rand, _ int) uint64 { return r.Uint64N(2) }, false},
		{"up to 40, few values", between(1, 40), func(r *rand.Rand, _ int) uint64 { return r.Uint64N(3) }, false},
		{"in order already", between(1, 400), func(_ *rand.Rand, i int) uint64 { return uint64(i) }, false},
		// Disorder where another tile sees it: in one pair of neighbours of a long run.
		{"a late disorder", always(9700), func(_ *rand.Rand, i int) uint64 { return uint64(i) - 2*uint64(i%9699/9698) }, false},
		{"an early disorder", always(9700), func(_ *rand.Rand, i int) uint64 { return uint64(i) + 2*(1-min(uint64(i%9700), 1)) }, false},
	}
}

// TestEmulatedFixUp fixes up on the host what passes by the upper digits would leave: runs of all
// lengths and places, every codec, keys and pairs, which must come out stably.
func TestEmulatedFixUp(t *testing.T) {
	exe := kerneltest.Build(t, "onesweep", "SM_90")
	kinds := []plan.Problem{
		{Type: key.U64}, {Type: key.F64, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.I64, Order: key.Order{Desc: true}, Mode: plan.Pairs, ValueBytes: 8},
		{Type: key.F64, Order: key.Order{Desc: true, NaNLast: true}}, {Type: key.U64, Mode: plan.Pairs, ValueBytes: 4},
	}
	for turn, in := range someRuns() {
		for i, n := range []uint64{2, 3584, 4225, 30000 + uint64(turn), 2*layout.FixUpAlone + 3000} {
			if n > layout.FixUpAlone && !in.giant {
				continue // for time
			}
			if testing.Short() && (turn+i)%2 != 0 {
				continue // inputs take turns: each has every other size
			}
			p := kinds[(turn+i)%len(kinds)]
			if in.name == "one, reversed with ties" { // of keys alone it is turned round
				p = kinds[4]
			}
			p.Items = n
			low := uint32(2 + (turn+i)%4)
			t.Run(fmt.Sprintf("%s/%v/value=%d/desc=%v/n=%d/low=%d", in.name, p.Type, p.ValueBytes, p.Order.Desc, n, low), func(t *testing.T) {
				if p.ValueBytes == 4 {
					emulateFixUp[uint32](t, exe, p, in, low, turn)
				} else {
					emulateFixUp[uint64](t, exe, p, in, low, turn)
				}
			})
		}
	}
}

func emulateFixUp[V ~uint32 | ~uint64](t *testing.T, exe kerneltest.Emulator, p plan.Problem, in runs, low uint32, turn int) {
	r := rand.New(rand.NewPCG(p.Items, uint64(turn)))
	n := int(p.Items)
	encodedKeys := make([]uint64, 0, n)
	for upper := r.Uint64N(1000); len(encodedKeys) < n; upper += 1 + r.Uint64N(5) {
		for l := in.length(r, len(encodedKeys), n); l > 0 && len(encodedKeys) < n; l-- {
			encodedKeys = append(encodedKeys, upper<<(8*low)|in.low(r, len(encodedKeys))&(1<<(8*low)-1))
		}
	}
	// The control block asks for no pass, since the keys are in order of the upper digits.
	fixUpSteps(t, exe, p, encodedKeys, turn, func(b *plan.Builder, c driver.Caps, g Gated, tiles tiling) {
		if turn%2 == 1 {
			pol, _ := policy(p, c)
			apart := tilingOf(pol, p.Items, maxRows)
			apart.fixUps = tiles.tiles
			tiles = apart
		}
		b.Memset("low", g.Runs.Ref, low, 4)
		g.passes(b, p, c, tiles, g.Runs)
	}, func(got uint32) bool { return got == low }, make([]V, n))
}

// TestEmulatedLow sorts on the host inputs whose upper digits suffice, or do not.
func TestEmulatedLow(t *testing.T) {
	exe := kerneltest.Build(t, "onesweep", "SM_90")
	defer func(least, above uint64) { wideLeast, apartAbove = least, above }(wideLeast, apartAbove)
	wideLeast, apartAbove = 0, 0
	const n = 20011
	for turn, in := range []struct {
		name        string
		least, most uint32
		encoded     func(r *rand.Rand, i int) uint64
	}{
		{"smooth", 3, 4, func(r *rand.Rand, _ int) uint64 { return r.Uint64N(1<<40) + r.Uint64N(1<<40)<<23 }},
		{"uniform", 4, 4, func(r *rand.Rand, _ int) uint64 { return r.Uint64() }},
		{"ands of 2", 2, 5, func(r *rand.Rand, _ int) uint64 { return r.Uint64() & r.Uint64() }},
		{"ands of 5", 0, 0, func(r *rand.Rand, _ int) uint64 {
			return r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64()
		}},
		{"24 bits", 0, 0, func(r *rand.Rand, _ int) uint64 { return r.Uint64N(1 << 24) }},
		// Equal keys need no order; the one beside them the sample may miss.
		{"zeros and others", 2, 5, func(r *rand.Rand, i int) uint64 {
			if i%20 == 0 {
				return r.Uint64()
			}
			return 0
		}},
		{"zeros and one beside them", 2, 5, func(r *rand.Rand, i int) uint64 {
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
			{Type: key.U64}, {Type: key.U64, Order: key.Order{Desc: true}, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.U64, Mode: plan.Pairs, ValueBytes: 8},
		} {
			p.Items = n
			t.Run(fmt.Sprintf("%s/value=%d", in.name, p.ValueBytes), func(t *testing.T) {
				r := rand.New(rand.NewPCG(n, uint64(turn)))
				encodedKeys := make([]uint64, n)
				for i := range encodedKeys {
					encodedKeys[i] = in.encoded(r, i)
				}
				steps := func(b *plan.Builder, c driver.Caps, g Gated, _ tiling) {
					if err := g.Append(b, p, c); err != nil {
						t.Fatal(err)
					}
				}
				low := func(low uint32) bool { return in.least <= low && low <= in.most }
				if p.ValueBytes == 8 {
					fixUpSteps(t, exe, p, encodedKeys, turn+i, steps, low, make([]uint64, n))
				} else {
					fixUpSteps(t, exe, p, encodedKeys, turn+i, steps, low, make([]uint32, n))
				}
			})
		}
	}
}

// fixUpSteps runs the steps that the given function adds on keys with these encoded keys, and checks
// the result, and how many digits were left out.
func fixUpSteps[V ~uint32 | ~uint64](t *testing.T, exe kerneltest.Emulator, p plan.Problem, encodedKeys []uint64, turn int,
	steps func(*plan.Builder, driver.Caps, Gated, tiling), low func(uint32) bool, values []V) {
	t.Helper()
	c := p.Codec()
	keys := make([]uint64, len(encodedKeys))
	for i, encoded := range encodedKeys {
		keys[i], values[i] = key.Decode(c, encoded), V(i)
	}
	caps := h200
	caps.ComputeUnits, caps.Cooperative = 1+turn%3, true // blocks walk over several tiles
	tiles, err := gatedTiles(p, caps, maxRows)
	if apart := p.ValueBytes == 8 && apartAbove == 0; err != nil || tiles.sweeps == apart || (tiles.fixUps != 0) != apart {
		t.Fatalf("%+v: %v", tiles, err)
	}
	b := plan.NewBuilder("fix-up", p)
	gate, control, listed := b.Scratch("gate", 4), b.Scratch("control", ControlBytes), b.Scratch("runs", RunsBytes(p.Items))
	b.Memset("gate", gate, GateOpen, 4)
	b.Memset("control", control, 0, ControlBytes)
	b.Memset("runs", listed, 0xdddddddd, RunsBytes(p.Items))
	steps(b, caps, Gated{Gate: gate, Control: control, Words: b.Scratch("words", max(tiles.tiles, tiles.fixUps)*rowBytes), Sets: 1, Runs: plan.At(listed),
		Keys: b.Scratch("keys", p.KeyBytes()), Values: b.Scratch("values", p.ValuesBytes())}, tiles)
	out, moved := slices.Clone(keys), slices.Clone(values)
	var raw []byte
	if p.ValueBytes != 0 {
		raw = unsafe.Slice((*byte)(unsafe.Pointer(&moved[0])), p.ValuesBytes())
	}
	scratch := exe.Run(t, b.Plan(), unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes()), raw, uint64(turn%2*8), uint64((turn+1)%3*p.ValueBytes), together)
	words := unsafe.Slice((*uint32)(unsafe.Pointer(&scratch[listed.Off])), 3)
	if !low(words[0]) {
		t.Errorf("%d digits left out", words[0])
	}
	// Runs for the grid are in disorder, and no others are of more than layout.FixUpAlone keys.
	if want := len(encodedKeys) > layout.FixUpAlone; words[0] != 0 && (words[2] != 0) != want {
		t.Errorf("%d runs for the grid, want some: %v", words[2], want)
	}
	if p.ValueBytes == 0 {
		err = verify.Keys(keys, out, c)
	} else {
		err = verify.Pairs(keys, out, moved, c)
	}
	if err != nil {
		t.Error(err)
	}
}
