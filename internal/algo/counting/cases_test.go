package counting

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

var (
	h200 = driver.Caps{
		Backend: "cuda", ID: "cuda:0", Name: "NVIDIA H200", Arch: 90, ComputeUnits: 132, WarpSize: 32, MaxThreadsPerBlock: 1024,
		SharedPerBlock: 48 << 10, SharedPerBlockMax: 227 << 10, SharedPerUnit: 228 << 10, ForwardProgress: true, SubGroups: true, Atomics64: true,
	}
	gtx1050 = driver.Caps{
		Backend: "cuda", ID: "cuda:0", Name: "GTX 1050 Ti", Arch: 61, ComputeUnits: 6, WarpSize: 32, MaxThreadsPerBlock: 1024,
		SharedPerBlock: 48 << 10, SharedPerBlockMax: 48 << 10, SharedPerUnit: 96 << 10, ForwardProgress: true, SubGroups: true, Atomics64: true,
	}
	pocl = driver.Caps{
		Backend: "opencl", ID: "opencl:0", Name: "PoCL", ComputeUnits: 2, WarpSize: 1, MaxThreadsPerBlock: 4096,
		SharedPerBlock: 512 << 10, CPU: true,
	}
)

// layouts are blocks and threads as a user may set them; 0 is the policy's. An
// OpenCL compiler on a processor compiles each number of threads anew.
var layouts = []algo.Params{{}, {Threads: 32}, {Threads: 128, Blocks: 3}, {Threads: 128, Blocks: 1}, {Blocks: 7}, {Threads: 32, Blocks: 2}, {Threads: 128}}

// sizes are awkward ones.
var sizes = []int{0, 1, 2, 3, 31, 33, 255, 257, 1000, 4096, 4097, 20011}

// input is a distribution: encoded keys, the numbers that their bits are
// encoded to, of width bits.
type input struct {
	name    string
	route   uint32 // of 32- and 64-bit keys; 0: not checked
	encoded func(r *rand.Rand, i, n int, width int) uint64
}

// Routes of CountingState.
const (
	routeShared = 1 + iota
	routeRadix
	routeGlobal
	routeDistinct
)

// rangeInputs need not fit a maximum.
var rangeInputs = []input{
	{"bytes", routeShared, func(r *rand.Rand, i, n, w int) uint64 { return 1<<(w-2) + r.Uint64N(61) }},
	{"two neighbours", routeShared, func(r *rand.Rand, i, n, w int) uint64 { return 1<<(w-1) - r.Uint64N(2) }},
	{"constant", routeShared, func(r *rand.Rand, i, n, w int) uint64 { return ^uint64(0) >> (64 - w) }},
	{"few thousand", routeShared, func(r *rand.Rand, i, n, w int) uint64 { return r.Uint64N(4000) & (1<<w - 1) }},
	{"past shared memory", routeGlobal, func(r *rand.Rand, i, n, w int) uint64 {
		if i < 2 {
			return uint64(i) * 65000 & (1<<w - 1)
		}
		return r.Uint64N(65001) & (1<<w - 1)
	}},
	{"skew past shared memory", routeGlobal, func(r *rand.Rand, i, n, w int) uint64 {
		if i < 2 {
			return uint64(i) * 65000 & (1<<w - 1)
		}
		if i%8 != 0 {
			return 77
		}
		return r.Uint64N(65001) & (1<<w - 1)
	}},
	{"past any shared memory", routeGlobal, func(r *rand.Rand, i, n, w int) uint64 { return (uint64(i%2)*70000 + r.Uint64N(700)) & (1<<w - 1) }},
	{"ends", routeDistinct, func(r *rand.Rand, i, n, w int) uint64 { return (0 - uint64(i%2)) >> (64 - w) }},
	{"sparse", routeDistinct, func(r *rand.Rand, i, n, w int) uint64 {
		return (r.Uint64N(997) + uint64(i&1)*7) * 0x9e3779b97f4a7c15 >> (64 - w)
	}},
	{"sparse skew", routeDistinct, func(r *rand.Rand, i, n, w int) uint64 {
		return min(r.Uint64N(5000), r.Uint64N(5000)*r.Uint64N(2)*r.Uint64N(2)) * 0x9e3779b97f4a7c15 >> (64 - w)
	}},
	{"too many distinct", routeRadix, func(r *rand.Rand, i, n, w int) uint64 { return r.Uint64() >> (64 - w) }},
}

