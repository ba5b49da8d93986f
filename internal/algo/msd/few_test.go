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
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

const routeFew = routeNone + 1

// noFew keeps the sample from listing few different keys.
func noFew(t *testing.T, pl plan.Plan) {
	t.Helper()
	for _, s := range pl.Steps {
		if s.Label == "sample" {
			s.Args[3] = plan.U64(0)
			return
		}
	}
	t.Fatal("the plan has no sample")
}

// chancePlace is the function of this name in kernels/cuda/warp/word.cuh, of the sample's keys.
func chancePlace(i, n uint64) uint64 {
	h := uint32(i) + 1
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	h ^= h >> 16
	part := n / sampleKeys
	return part*i + part*uint64(h)>>32
}

// unseen is a place from `at` on that the sample does not probe.
func unseen(at, n uint64) uint64 {
	i := min(at/(n/sampleKeys), sampleKeys-1)
	for at == chancePlace(i, n) || at == chancePlace(min(i+1, sampleKeys-1), n) {
		at++
	}
	return at
}

// fewInput is keys by their bit patterns: a list, and the number in it of key i, or -1 for
// any other.
type fewInput struct {
	name     string
	route    uint32 // that the sample and the launch leave, 0: any but routeFew
	n        uint64
	patterns []uint64
	number   func(r *rand.Rand, i int) int
}

// listed is how many of the patterns the sample lists: not one that it does not see.
func (in fewInput) listed() int {
	if strings.Contains(in.name, "one more") {
		return len(in.patterns) - 1
	}
	return len(in.patterns)
}

// spread is m patterns all over the numbers of 64 bits.
func spread(m int) []uint64 {
	p := make([]uint64, m)
	for i := range p {
		p[i] = uint64(i+1)*0x9e3779b97f4a7c15 ^ uint64(i)<<32
	}
	return p
}

// sameSlots is m patterns whose search in a hash table of the keys begins in one of
// its last four slots.
func sameSlots(m int) (p []uint64) {
	for x := uint32(1); len(p) < m; x++ {
		if x*0x9e3779b1>>22 >= layout.MsdFewSlots-4 {
			p = append(p, uint64(x)) // in 64 bits, too, since the upper half is 0
		}
	}
	return p
}

func fewInputs() []fewInput {
	of := func(m int) func(*rand.Rand, int) int { return func(r *rand.Rand, i int) int { return r.IntN(m) } }
	// oneMore has one key, the last of the list, at a place that the sample misses.
	oneMore := func(m int, at, n uint64) func(*rand.Rand, int) int {
		at = unseen(at, n)
		return func(r *rand.Rand, i int) int {
			if uint64(i) == at {
				return m
			}
			return r.IntN(m)
		}
	}
	const n = 60001
	return []fewInput{
		{"one", routeNone, n, spread(1), of(1)},
		{"two", routeFew, n, spread(2), of(2)},
		{"two, all ones and none", routeFew, 4999, []uint64{0, ^uint64(0)}, of(2)},
		{"three", routeFew, 4096, spread(3), of(3)},
		{"three, one of them seldom", routeFew, n, spread(3), func(r *rand.Rand, i int) int { return max(r.IntN(200), 198) - 198 + i%2 }},
		{"three, sorted", routeNone, n, spread(3), nil},
		{"stripes", routeFew, 80021, spread(100), func(r *rand.Rand, i int) int { return i / 32 % 100 }},
		{"lower digit", routeFew, n, []uint64{0x10, 0x11, 0x1f, 0x22}, of(4)},
		{"255", routeFew, n, spread(255), of(255)},
		{"256", routeFew, 120007, spread(256), of(256)},
		{"256 with all ones", routeFew, n, append(spread(255), ^uint64(0)), of(256)},
		{"257", 0, n, spread(257), of(257)},
		{"257 with all ones", 0, n, append(spread(256), ^uint64(0)), of(257)},
		{"257, one bucket", 0, n, func() (p []uint64) {
			for i := range uint64(257) {
				p = append(p, i)
			}
			return p
		}(), of(257)},
		{"4,000 in one bucket", 0, n, func() (p []uint64) {
			for i := range uint64(4000) {
				p = append(p, i)
			}
			return p
		}(), of(4000)},
		{"slots in one place", routeFew, n, sameSlots(200), of(200)},
		{"slots in one place and one more", routeOnesweep, n, sameSlots(201), oneMore(200, 40000, n)},
		{"one more at the begin", routeOnesweep, n, spread(8), oneMore(7, 0, n)},
		{"one more in the middle", routeOnesweep, n, spread(256), oneMore(255, n/2, n)},
		{"one more at the end", routeOnesweep, n, spread(3), oneMore(2, n-3, n)},
		{"one more, none set", routeOnesweep, n, append(spread(2), 0), oneMore(2, 333, n)},
		{"one more than 256", routeOnesweep, n, spread(257), oneMore(256, n/2, n)},
	}
}

