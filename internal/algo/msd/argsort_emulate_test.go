package msd

import (
	"fmt"
	mathbits "math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// spaced returns an encoded key in one of 40 buckets, evenly spaced, with the given lower
// bits: buckets nearly as full as may be, parts small enough for the groups.
func spaced(i int, bits, width uint32, low uint64) uint64 {
	bucket := uint64(i%40) << bits / 40
	return bucket<<(width-bits) | low&(1<<(width-bits)-1)
}

// argsortInputs: as inputs, for the routes and special cases of argsort.
func argsortInputs() []input {
	return []input{
		{"uniform", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return r.Uint64() >> (64 - width) }},
		{"full buckets", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return spaced(i, bits, width, r.Uint64()) }},
		{"near-equal keys", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			// Three keys agree in 16 bits behind the bucket's, then in all but the
			// lowest four, or in all.
			x := uint64(i / 40 / 3)
			return spaced(i, bits, width, x*40<<(width-bits-16)|r.Uint64()&15&x)
		}},
		{"equal keys in each bucket", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return spaced(i, bits, width, ofBucket(i)) }},
		{"equal keys side by side", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return spaced(i*40/n*7, bits, width, ofBucket(i*40/n)&^1|r.Uint64()&1)
		}},
		{"16 of each", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return spaced(i, bits, width, uint64(i/40/16)*0x9e3779b97f4a7c15>>8)
		}},
		{"largest and smallest", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return spaced(i, bits, width, -(r.Uint64() & 1))
		}},
		{"a large bucket", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i%8 == 0 {
				return 0x55 << (width - 8)
			}
			return r.Uint64() >> (64 - width)
		}},
		{"a large part", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			x := r.Uint64() >> (64 - width)
			if i%2 == 0 { // half of the keys in the middle part, but in all its buckets
				x = x>>6 | 1<<(width-1)
			}
			return x
		}},
		{"few distinct", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return ((r.Uint64N(8) + 1) * 0x9e3779b97f4a7c15) >> (64 - width)
		}},
		{"small numbers", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return r.Uint64N(1 << 17) }},
		{"one digit", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return 7 | r.Uint64N(3)<<(width-8) }},
		{"one upper, one lower digit", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return 0x700 | r.Uint64N(3)<<(width-8) | r.Uint64N(9)
		}},
		{"two upper, one lower digit", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return r.Uint64N(2)<<(width-6) | r.Uint64N(5)<<(width-12) | r.Uint64N(9)
		}},
		{"half constant", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i < n/2+1 {
				return 9
			}
			return r.Uint64() >> (64 - width)
		}},
		{"reversed with ties", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			if i < n/2 {
				return 1 << (width - 1) // a large bucket
			}
			return uint64((n - i) / 3)
		}},
		// In order, but the sample, which does not see the last key, is wrong about the upper
		// bits, so that the split cannot know.
		{"rising but for a key of another prefix", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return uint64((i+1)/n)<<(width-1) | uint64(i)<<(width-19)
		}},
		{"falling but for a key of another prefix", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return (1-uint64((i+1)/n))<<(width-1) | uint64(n-i)<<(width-19)
		}},
		{"constant", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return 77 }},
		{"sorted", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return uint64(i/3) << (width - 18) }},
		{"reversed", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return uint64(n-i) << (width - 18) }},
	}
}

// TestEmulatedArgsort runs plans on the host: all routes, widths of keys and of
// indices, odd sizes and alignments.
func TestEmulatedArgsort(t *testing.T) {
	exe := kerneltest.Build(t, "msd", "SM_90")
	orders := []struct {
		t key.Type
		o key.Order
	}{
		{key.U32, key.Order{}}, {key.U64, key.Order{}}, {key.F32, key.Order{}}, {key.F64, key.Order{NaNLast: true, Desc: true}},
		{key.I32, key.Order{Desc: true}}, {key.I64, key.Order{}},
	}
	for turn := range 2 * len(argsortInputs()) {
		if testing.Short() && turn%2 != turn/2%2 {
			continue // each input with one width, by turns
		}
		in := argsortInputs()[turn/2]
		width, valueBytes := 32<<(turn%2), 4<<((turn+turn/2)/2%2) // both widths, each with one of the indices'
		o := orders[turn%len(orders)]
		if o.t.Bits() != width {
			o = orders[(turn+1)%len(orders)]
		}
		n := uint64(61001 + turn*7)
		if in.name == "full buckets" {
			n += 96000
		}
		p := plan.Problem{Type: o.t, Mode: plan.Argsort, Order: o.o, ValueBytes: valueBytes, Items: n}
		bits := uint32(10 + turn/3%2)
		t.Run(fmt.Sprintf("%s/%v/desc=%v/value=%d/bits=%d", in.name, o.t, o.o.Desc, valueBytes, bits), func(t *testing.T) {
			emulateAnyArgsort(t, exe, in, p, bits, turn)
		})
	}
}

// emulateAnyArgsort returns the state that the device leaves.
func emulateAnyArgsort(t *testing.T, exe kerneltest.Emulator, in input, p plan.Problem, bits uint32, turn int) []uint32 {
	switch {
	case p.Type.Bits() == 32 && p.ValueBytes == 4:
		return emulateArgsort[uint32, uint32](t, exe, in, p, bits, turn)
	case p.Type.Bits() == 32:
		return emulateArgsort[uint32, uint64](t, exe, in, p, bits, turn)
	case p.ValueBytes == 4:
		return emulateArgsort[uint64, uint32](t, exe, in, p, bits, turn)
	}
	return emulateArgsort[uint64, uint64](t, exe, in, p, bits, turn)
}

