package msd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// hotBucket returns an encoded key of which `part` of 256 are in one bucket.
func hotBucket(part uint64, low func(r *rand.Rand, i int, bits uint32) uint64) func(*rand.Rand, int, int, uint32, uint32) uint64 {
	return func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
		if r.Uint64()%256 >= part {
			return r.Uint64() >> (64 - width)
		}
		return uint64(5)<<(width-bits) | low(r, i, width-bits)&(1<<(width-bits)-1)
	}
}

// largeInputs have buckets that no block takes, but for the last four. Their route is what the histogram leads to; 0: it
// depends on the width.
func largeInputs() []input {
	return []input{
		{"hot bucket", routeOnesweep, false, hotBucket(32, func(r *rand.Rand, i int, bits uint32) uint64 { return r.Uint64() })},
		{"hot value", routeOnesweep, false, hotBucket(40, func(r *rand.Rand, i int, bits uint32) uint64 { return 0x77 })},
		{"hot value but one", routeOnesweep, false, hotBucket(40, func(r *rand.Rand, i int, bits uint32) uint64 {
			if i == 70001 {
				return 1 << (bits - 1)
			}
			return 0x77
		})},
		{"hot values and a high bit, seldom", routeOnesweep, false, hotBucket(60, func(r *rand.Rand, i int, bits uint32) uint64 {
			if r.Uint64()%4096 == 0 {
				return 1<<(bits-1) | r.Uint64()
			}
			return r.Uint64() % 3
		})},
		{"nested", routeOnesweep, false, hotBucket(64, func(r *rand.Rand, i int, bits uint32) uint64 {
			return r.Uint64() >> (r.Uint64() % 64)
		})},
		{"everything in three buckets", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			bucket := []uint64{0, 1, 1<<bits - 1}[r.IntN(3)] // they share no upper bits, which the sort would skip
			return bucket<<(width-bits) | r.Uint64()&(1<<(width-bits)-1)
		}},
		{"one bucket", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return clustered(1, bits, width, r.Uint64()) }},
		{"one bucket but for a key", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i == n-1 {
				return 9
			}
			return clustered(1, bits, width, r.Uint64())
		}},
		{"rising but for a key of another prefix", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return otherPrefix(i, n)<<(width-1) | uint64(i)<<(width-19)
		}},
		{"a constant bit, hot values", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i%3 == 0 {
				return r.Uint64() >> (65 - width)
			}
			return r.Uint64() % 2 << (width - 9)
		}},
		{"constant but one", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i == n/2 {
				return 3
			}
			return 1<<(width-2) | 9
		}},
		{"two values", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return r.Uint64()%2<<(width-1) | 5
		}},
		{"low bits", 0, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return r.Uint64() % 20011 }},
		{"normal", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return uint64(min(max(0.5+r.NormFloat64()/500, 0), 0.999) * math.Exp2(float64(width))) // the highest bit differs
		}},
		{"exponential", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return uint64(math.Exp2(-20*r.Float64()) * float64(uint64(1)<<(width-1)))
		}},
		{"few bits set", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return (r.Uint64() & r.Uint64() & r.Uint64() & r.Uint64()) >> (64 - width)
		}},
		{"constant", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return 77 }},
		{"reversed", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return uint64((n - i) / 3) }},
		{"uniform", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return r.Uint64() >> (64 - width) }},
	}
}

// blind keeps the sample from choosing a route.
func blind(t *testing.T, pl plan.Plan) {
	for _, s := range pl.Steps {
		if s.Label == "sample" {
			s.Args[3] = plan.U64(0)                                 // no dictionary
			s.Args[5], s.Args[6] = plan.U32(1<<31), plan.U32(1<<31) // so many keys of the sample never meet
			s.Args[8] = plan.U32(0)                                 // no number of digits is few
			return
		}
	}
	t.Fatal("the plan has no sample")
}

