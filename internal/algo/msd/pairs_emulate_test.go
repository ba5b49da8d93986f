package msd

import (
	"fmt"
	mathbits "math/bits"
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

// pairsInputs are the routes of pairs: those of keys, but that equal neighbours
// must not be turned round, and that runs of equal keys keep their order.
func pairsInputs() []input {
	all := inputs()
	for i := range all {
		if all[i].name == "reversed" { // with ties
			all[i].name, all[i].route = "reversed with ties", routeSplit
		}
	}
	return append(all,
		input{"two parts", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { // of several tiles
			return uint64(i%2)<<(width-1) | r.Uint64()>>(64-width+(bits+1)/2)
		}},
		input{"reversed", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return uint64(n-i) << (width - 18)
		}},
		input{"bit-reversed", routeSplit, false, func(r *rand.Rand, i, n int, _, width uint32) uint64 { // a warp's ranks lie 32 apart and more
			return (mathbits.Reverse64(uint64(i)) | r.Uint64()>>18) >> (64 - width)
		}},
		input{"near-equal keys", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			x := uint64(i / 40 / 3)
			return spaced(i, bits, width, x*40<<(width-bits-16)|r.Uint64()&15&x)
		}})
}

// TestEmulatedPairs runs plans on the host: all routes, widths of keys and of
// values, odd sizes and alignments, several blocks of a split at once.
func TestEmulatedPairs(t *testing.T) {
	exe := kerneltest.Build(t, "msdpairs", "SM_90")
	orders := []struct {
		t key.Type
		o key.Order
	}{
		{key.U32, key.Order{}}, {key.U64, key.Order{}}, {key.F32, key.Order{}}, {key.F64, key.Order{NaNLast: true, Desc: true}},
		{key.I32, key.Order{Desc: true}}, {key.I64, key.Order{}},
	}
	for turn := range 2 * len(pairsInputs()) {
		if testing.Short() && turn%2 != turn/2%2 {
			continue // each input with one width, by turns
		}
		in := pairsInputs()[turn/2]
		o := orders[turn%len(orders)]
		valueBytes := 4 << ((turn + turn/2) / 2 % 2)
		p := plan.Problem{Type: o.t, Mode: plan.Pairs, Order: o.o, ValueBytes: valueBytes, Items: uint64(60001 + turn*7)}
		if in.name == "two parts" || in.name == "many runs" {
			p.Items += 47000 // several tiles a part; more runs than a block lists
		}
		bits := uint32(10 + turn/3%2)
		if turn == 1 {
			bits = maxBits
		}
		t.Run(fmt.Sprintf("%s/%v/desc=%v/value=%d/bits=%d", in.name, o.t, o.o.Desc, valueBytes, bits), func(t *testing.T) {
			emulateAnyPairs(t, exe, in, p, bits, turn)
		})
	}
}

// emulateAnyPairs returns the state that the device leaves.
func emulateAnyPairs(t *testing.T, exe kerneltest.Emulator, in input, p plan.Problem, bits uint32, turn int) []uint32 {
	switch width := p.Type.Bits(); {
	case width == 32 && p.ValueBytes == 4:
		return emulatePairs[uint32, uint32](t, exe, in, p, bits, turn)
	case width == 32:
		return emulatePairs[uint32, uint64](t, exe, in, p, bits, turn)
	case p.ValueBytes == 4:
		return emulatePairs[uint64, uint32](t, exe, in, p, bits, turn)
	}
	return emulatePairs[uint64, uint64](t, exe, in, p, bits, turn)
}

func emulatePairs[U key.Word, V ~uint32 | ~uint64](t *testing.T, exe kerneltest.Emulator, in input, p plan.Problem, wantBits uint32, turn int) []uint32 {
	caps := h200
	caps.ComputeUnits = 2
	pol, _ := pairsPolicy(p, caps)
	pol.Mean = uint32((p.Items + 1<<wantBits - 1) >> wantBits)
	if got := bucketBits(p.Items, pol.Mean); got != wantBits {
		t.Fatalf("%d bits, want %d", got, wantBits)
	}
	pl, err := buildPairs(p, caps, pol, noGate)
	if err != nil {
		t.Fatal(err)
	}
	return runPairs[U, V](t, exe, pl, in, p, wantBits, turn)
}

// runPairs runs a plan for pairs on the host. It returns the state that the device leaves.
func runPairs[U key.Word, V ~uint32 | ~uint64](t *testing.T, exe kerneltest.Emulator, pl plan.Plan, in input, p plan.Problem, wantBits uint32, turn int) []uint32 {
	noFew(t, pl)
	r := rand.New(rand.NewPCG(p.Items, uint64(wantBits)))
	c, width := p.Codec(), uint32(p.Type.Bits())
	keys, values := make([]U, p.Items), make([]V, p.Items)
	for i := range keys {
		keys[i] = key.Decode(c, U(in.encoded(r, i, len(keys), wantBits, width)))
		values[i] = V(i)
	}
	out := slices.Clone(keys)
	got := exe.Run(t, pl, unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes()), unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), p.ValuesBytes()),
		uint64(turn%4*p.Type.Bytes()), uint64((turn+1)%3*p.ValueBytes), func(symbol string) int {
			if strings.Contains(symbol, "_split_") {
				return 1 + turn%3
			}
			return together(symbol)
		})
	// The values are places: they must be the stable argsort, and bring the keys.
	if err := verify.Argsort(keys, values, c); err != nil {
		t.Error(err)
	}
	for i, v := range values {
		if out[i] != keys[v] {
			t.Fatalf("place %d: key %#x, but value %d came with %#x", i, out[i], v, keys[v])
		}
	}
	state := unsafe.Slice((*uint32)(unsafe.Pointer(&got[0])), stateBytes/4)
	if in.route == 0 { // any
		return state
	}
	checkSampled(t, in, pl, got)
	if state[0] != in.route {
		t.Errorf("route %d, want %d; state %v", state[0], in.route, state)
	}
	if (state[4] != 0) != in.slow && in.name != "reversed with ties" {
		t.Errorf("%d slow buckets, want some: %v", state[4], in.slow)
	}
	return state
}