// TestEmulatedDigits: every set of digits that may vary, with two values each, so
// that every bucket is too large.
func TestEmulatedDigits(t *testing.T) {
	exe := kerneltest.Build(t, "msd", "SM_90")
	for varying := range uint64(16) {
		if varying == 0 {
			continue // constant
		}
		if testing.Short() && varying%5 != 0 {
			continue // of each digit: constant and varying
		}
		p := plan.Problem{Type: key.F32, Mode: plan.Argsort, ValueBytes: 4 << (varying % 2), Items: 50001 + varying, Order: key.Order{Desc: varying&4 != 0}}
		in := input{"digits", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			encoded := uint64(0x90909090)
			for digit := range 4 {
				encoded ^= (varying >> digit & 1) * r.Uint64N(2) << (8*digit + digit%3)
			}
			return encoded
		}}
		t.Run(fmt.Sprintf("%04b/value=%d", varying, p.ValueBytes), func(t *testing.T) {
			emulateAnyArgsort(t, exe, in, p, 10, int(varying))
		})
	}
}

// TestEmulatedDigits64: every set of the lower five digits of 64-bit keys that may vary,
// without and with some of the upper three; and these sets turned round. Two values each,
// so that every bucket is too large.
func TestEmulatedDigits64(t *testing.T) {
	exe := kerneltest.Build(t, "msd", "SM_90")
	types := []key.Type{key.F64, key.U64, key.I64}
	for set := range uint64(64) {
		if testing.Short() && set%9 != 0 {
			continue // of each digit: constant and varying
		}
		varying := set%32 | set%2<<5 // bit p: digit p varies
		if set >= 32 {
			varying = set%32 | set/2%2<<5 | (1+set%3)<<6
		}
		if varying == 0 {
			continue // constant
		}
		p := plan.Problem{
			Type: types[varying%3], Mode: plan.Argsort, ValueBytes: 4 << (varying / 2 % 2),
			Items: 24001 + varying*37, Order: key.Order{Desc: varying%5 > 2},
		}
		if set == 63 {
			p.Items = 200_003 // places of more than 16 bits
		}
		for _, turned := range []bool{false, true} {
			varying := varying
			if turned {
				varying = uint64(mathbits.Reverse8(uint8(varying)))
			}
			in := input{"digits", 0, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
				encoded := uint64(0x9090909090909090)
				for digit := range 8 {
					encoded ^= (varying >> digit & 1) * r.Uint64N(2) << (8*digit + digit%3)
				}
				return encoded
			}}
			t.Run(fmt.Sprintf("%08b/%v/desc=%v/value=%d/turned=%v", varying, p.Type, p.Order.Desc, p.ValueBytes, turned), func(t *testing.T) {
				if state := emulateAnyArgsort(t, exe, in, p, 10, int(varying)); state[0] != routeOnesweep {
					t.Errorf("route %d, want onesweep's", state[0])
				}
			})
		}
	}
}

func emulateArgsort[U key.Word, V uint32 | uint64](t *testing.T, exe kerneltest.Emulator, in input, p plan.Problem, wantBits uint32, turn int) []uint32 {
	caps := h200
	caps.ComputeUnits = 1 + turn%2
	pol, _ := wordPolicy(caps)
	pol.Mean = uint32((p.Items + 1<<wantBits - 1) >> wantBits)
	if bits(p.Items, pol) != wantBits {
		t.Fatalf("%d bits, want %d", bits(p.Items, pol), wantBits)
	}
	// By turns, look-back words serve all passes, each pass, and each two tiles of a pass.
	atOnce := []uint64{maxWordsAtOnce, 0, 2 * rowBytes}[turn/2%3]
	pl, err := buildArgsortWith(p, caps, pol, atOnce)
	if err != nil {
		t.Fatal(err)
	}
	noFew(t, pl)
	r := rand.New(rand.NewPCG(p.Items, uint64(turn)))
	c := p.Codec()
	keys, indices := make([]U, p.Items), make([]V, p.Items)
	for i := range keys {
		keys[i] = key.Decode(c, U(in.encoded(r, i, len(keys), wantBits, uint32(p.Type.Bits()))))
		indices[i] = ^V(0)
	}
	out := slices.Clone(keys)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes())
	values := unsafe.Slice((*byte)(unsafe.Pointer(&indices[0])), p.ValuesBytes())
	got := exe.Run(t, pl, raw, values, uint64(turn%4*p.Type.Bytes()), uint64((turn+1)%3*p.ValueBytes), together)
	if !slices.Equal(keys, out) {
		t.Error("the keys were changed")
	}
	if err := verify.Argsort(keys, indices, c); err != nil {
		t.Error(err)
	}
	state := unsafe.Slice((*uint32)(unsafe.Pointer(&got[0])), stateBytes/4)
	if in.route == 0 { // any
		return state
	}
	checkSampled(t, in, pl, got)
	if state[0] != in.route {
		t.Errorf("route %d, want %d; state %v", state[0], in.route, state)
	}
	if (state[4] != 0) != in.slow {
		t.Errorf("%d slow buckets, want some: %v", state[4], in.slow)
	}
	return state
}