// fill makes the bit patterns of n keys.
func fill(p plan.Problem, in input, r *rand.Rand) []uint64 {
	out := make([]uint64, p.Items)
	w := p.Type.Bits()
	for i := range out {
		out[i] = decode(p, in.encoded(r, i, len(out), w)&(^uint64(0)>>(64-w)))
	}
	return out
}

func decode(p plan.Problem, encoded uint64) uint64 {
	c := p.Codec()
	switch p.Type.Bits() {
	case 8:
		return uint64(key.Decode(c, uint8(encoded)))
	case 16:
		return uint64(key.Decode(c, uint16(encoded)))
	case 32:
		return uint64(key.Decode(c, uint32(encoded)))
	}
	return key.Decode(c, encoded)
}

// pack writes the low bytes of each element.
func pack(x []uint64, width int) []byte {
	out := make([]byte, 0, len(x)*width+1)
	for _, v := range x {
		out = append(out, binary.LittleEndian.AppendUint64(nil, v)[:width]...)
	}
	return out
}

// want is what a sort of the keys with these bits must leave: by comparisons of
// the order's own (internal/check/verify), not by encoded keys.
func want(p plan.Problem, keys []byte) []byte {
	out := slices.Clone(keys)
	switch p.Type.Bits() {
	case 8:
		verify.SortKeys(words[uint8](out), p.Type, p.Order)
	case 16:
		verify.SortKeys(words[uint16](out), p.Type, p.Order)
	case 32:
		verify.SortKeys(words[uint32](out), p.Type, p.Order)
	default:
		verify.SortKeys(words[uint64](out), p.Type, p.Order)
	}
	return out
}

func words[U any](b []byte) []U {
	var u U
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))/unsafe.Sizeof(u))
}

// runPlan executes a plan on the keys and returns the scratch memory.
type runPlan func(t *testing.T, p plan.Plan, keys []byte, shift uint64) []byte

// problems are types in turn, with both directions.
var problems = []plan.Problem{
	{Type: key.U32}, {Type: key.I32, Order: key.Order{Desc: true}}, {Type: key.U64}, {Type: key.F32}, {Type: key.I64, Order: key.Order{Desc: true}},
	{Type: key.U8}, {Type: key.F64, Order: key.Order{Desc: true, NaNLast: true}}, {Type: key.I16}, {Type: key.U64, Order: key.Order{Desc: true}},
	{Type: key.I8, Order: key.Order{Desc: true}}, {Type: key.I32}, {Type: key.U16, Order: key.Order{Desc: true}}, {Type: key.F32, Order: key.Order{NaNLast: true}},
	{Type: key.U32, Order: key.Order{Desc: true}},
}

var scans = []string{"", "scan-hillis-steele", "scan-blelloch"}

