package msd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// sampledField is MsdState.sampled.
const sampledField = 8

// TestSampleLeast holds the threshold to the tail of a sum of independent trials,
// as the Poisson distribution has it, and to a size that finds real skew.
func TestSampleLeast(t *testing.T) {
	for _, c := range []struct {
		n        uint64
		bits     uint32
		capacity uint64
	}{{60001, 10, 4607}, {1 << 22, 10, 4607}, {1 << 24, 12, 4607}, {1 << 26, 14, 4608}, {1 << 28, 14, 4 * 4607}} {
		for _, d := range []doubt{aloneDoubt, wholeDoubt} {
			least := sampleLeast(c.n, c.bits, c.capacity, d)
			mean := float64(c.capacity) / float64(c.n/sampleKeys)
			tail, term := 0.0, -mean
			for i := 1; i <= sampleKeys; i++ {
				term += math.Log(mean / float64(i))
				if uint32(i) >= least {
					tail += math.Exp(term)
				}
			}
			if tail *= float64(uint64(1) << c.bits); tail > d.errors {
				t.Errorf("%+v: %d keys of a bucket are reached with probability %g", c, least, tail)
			}
			if most := mean + 9*math.Sqrt(mean) + 20; float64(least) > most {
				t.Errorf("%+v: %d keys, more than %g, before a bucket is taken for large", c, least, most)
			}
		}
	}
}

// TestWholeDoubt: of a long sort, samples whose mean bucket is a tenth larger than a run's blocks take open the
// gate as a rule, and those whose buckets are half as large never do.
func TestWholeDoubt(t *testing.T) {
	const n, capacity = 75_000_000, 2 * 4607
	most := sampleMeetings(n, capacity, wholeDoubt)
	met := func(r *rand.Rand, buckets float64) (meetings uint32) {
		counts := make([]uint32, int(buckets)+1)
		for range sampleKeys {
			counts[int(r.Float64()*buckets)]++
		}
		for _, c := range counts {
			meetings += c*max(c, 1) - c
		}
		return meetings
	}
	open := map[float64]int{}
	r := rand.New(rand.NewPCG(1, 2))
	full := float64(n) / capacity
	for _, of := range []float64{0.5, 1, 1.1, 1.2} {
		for range 200 {
			if met(r, full/of) > most {
				open[of]++
			}
		}
	}
	t.Log(open)
	if open[0.5] != 0 || open[1] > 30 || open[1.1] < 100 || open[1.2] < 190 {
		t.Errorf("of 200 samples, by the share of a bucket that a block takes: %v", open)
	}
}

// checkSampled: what goes to onesweep goes there at once, but for input whose skew
// or order the sample cannot see; then nothing has been counted.
func checkSampled(t *testing.T, in input, pl plan.Plan, scratch []byte) {
	t.Helper()
	hidden := in.name == "a large part" || in.name == "reversed with ties" || strings.HasSuffix(in.name, "a key of another prefix")
	state := unsafe.Slice((*uint32)(unsafe.Pointer(&scratch[0])), stateBytes/4)
	if want := in.route == routeOnesweep && !hidden; (state[sampledField] != 0) != want {
		t.Errorf("the sample chose the route: %v, want %v; state %v", !want, want, state)
	}
	if state[sampledField] == 0 {
		return
	}
	counts := pl.Parts[1]
	for i, c := range scratch[counts.Off:][:counts.Bytes] {
		if c != 0 {
			t.Fatalf("%s: byte %d is %d behind the sample", counts.Name, i, c)
		}
	}
	if state[1]|state[2]|state[3]|state[4] != 0 {
		t.Errorf("state %v behind the sample", state)
	}
}