// TestEmulatedLarge: onesweep sorts input with buckets that no block takes, as
// the sample chooses and with one that sees no skew.
func TestEmulatedLarge(t *testing.T) {
	exe := kerneltest.Build(t, "msd", "SM_90")
	types := []key.Type{key.U32, key.F64, key.I32, key.U64, key.F32, key.I64}
	for turn, in := range largeInputs() {
		for again := range 2 {
			if testing.Short() && (turn+again)%2 != 0 {
				continue // each input with one type, by turns with and without a sample
			}
			ty := types[(turn+3*again)%len(types)]
			p := plan.Problem{Type: ty, Mode: plan.Keys, Order: key.Order{Desc: (turn+again)%3 == 1}, Items: uint64(157001 + turn*7)}
			wantBits := uint32(10 + turn%2)
			t.Run(fmt.Sprintf("%s/%v/desc=%v/sample=%v", in.name, ty, p.Order.Desc, again == 1), func(t *testing.T) {
				if ty.Bits() == 32 {
					emulateLarge[uint32](t, exe, in, p, wantBits, uint64(turn)%4, again == 1)
				} else {
					emulateLarge[uint64](t, exe, in, p, wantBits, uint64(turn)%2, again == 1)
				}
			})
		}
	}
}

func emulateLarge[U key.Word](t *testing.T, exe kerneltest.Emulator, in input, p plan.Problem, wantBits uint32, shift uint64, sampled bool) {
	caps := h200
	caps.ComputeUnits = 2
	pol, _ := policy(p, caps)
	pol.Mean = uint32((p.Items + 1<<wantBits - 1) >> wantBits)
	pl, err := build(p, caps, pol, noGate)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(pl.Steps, func(s plan.Step) bool { return s.Cooperative }) {
		t.Fatal("no step for few different keys")
	}
	if !sampled {
		blind(t, pl)
	}
	r := rand.New(rand.NewPCG(p.Items, uint64(wantBits)))
	keys := make([]U, p.Items)
	for i := range keys {
		keys[i] = key.Decode(p.Codec(), U(in.encoded(r, i, len(keys), wantBits, uint32(p.Type.Bits()))))
	}
	out := slices.Clone(keys)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes())
	got := exe.Run(t, pl, raw, nil, shift*uint64(p.Type.Bytes()), 0, together)
	if err := verify.Keys(keys, out, p.Codec()); err != nil {
		t.Error(err)
	}
	state := unsafe.Slice((*uint32)(unsafe.Pointer(&got[0])), stateBytes/4)
	if !sampled && in.route != 0 && state[0] != in.route {
		t.Errorf("route %d, want %d; state %v", state[0], in.route, state)
	}
}

// TestEmulatedUnseen: onesweep sorts keys that are equal but for one, which the
// sample missed, also where all counters hold.
func TestEmulatedUnseen(t *testing.T) {
	exe := kerneltest.Build(t, "msd", "SM_90")
	const n = 157001
	for _, ty := range []key.Type{key.U32, key.U64} {
		p := plan.Problem{Type: ty, Mode: plan.Keys, Items: n}
		caps := h200
		caps.ComputeUnits = 4 // blocks that count fewer keys than wrap a counter
		pol, _ := policy(p, caps)
		pol.Mean = n>>10 + 1
		pl, err := build(p, caps, pol, noGate)
		if err != nil {
			t.Fatal(err)
		}
		keys := make([]uint64, n) // or as many halves
		for i := range keys {
			keys[i] = 0x4000_0009_4000_0009
		}
		keys[n/4] = 3 // within the first n halves, too
		out := slices.Clone(keys)
		raw := unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes())
		got := exe.Run(t, pl, raw, nil, 0, 0, together)
		if ty == key.U32 {
			in := unsafe.Slice((*uint32)(unsafe.Pointer(&keys[0])), n)
			err = verify.Keys(in, unsafe.Slice((*uint32)(unsafe.Pointer(&out[0])), n), p.Codec())
		} else {
			err = verify.Keys(keys, out, p.Codec())
		}
		if err != nil {
			t.Error(err)
		}
		state := unsafe.Slice((*uint32)(unsafe.Pointer(&got[0])), stateBytes/4)
		if state[0] != routeOnesweep {
			t.Errorf("%v: route %d, want %d; state %v", ty, state[0], routeOnesweep, state)
		}
	}
}