// mixedInputs have few different keys with most of the input, and others, which the sample sees.
func mixedInputs() []fewInput {
	const n = 60001
	often := func(m, others int) func(*rand.Rand, int) int {
		return func(r *rand.Rand, i int) int {
			if r.IntN(others) == 0 {
				return -1
			}
			return r.IntN(m)
		}
	}
	return []fewInput{
		{"95 % one key", 0, n, []uint64{0}, often(1, 20)},
		{"95 % the largest", 0, n, []uint64{^uint64(0)}, often(1, 20)},
		{"a hundred and others", 0, n, spread(100)[:60], often(60, 30)},
	}
}

// floats are patterns of 64 or 32 bits that compare as equal or not at all: both
// zeros, NaN of both signs, infinities.
func floats(bits int) []uint64 {
	if bits == 32 {
		return []uint64{0, 1 << 31, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00001, 0xffc00000, 0x7f800001, 0xffffffff, 0x7fffffff, 0x3f800000, 1}
	}
	return []uint64{0, 1 << 63, 0x7ff << 52, 0xfff << 52, 0x7ff8 << 48, 0x7ff8<<48 | 1, 0xfff8 << 48, 0x7ff<<52 | 1, 1<<64 - 1, 1<<63 - 1, 0x3ff << 52, 1}
}

// TestEmulatedFew runs whole plans: keys alone, pairs and argsort, both widths of keys
// and of values, all codecs, several blocks.
func TestEmulatedFew(t *testing.T) {
	orders := []struct {
		t key.Type
		o key.Order
	}{
		{key.U32, key.Order{}}, {key.F64, key.Order{}}, {key.I32, key.Order{Desc: true}}, {key.U64, key.Order{}},
		{key.F32, key.Order{NaNLast: true}}, {key.I64, key.Order{Desc: true}}, {key.F32, key.Order{Desc: true}}, {key.F64, key.Order{NaNLast: true, Desc: true}},
	}
	exe := kerneltest.Build(t, "msd", "SM_90")
	for _, mode := range []plan.Mode{plan.Keys, plan.Argsort, plan.Pairs} {
		if mode == plan.Pairs {
			exe = kerneltest.Build(t, "msdpairs", "SM_90")
		}
		inputs := fewInputs()
		turn := 0
		run := func(in fewInput, ty key.Type, o key.Order, valueBytes int) {
			turn++
			if mode == plan.Keys {
				valueBytes = 0
			}
			p := plan.Problem{Type: ty, Mode: mode, Order: o, ValueBytes: valueBytes, Items: in.n}
			t.Run(fmt.Sprintf("%v/%s/%v/desc=%v/value=%d", mode, in.name, ty, o.Desc, valueBytes), func(t *testing.T) {
				switch width := ty.Bits(); {
				case width == 32 && valueBytes != 8:
					emulateFew[uint32, uint32](t, exe, in, p, turn)
				case width == 32:
					emulateFew[uint32, uint64](t, exe, in, p, turn)
				case valueBytes != 8:
					emulateFew[uint64, uint32](t, exe, in, p, turn)
				default:
					emulateFew[uint64, uint64](t, exe, in, p, turn)
				}
			})
		}
		for i, in := range slices.Concat(inputs, mixedInputs()) {
			o := orders[i%len(orders)]
			if testing.Short() && (i+int(mode))%3 != 0 {
				turn++
				continue // each input in one of the three modes
			}
			run(in, o.t, o.o, 4<<(i/2%2))
		}
		for i, o := range orders {
			if o.t == key.F32 || o.t == key.F64 {
				patterns := floats(o.t.Bits())
				run(fewInput{"floats", routeFew, 50003, patterns, func(r *rand.Rand, i int) int { return r.IntN(len(patterns)) }}, o.t, o.o, 8>>(i%2))
			}
		}
	}
}