// testRange runs counting-range over inputs, sizes, types and layouts in turn.
func testRange(t *testing.T, c driver.Caps, run runPlan, sizes []int) {
	turn := 0
	for _, in := range rangeInputs {
		for _, n := range sizes {
			turn++
			p := problems[(turn*5)%len(problems)]
			if turn%2 == 0 && p.Type.Bits() < 32 {
				p.Type = key.U32
			}
			p.Items = uint64(n)
			l := layouts[turn%len(layouts)]
			l.Scan = scans[turn%len(scans)]
			seed := uint64(turn)
			t.Run(fmt.Sprintf("%s/n=%d/%v/desc=%v/%+v", in.name, n, p.Type, p.Order.Desc, l), func(t *testing.T) {
				pl, err := RangeAlgorithm().Plan(p, c, l)
				if err != nil {
					t.Fatal(err)
				}
				keys := pack(fill(p, in, rand.New(rand.NewPCG(seed, 9))), p.Type.Bytes())
				expect := want(p, keys)
				scratch := run(t, pl, keys, seed%5*uint64(p.Type.Bytes()))
				if i := firstDifference(keys, expect, p.Type.Bytes()); i >= 0 {
					t.Errorf("key %d differs", i)
				}
				if n < 20000 || p.Type.Bits() < 32 {
					return
				}
				wantRoute := in.route
				if wantRoute == routeGlobal && in.name != "past any shared memory" && sharedCounters(c) > 65000 {
					wantRoute = routeShared
				}
				if route := words[uint32](scratch)[routeOff/4]; route != wantRoute {
					t.Errorf("route %d, want %d", route, wantRoute)
				}
			})
		}
	}
}

// maxima of counting, each with a type that can have it.
var maxima = []uint64{0, 1, 9, 255, 1000, 5000}

// testMaximum runs counting, and checks that a key above the maximum is refused.
func testMaximum(t *testing.T, c driver.Caps, run runPlan, sizes []int) {
	turn := 0
	for _, max := range maxima {
		for _, n := range sizes {
			turn++
			p := problems[(turn*5)%len(problems)]
			p.Items = uint64(n)
			for p.Type.Row().Kind == key.Float || max == 0 && p.Type.Bits() > 16 || p.Type.Bits() < 16 && max > 255 {
				p.Type = (p.Type + 1) % (key.F64 + 1)
			}
			whole := max == 0
			if p.Type.Bits() == 16 && whole && c.Backend == "cuda" {
				p.Type -= 2 // 65,536 counters are too many
			}
			if whole && p.Type.Bits() == 16 && c.SharedPerBlock < 256<<10 {
				p.Type -= 2
			}
			most := max
			if whole {
				most = 1<<p.Type.Bits() - 1
			} else if p.Type.Row().Kind == key.Signed {
				most = min(max, 1<<(p.Type.Bits()-1)-1)
			}
			l := layouts[turn%len(layouts)]
			l.Scan = scans[turn%len(scans)]
			l.MaxValue = max
			broken := turn%4 == 0 && n > 1 && !whole && most < 1<<(p.Type.Bits()-1)-1
			name := fmt.Sprintf("max=%d/n=%d/%v/desc=%v/broken=%v/%+v", max, n, p.Type, p.Order.Desc, broken, l)
			t.Run(name, func(t *testing.T) {
				pl, err := Algorithm().Plan(p, c, l)
				if err != nil {
					t.Fatal(err)
				}
				r := rand.New(rand.NewPCG(uint64(n), max))
				bits := make([]uint64, n)
				for i := range bits {
					bits[i] = r.Uint64N(most + 1)
				}
				if broken {
					bits[r.IntN(n)] = most + 1
				}
				keys := pack(bits, p.Type.Bytes())
				expect := want(p, keys)
				if broken {
					expect = slices.Clone(keys)
				}
				scratch := run(t, pl, keys, uint64(turn%5*p.Type.Bytes()))
				if i := firstDifference(keys, expect, p.Type.Bytes()); i >= 0 {
					t.Errorf("key %d differs", i)
				}
				if n == 0 {
					return
				}
				err = pl.Refusal(words[uint32](scratch)[0], words[uint64](scratch)[1])
				if (err != nil) != broken || broken && !strings.Contains(err.Error(), fmt.Sprintf("the key %d is", most+1)) {
					t.Errorf("refusal %v, the input was broken: %v", err, broken)
				}
			})
		}
	}
}

func firstDifference(a, b []byte, width int) int {
	for i := range a {
		if a[i] != b[i] {
			return i / width
		}
	}
	return -1
}