// TestEmulatedSample runs the sample alone: what it must send to onesweep, and what
// not, since buckets fit, or the order has a faster route.
func TestEmulatedSample(t *testing.T) {
	exe := kerneltest.Build(t, "msd", "SM_90")
	const n, capacity = 1<<18 + 3, 4607
	for turn, in := range []struct {
		name    string
		want    bool
		encoded func(r *rand.Rand, i int) uint64 // of 64 bits
	}{
		{"uniform", false, func(r *rand.Rand, i int) uint64 { return r.Uint64() }},
		{"every bucket full", false, func(r *rand.Rand, i int) uint64 { return r.Uint64N(n/capacity)<<58 | r.Uint64()>>12 }},
		// A period of the sample's mean distance: 64 buckets of 4,096 keys.
		{"stripes of buckets that fit", false, func(r *rand.Rand, i int) uint64 { return uint64(i%64)<<58 | r.Uint64()>>12 }},
		{"stripes of large buckets", true, func(r *rand.Rand, i int) uint64 { return uint64(i%16)<<60 | r.Uint64()>>12 }},
		{"alternating", true, func(r *rand.Rand, i int) uint64 { return uint64(i%2)<<63 | r.Uint64()>>12 }},
		{"rising stripes", true, func(r *rand.Rand, i int) uint64 { return uint64(i%1024) << 32 }},
		// Keys must repeat four times in the mean, or 1/4 more seldom than that would be.
		{"20 bits that vary", true, func(r *rand.Rand, i int) uint64 { return r.Uint64N(1<<20) << 32 }},
		{"21 bits that vary", false, func(r *rand.Rand, i int) uint64 { return r.Uint64N(1<<21) << 32 }},
		{"two values", true, func(r *rand.Rand, i int) uint64 { return r.Uint64N(2) << 32 }},
		{"one large bucket", true, func(r *rand.Rand, i int) uint64 {
			if i%16 == 5 {
				return 1 << 63
			}
			return r.Uint64()
		}},
		{"a bucket hardly too large", false, func(r *rand.Rand, i int) uint64 {
			if i%40 == 5 {
				return 1 << 63
			}
			return r.Uint64()
		}},
		{"a large bucket side by side", true, func(r *rand.Rand, i int) uint64 {
			if i > n/2 && i < n/2+60000 {
				return r.Uint64N(9) << 32
			}
			return r.Uint64()
		}},
		// Keys that stand together: an odd multiplier scatters their numbers.
		{"32 of each side by side", true, func(r *rand.Rand, i int) uint64 { return uint64(i/32) * 0x9e3779b97f4a7c15 }},
		{"16 of each side by side", true, func(r *rand.Rand, i int) uint64 { return uint64(i/16) * 0x9e3779b97f4a7c15 }},
		{"4 of each side by side", false, func(r *rand.Rand, i int) uint64 { return uint64(i/4) * 0x9e3779b97f4a7c15 }},
		{"32 of each apart", false, func(r *rand.Rand, i int) uint64 { return uint64(i%(n/32)) * 0x9e3779b97f4a7c15 }},
		{"sorted", false, func(r *rand.Rand, i int) uint64 { return uint64(i) << 32 }},
		{"sorted, 3 of each", false, func(r *rand.Rand, i int) uint64 { return uint64(i/3) << 40 }},
		{"reversed", false, func(r *rand.Rand, i int) uint64 { return uint64(n-i) << 32 }},
		{"reversed, 3 of each", false, func(r *rand.Rand, i int) uint64 { return uint64((n-i)/3) << 32 }},
		{"constant", false, func(r *rand.Rand, i int) uint64 { return 77 << 32 }},
		{"step up", false, func(r *rand.Rand, i int) uint64 { return uint64(i/(n/2)) << 32 }},
	} {
		for k, ty := range []key.Type{key.I32, key.F64} {
			if testing.Short() && (turn+k)%2 != 0 {
				continue // each input with one type, by turns
			}
			p := plan.Problem{Type: ty, Mode: plan.Pairs, ValueBytes: 4, Items: n, Order: key.Order{Desc: turn%2 == 1}}
			t.Run(fmt.Sprintf("%s/%v", in.name, ty), func(t *testing.T) {
				r := rand.New(rand.NewPCG(n, uint64(turn)))
				raw := make([]byte, p.KeyBytes())
				for i := range uint64(n) {
					encoded := in.encoded(r, int(i))
					if ty == key.I32 {
						*(*uint32)(unsafe.Pointer(&raw[4*i])) = key.Decode(p.Codec(), uint32(encoded>>32))
					} else {
						*(*uint64)(unsafe.Pointer(&raw[8*i])) = key.Decode(p.Codec(), encoded)
					}
				}
				b := plan.NewBuilder("sample", p)
				const restBytes = 40 << 10
				state, rest := b.Scratch("state", stateBytes), b.Scratch("rest", restBytes)
				caps := h200
				caps.ComputeUnits = 1 + turn%4
				sample(b, p, caps, zeroedUpTo(state, rest, rest.Off+restBytes), plan.U64(0), bucketing{n, 10 + uint32(turn%2), capacity}, alone)
				scratch := exe.Run(t, b.Plan(), raw, nil, uint64(turn%4*ty.Bytes()), 0, together)
				if i := slices.IndexFunc(scratch[rest.Off:][:restBytes], func(x byte) bool { return x != 0 }); i >= 0 {
					t.Errorf("byte %d behind the state is not cleared", i)
				}
				got := unsafe.Slice((*uint32)(unsafe.Pointer(&scratch[0])), stateBytes/4)
				if chosen := got[0] == routeOnesweep && got[sampledField] == 1; chosen != in.want {
					t.Errorf("state %v, want the sample to choose: %v", got, in.want)
				}
				if got[0] != 0 && got[sampledField] == 0 || got[1]|got[2]|got[3]|got[4] != 0 {
					t.Errorf("state %v", got)
				}
			})
		}
	}
}
