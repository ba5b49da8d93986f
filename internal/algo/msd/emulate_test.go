package msd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// Routes of MsdState.
const (
	routeSplit = 1 + iota
	routeOnesweep
	routeNone
)

// input is a distribution of encoded keys: the numbers that keys are encoded to.
type input struct {
	name    string
	route   uint32
	slow    bool // some buckets must take the slow path
	encoded func(r *rand.Rand, i, n int, bits, width uint32) uint64
}

// clustered returns an encoded key in one of 40 buckets with the given lower bits.
func clustered(i int, bits, width uint32, low uint64) uint64 {
	bucket := uint64(i%40) * 0x9e3779b97f4a7c15 >> (64 - bits)
	rest := width - bits
	return bucket<<rest | low&(1<<rest-1)
}

// ofBucket returns lower bits that all keys of clustered's and spaced's bucket of key
// number i have, and no other.
func ofBucket(i int) uint64 { return uint64(i%40+1) * 0x9e3779b97f4a7c15 >> 7 }

func inputs() []input {
	return []input{
		{"uniform", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return r.Uint64() >> (64 - width) }},
		{"full buckets", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return clustered(i, bits, width, r.Uint64()) }},
		{"runs", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			// A few keys of each bucket share the next 16 bits.
			low := r.Uint64() & (1<<(width-bits) - 1)
			if i < 40*3 {
				low = low&(1<<(width-bits-16)-1) | 0xffff<<(width-bits-16)
			}
			return clustered(i, bits, width, low)
		}},
		{"equal keys in each bucket", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return clustered(i, bits, width, ofBucket(i)) }},
		{"16 of each", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return clustered(i, bits, width, uint64(i/40/16)*0x9e3779b97f4a7c15>>8)
		}},
		{"largest and smallest", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return clustered(i, bits, width, -(r.Uint64() & 1))
		}},
		{"many runs", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			low := uint64(i/40/3) % 1024 << 6 << (width - bits - 16)
			return clustered(i, bits, width, low|r.Uint64()&(1<<(width-bits-16)-1))
		}},
		{"large bucket", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i%8 == 0 {
				return clustered(0, bits, width, r.Uint64())
			}
			return r.Uint64() >> (64 - width)
		}},
		{"one bucket", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return clustered(1, bits, width, r.Uint64()) }},
		{"constant", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return 77 }},
		{"sorted", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return uint64(i/3) << (width - 18)
		}},
		{"reversed", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return uint64((n-i)/3) << (width - 18)
		}},
		{"sorted but the last", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i == n-1 {
				return 0
			}
			return uint64(i)<<(width-18) | r.Uint64()&(1<<(width-18)-1)
		}},
	}
}

// TestEmulated runs plans on the host: all numbers of bits, all routes, odd
// sizes and alignments, every codec.
func TestEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "msd", "SM_90")
	orders := []struct {
		t key.Type
		o key.Order
	}{
		{key.U32, key.Order{}}, {key.F32, key.Order{}}, {key.U64, key.Order{}}, {key.I32, key.Order{Desc: true}},
		{key.F64, key.Order{NaNLast: true, Desc: true}}, {key.U32, key.Order{Desc: true}}, {key.I64, key.Order{}},
		{key.F32, key.Order{NaNLast: true}}, {key.U64, key.Order{Desc: true}},
	}
	turn := 0
	for i, in := range inputs() {
		counts := []uint32{10, 11}
		switch in.name { // 65,536 blocks take seconds
		case "uniform":
			counts = []uint32{16, 16, 10} // of 32 and of 64 bits
		case "full buckets", "16 of each", "large bucket", "reversed":
			counts = []uint32{16, 10, 11}
		}
		for k, bits := range counts {
			turn++
			if testing.Short() && k != i%len(counts) {
				continue // each input with one number of bits, by turns
			}
			o := orders[turn%len(orders)]
			p := plan.Problem{Type: o.t, Mode: plan.Keys, Order: o.o, Items: uint64(157001 + turn*7)}
			shift := uint64(turn) % 4
			t.Run(fmt.Sprintf("%s/%v/desc=%v/bits=%d/shift=%d", in.name, o.t, o.o.Desc, bits, shift), func(t *testing.T) {
				if o.t.Bits() == 32 {
					emulate[uint32](t, exe, in, p, bits, shift)
				} else {
					emulate[uint64](t, exe, in, p, bits, shift)
				}
			})
		}
	}
}

// together: the passes of the fallback wait for one another.
func together(symbol string) int {
	for _, stage := range []string{"pass", "upper", "pack", "gather", "unpack"} {
		if strings.Contains(symbol, "onesweep_"+stage) {
			return 3
		}
	}
	return 1
}

func emulate[U key.Word](t *testing.T, exe kerneltest.Emulator, in input, p plan.Problem, wantBits uint32, shift uint64) {
	caps := h200
	caps.ComputeUnits, caps.Cooperative = 2, false // onesweep sorts what no block takes
	pol, _ := policy(p, caps)
	pol.Mean = uint32((p.Items + 1<<wantBits - 1) >> wantBits)
	if bits(p.Items, pol) != wantBits {
		t.Fatalf("%d bits, want %d", bits(p.Items, pol), wantBits)
	}
	pl, err := build(p, caps, pol, noGate)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(p.Items, uint64(wantBits)))
	c := p.Codec()
	keys := make([]U, p.Items)
	width := uint32(p.Type.Bits())
	for i := range keys {
		encoded := in.encoded(r, i, len(keys), wantBits, width)
		if wantBits == maxBits && (in.name == "uniform" || in.name == "sorted but the last") {
			// Few of the many buckets, for time: 8 digits of each split.
			encoded &^= 0x1f1f << (width - 16)
		}
		keys[i] = key.Decode(c, U(encoded))
	}

	out := slices.Clone(keys)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes())
	got := exe.Run(t, pl, raw, nil, shift*uint64(p.Type.Bytes()), 0, together)
	if err := verify.Keys(keys, out, c); err != nil {
		t.Error(err)
	}
	state := unsafe.Slice((*uint32)(unsafe.Pointer(&got[0])), stateBytes/4)
	if state[0] != in.route {
		t.Errorf("route %d, want %d; state %v", state[0], in.route, state)
	}
	if (state[4] != 0) != in.slow {
		t.Errorf("%d slow buckets, want some: %v", state[4], in.slow)
	}
}
