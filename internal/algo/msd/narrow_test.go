package msd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestEmulatedNarrow: 64-bit keys with one upper half, and those that only seem
// to have one.
func TestEmulatedNarrow(t *testing.T) {
	exe := kerneltest.Build(t, "msd", "SM_90")
	const n = 61003
	const top = 0x80123456 << 32
	for i, in := range []input{
		{"uniform", routeNarrow, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return top | r.Uint64()>>32 }},
		{"three of each", routeNarrow, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return top | spaced(i, bits, 32, uint64(i/40/3)*40<<(16-bits))
		}},
		{"16 of each", routeNarrow, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return top | spaced(i, bits, 32, uint64(i/40/16)*0x9e3779b97f4a7c15>>40)
		}},
		{"a large bucket", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return top | r.Uint64N(1<<20)
		}},
		{"the last differs", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i == n-1 {
				return 1<<63 | r.Uint64()>>32
			}
			return top | r.Uint64()>>32
		}},
		{"sorted", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return top | uint64(i)<<8 }},
		{"reversed", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return top | uint64(n-i) }},
		{"constant", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return top }},
	} {
		order := key.Order{Desc: i%3 == 1}
		ty := []key.Type{key.U64, key.I64, key.F64}[i%3]
		t.Run(fmt.Sprintf("%s/%v/desc=%v", in.name, ty, order.Desc), func(t *testing.T) {
			p := plan.Problem{Type: ty, Mode: plan.Keys, Order: order, Items: n}
			caps := h200
			caps.ComputeUnits, caps.Cooperative = 2, false // onesweep sorts what no block takes
			pol, _ := policy(p, caps)
			pol.Mean = n>>10 + 1
			pl, err := buildFrom(p, caps, pol, noGate, 0)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(n, uint64(i)))
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = key.Decode(p.Codec(), in.encoded(r, i, n, minBits, 64))
			}
			out := slices.Clone(keys)
			raw := unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes())
			got := exe.Run(t, pl, raw, nil, uint64(i%2)*8, 0, together)
			if err := verify.Keys(keys, out, p.Codec()); err != nil {
				t.Error(err)
			}
			state := unsafe.Slice((*uint32)(unsafe.Pointer(&got[0])), stateBytes/4)
			if state[0] != in.route {
				t.Errorf("route %d, want %d; state %v", state[0], in.route, state)
			}
			if (state[4] != 0) != in.slow {
				t.Errorf("%d slow buckets, want some: %v", state[4], in.slow)
			}
		})
	}
}

// TestEmulatedOneUpperHalf: without steps for the lower halves, onesweep sorts keys
// whose upper halves are one, as it does where a sample only says so; not the launch for
// large buckets, which would split them digit by digit.
func TestEmulatedOneUpperHalf(t *testing.T) {
	exe := kerneltest.Build(t, "msd", "SM_90")
	const n = 61003
	for _, last := range []uint64{0, 1 << 63} {
		p := plan.Problem{Type: key.U64, Mode: plan.Keys, Items: n}
		caps := h200
		caps.ComputeUnits = 2
		pol, _ := policy(p, caps)
		pol.Mean = n>>10 + 1
		pl, err := buildFrom(p, caps, pol, noGate, n+1)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(n, last))
		keys := make([]uint64, n)
		for i := range keys {
			keys[i] = 0x80123456<<32 | r.Uint64()>>32
		}
		keys[n-1] ^= last
		out := slices.Clone(keys)
		got := exe.Run(t, pl, unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes()), nil, 0, 0, together)
		if err := verify.Keys(keys, out, p.Codec()); err != nil {
			t.Error(err)
		}
		state := unsafe.Slice((*uint32)(unsafe.Pointer(&got[0])), stateBytes/4)
		if state[0] != routeOnesweep {
			t.Errorf("last key's upper bits %x: route %d, want %d", last>>32, state[0], routeOnesweep)
		}
	}
}