// fewPlan is a plan for few multiprocessors, for any number of items.
func fewPlan(p plan.Problem, turn int) (plan.Plan, error) {
	caps := h200
	caps.ComputeUnits = 1 + turn%3
	switch p.Mode {
	case plan.Keys:
		pol, _ := policy(p, caps)
		return build(p, caps, pol, noGate)
	case plan.Pairs:
		pol, _ := pairsPolicy(p, caps)
		return buildPairs(p, caps, pol, noGate)
	}
	pol, _ := wordPolicy(caps)
	return buildArgsortWith(p, caps, pol, maxWordsAtOnce)
}

func emulateFew[U key.Word, V uint32 | uint64](t *testing.T, exe kerneltest.Emulator, in fewInput, p plan.Problem, turn int) {
	pl, err := fewPlan(p, turn)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(p.Items, uint64(turn)))
	keys, values := make([]U, p.Items), make([]V, p.Items)
	for i := range keys {
		var pattern uint64
		if in.number != nil {
			if number := in.number(r, i); number >= 0 {
				pattern = in.patterns[number]
			} else {
				pattern = r.Uint64()
			}
		} else { // sorted
			pattern = uint64(key.Decode(p.Codec(), U(i*3/len(keys))))
		}
		if p.Type.Bits() == 32 && pattern>>32 != 0 {
			pattern >>= 32
		}
		keys[i], values[i] = U(pattern), V(i)
		if p.Mode == plan.Argsort {
			values[i] = ^V(0)
		}
	}
	out := slices.Clone(keys)
	got := exe.Run(t, pl, unsafe.Slice((*byte)(unsafe.Pointer(&out[0])), p.KeyBytes()), unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), p.ValuesBytes()),
		uint64(turn%4*p.Type.Bytes()), uint64((turn+1)%3*p.ValueBytes), together)
	checkFew(t, p, keys, out, values)
	state := unsafe.Slice((*uint32)(unsafe.Pointer(&got[0])), stateBytes/4)
	if in.route != 0 && state[0] != in.route || in.route == 0 && state[0] == routeFew {
		t.Errorf("route %d, want %d; state %v", state[0], in.route, state)
	}
	at := slices.IndexFunc(pl.Parts, func(q plan.Part) bool { return q.Name == "few keys" })
	dictionary := pl.Parts[at]
	head := unsafe.Slice((*uint32)(unsafe.Pointer(&got[dictionary.Off+4])), 2)
	if want := in.route == routeOnesweep; (head[1] != 0) != want {
		t.Errorf("dictionary %v, want a key that is not in it: %v", head, want)
	}
	if in.route == routeFew && head[0] != uint32(in.listed()) {
		t.Errorf("dictionary of %d keys, want %d", head[0], in.listed())
	}
}

// checkFew checks what a plan made of keys and places.
func checkFew[U key.Word, V uint32 | uint64](t *testing.T, p plan.Problem, keys, out []U, values []V) {
	t.Helper()
	if p.Mode == plan.Keys {
		if err := verify.Keys(keys, out, p.Codec()); err != nil {
			t.Error(err)
		}
		return
	}
	// The values are places: they must be the stable argsort, and bring the keys.
	if err := verify.Argsort(keys, values, p.Codec()); err != nil {
		t.Fatal(err)
	}
	if p.Mode == plan.Argsort {
		if !slices.Equal(keys, out) {
			t.Error("the keys were changed")
		}
		return
	}
	for i, v := range values {
		if out[i] != keys[v] {
			t.Fatalf("place %d: key %#x, but value %d came with %#x", i, out[i], v, keys[v])
		}
	}
}
