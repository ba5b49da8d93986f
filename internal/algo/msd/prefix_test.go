package msd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// skipField and prefixField are MsdState.skip and prefix.
const skipField, prefixField = 9, 10

// otherPrefix is 1 for one of n keys, about two thirds on, which is not in the
// sample, and 0 for all others.
func otherPrefix(i, n int) uint64 {
	if uint64(i) == unseen(uint64(n)*2/3, uint64(n)) {
		return 1
	}
	return 0
}

// sharing is an input of which the sample shares upper bits: so many, or -1 if the
// test does not say.
type sharing struct {
	input
	skip int
}

// sharingInputs: encoded keys that share upper bits, of a width of 32 or 64.
func sharingInputs(width uint32) []sharing {
	top := func(bits uint32, x uint64) uint64 {
		return 0xb5a6938271605f4e>>(64-width)&^(1<<(width-bits)-1) | x&(1<<(width-bits)-1)
	}
	// In 40 buckets, for time: behind `bits` upper ones, any lower ones.
	spread := func(r *rand.Rand, i int, shared, bits uint32) uint64 {
		return top(shared, spaced(i, bits, width-shared, r.Uint64()))
	}
	wide := uint32(routeOnesweep) // the top word of 64-bit keys is constant
	if width == 32 {
		wide = routeSplit
	}
	inputs := []sharing{
		{input{"one upper bit", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return spread(r, i, 1, bits) }}, 1},
		{input{"nine upper bits", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return spread(r, i, 9, bits) }}, 9},
		{input{"a key of another prefix", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return top(3, r.Uint64()) ^ otherPrefix(i, n)<<(width-2)
		}}, 3},
		{input{"rising but for a key of another prefix", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return top(1, uint64(i)<<(width-18)) ^ otherPrefix(i, n)<<(width-1)
		}}, -1},
		{input{"falling but for a key of another prefix", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return top(1, uint64(n-i)<<(width-18)) ^ otherPrefix(i, n)<<(width-1)
		}}, -1},
		{input{"rising", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return top(2, uint64(i/2)<<(width-18)) }}, -1},
		{input{"falling", routeNone, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return top(2, uint64(n-i)<<(width-19)) }}, -1},
		{input{"equal keys in each bucket", routeSplit, true, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return top(4, spaced(i, bits, width-4, ofBucket(i)))
		}}, 4},
		{input{"as many upper bits as may be", routeSplit, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			return spread(r, i, min(31, width-22), bits)
		}}, int(min(31, width-22))},
		{input{"16 bits", routeOnesweep, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return top(width-16, r.Uint64()) }}, -1},
		{input{"numbers of 22 bits", wide, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 { return top(width-22, r.Uint64()) }}, -1},
	}
	if width == 64 {
		for _, bits := range []uint32{32, 33, 40} {
			inputs = append(inputs, sharing{input{fmt.Sprintf("upper %d bits constant", bits), routeOnesweep, false,
				func(r *rand.Rand, i, n int, _, width uint32) uint64 { return top(bits, r.Uint64()) }}, 0})
		}
	}
	return inputs
}

// TestEmulatedPrefix runs plans of pairs and argsorts of keys that share upper bits:
// these are shifted out, and come back; a key without them sends the untouched input
// to onesweep.
func TestEmulatedPrefix(t *testing.T) {
	pairs, words := kerneltest.Build(t, "msdpairs", "SM_90"), kerneltest.Build(t, "msd", "SM_90")
	types := map[uint32][]key.Type{32: {key.U32, key.I32, key.F32}, 64: {key.I64, key.U64, key.F64}}
	for _, width := range []uint32{32, 64} {
		for turn, in := range sharingInputs(width) {
			for _, mode := range []plan.Mode{plan.Pairs, plan.Argsort} {
				if testing.Short() && (turn+int(mode))%2 != 0 {
					continue // each input with one mode, by turns
				}
				p := plan.Problem{
					Type: types[width][turn%3], Mode: mode, Order: key.Order{Desc: turn%4 == 1},
					ValueBytes: 4 << ((turn + int(mode)) / 2 % 2), Items: uint64(60001 + turn*7),
				}
				t.Run(fmt.Sprintf("%s/%v/%v/desc=%v/value=%d", in.name, mode, p.Type, p.Order.Desc, p.ValueBytes), func(t *testing.T) {
					var state []uint32
					if mode == plan.Pairs {
						state = emulateAnyPairs(t, pairs, in.input, p, uint32(10+turn%2), turn)
					} else {
						state = emulateAnyArgsort(t, words, in.input, p, uint32(10+turn%2), turn)
					}
					if in.skip >= 0 && state[skipField] != uint32(in.skip) {
						t.Errorf("%d bits are shared, want %d; state %v", state[skipField], in.skip, state)
					}
					if skip := state[skipField]; in.skip > 0 && state[prefixField] != 0xb5a69382>>(32-skip)<<(32-skip) {
						t.Errorf("prefix %#x of %d bits; state %v", state[prefixField], skip, state)
					}
				})
			}
		}
	}
}

// TestEmulatedUnitFloats: floats of one exponent share 9 or 12 upper bits; those below 1
// have rare small ones, which the sample misses.
func TestEmulatedUnitFloats(t *testing.T) {
	pairs, words := kerneltest.Build(t, "msdpairs", "SM_90"), kerneltest.Build(t, "msd", "SM_90")
	for turn := range 6 {
		least, ty := float64(turn%2), []key.Type{key.F32, key.F64}[turn/2%2]
		p := plan.Problem{Type: ty, Mode: plan.Pairs, Order: key.Order{Desc: turn%3 == 1, NaNLast: turn%3 == 2}, ValueBytes: 4, Items: 60001}
		name := fmt.Sprintf("%v from %g/desc=%v/last=%v", ty, least, p.Order.Desc, p.Order.NaNLast)
		in := input{name, 0, false, func(r *rand.Rand, i, n int, bits, width uint32) uint64 {
			x := least + (float64(i%40)+r.Float64()/64)/40 // in few buckets, for time
			if width == 32 {
				return uint64(key.Encode(p.Codec(), math.Float32bits(float32(x))))
			}
			return key.Encode(p.Codec(), math.Float64bits(x))
		}}
		t.Run(name, func(t *testing.T) {
			state := emulateAnyPairs(t, pairs, in, p, 10, turn)
			if least == 1 && (state[0] != routeSplit || state[skipField] < 9) {
				t.Errorf("state %v, want a split by the mantissa", state)
			}
			p.Mode = plan.Argsort
			emulateAnyArgsort(t, words, in, p, 10, turn)
		})
	}
}
