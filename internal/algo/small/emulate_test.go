package small

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// input is a distribution of bit patterns.
type input struct {
	name string
	key  func(r *rand.Rand, i, n int) uint64
}

var inputs = []input{
	{"uniform", func(r *rand.Rand, i, n int) uint64 { return r.Uint64() }},
	{"few bits", func(r *rand.Rand, i, n int) uint64 { return r.Uint64() & 0x0300_0000_0f00_0f03 }},
	{"constant", func(r *rand.Rand, i, n int) uint64 { return 0x4040_4040_4040_4040 }},
	{"constant but one", func(r *rand.Rand, i, n int) uint64 {
		if i == n/2 {
			return 7
		}
		return 0x4040_4040_4040_4040
	}},
	{"low bits", func(r *rand.Rand, i, n int) uint64 { return 0x1234_5678_9abc_0000 | r.Uint64()%700 }},
	{"small entropy", func(r *rand.Rand, i, n int) uint64 { return r.Uint64() & r.Uint64() & r.Uint64() }},
	{"largest and smallest", func(r *rand.Rand, i, n int) uint64 { return -(r.Uint64() & 1) }},
	{"sorted", func(r *rand.Rand, i, n int) uint64 { return uint64(i/3) * 0x0001_0001_0001_0001 }},
	{"reversed", func(r *rand.Rand, i, n int) uint64 { return uint64((n - i) / 3) }},
	{"16 of each", func(r *rand.Rand, i, n int) uint64 { return uint64(i/16) * 0x9e37_79b9_7f4a_7c15 }},
}

// ands is the AND of n uniform words: each bit is set once in 2^n.
func ands(r *rand.Rand, n int) uint64 {
	x := r.Uint64()
	for range n - 1 {
		x &= r.Uint64()
	}
	return x
}

// prefix is a word whose highest bits are those of p: all but k of them with
// probability 2^-k.
func prefix(r *rand.Rand, p uint64) uint64 {
	free := bits.TrailingZeros64(r.Uint64() | 1<<63)
	return p ^ r.Uint64()>>(63-min(63, 5*free))
}

// skewed inputs fill bins of block-radix with more keys than one is compared
// with, in one round and in several.
var skewed = []input{
	{"entropy 0.811", func(r *rand.Rand, i, n int) uint64 { return ands(r, 2) }},
	{"entropy 0.544", func(r *rand.Rand, i, n int) uint64 { return ands(r, 3) }},
	{"entropy 0.201", func(r *rand.Rand, i, n int) uint64 { return ands(r, 5) }},
	{"entropy 0.201, ones", func(r *rand.Rand, i, n int) uint64 { return ^ands(r, 5) }},
	{"zipf", func(r *rand.Rand, i, n int) uint64 { return uint64(float64(n)/(float64(n)*r.Float64()+1)) << 40 }},
	{"zipf, low", func(r *rand.Rand, i, n int) uint64 { return uint64(math.Pow(float64(n), r.Float64())) }},
	{"two values", func(r *rand.Rand, i, n int) uint64 { return 0x3b3b_3b3b_3b3b_3b3b + r.Uint64()&1<<33 + r.Uint64()&1 }},
	{"100 values", func(r *rand.Rand, i, n int) uint64 { return (1 + r.Uint64()%100) * 0x9e37_79b9_7f4a_7c15 }},
	{"overfull bin and one", func(r *rand.Rand, i, n int) uint64 {
		if i == n-1 {
			return 1 << 63
		}
		return r.Uint64() % 1000
	}},
	// The first keys of the overfull bin lie at its other end.
	{"misleading samples", func(r *rand.Rand, i, n int) uint64 {
		if i < 64 {
			return uint64(i)
		}
		return 0x00ff_ffff_ffff_ffff - ands(r, 4)>>8
	}},
	// Overfull bins about a point within the bins: neither end of a bin is near.
	{"keys about 1/3", func(r *rand.Rand, i, n int) uint64 { return prefix(r, 0x5555_5555_5555_5555) }},
	{"keys about 1/3 twice", func(r *rand.Rand, i, n int) uint64 { return prefix(r, 0x5555_5555_5555_5555) ^ r.Uint64()&1<<60 }},
	// Equal keys in a block of neighbours: places share their high bits.
	{"runs", func(r *rand.Rand, i, n int) uint64 { return uint64(i/100) * 0x9e37_79b9_7f4a_7c15 }},
}

type planner func(plan.Problem, driver.Caps, algo.Params) (plan.Plan, error)

// problems lists a type of each width in every mode, in both orders.
func problems() (all []plan.Problem) {
	for _, ty := range []key.Type{key.U8, key.I16, key.U32, key.F32, key.F64, key.I64} {
		for _, mode := range []plan.Mode{plan.Keys, plan.Pairs, plan.Argsort} {
			for _, vb := range []int{0, 4, 8} {
				p := plan.Problem{Type: ty, Mode: mode, ValueBytes: vb, Order: key.Order{Desc: len(all)%2 == 1}}
				if ty == key.F32 || ty == key.F64 {
					p.Order.NaNLast = len(all)%3 == 1
				}
				if p.Validate() == nil {
					all = append(all, p)
				}
			}
		}
	}
	return all
}

// TestBlockEmulated runs the sort in one block on the host: every type, mode
// and input, sizes around those at which threads and kernels change.
func TestBlockEmulated(t *testing.T) {
	for _, c := range []driver.Caps{h200, gtx1050} {
		target := "SM_90"
		if c.Arch < 90 {
			target = "PTX"
		}
		if testing.Short() && target == "PTX" {
			continue // the same kernels with narrower blocks: compiled for as long again
		}
		t.Run(target, func(t *testing.T) {
			exe := kerneltest.Build(t, "small", target)
			for i, p := range problems() {
				pol, _ := policy(p, c)
				few, many := uint64(pol.FewThreads*pol.FewItems), uint64(pol.ManyThreads*pol.ManyItems)
				sizes := []uint64{1, 2, 31, 33, 256, 257, few - 1, few, few + 1, many/2 + 1, many - 1, many}
				if most := mostInBlock(p, c); most > many {
					sizes = append(sizes, many+1, (many+most)/2, most-1, most)
				}
				for j, in := range inputs {
					if testing.Short() && (i+j)%3 != 0 {
						continue // every problem with three or four inputs, every input with a third of the problems
					}
					p := p
					p.Items = sizes[(5*i+j)%len(sizes)]
					emulateProblem(t, exe, planBlock, p, c, in, i)
				}
			}
		})
	}
}

// TestSkewEmulated runs skewed inputs: every type and mode on the larger kernel,
// then all sizes at which a warp, a thread's items or a kernel change.
func TestSkewEmulated(t *testing.T) {
	for _, c := range []driver.Caps{h200, gtx1050} {
		target := "SM_90"
		if c.Arch < 90 {
			target = "PTX"
		}
		if testing.Short() && target == "PTX" {
			continue // the same kernels with narrower blocks: compiled for as long again
		}
		t.Run(target, func(t *testing.T) {
			exe := kerneltest.Build(t, "small", target)
			for i, p := range problems() {
				pol, _ := policy(p, c)
				most := uint64(pol.ManyThreads * pol.ManyItems)
				sizes := []uint64{most, most - 1, most/2 + 31, most / 4, most/4 - 33, 777}
				if all := mostInBlock(p, c); all > most {
					sizes = append(sizes, most+1, (most+all)/2, all-31, all)
				}
				for j := i % 3; j < len(skewed); j += 3 {
					p := p
					p.Items = sizes[(i/3+j)%len(sizes)]
					emulateProblem(t, exe, planBlock, p, c, skewed[j], i)
				}
			}
		})
	}
	exe := kerneltest.Build(t, "small", "SM_90")
	turn := 0
	for n := uint64(32); n <= 4096; n *= 2 {
		for _, d := range []int64{-33, -32, -31, -1, 0, 1, 31, 32, 33} {
			p := plan.Problem{Type: key.U32, Mode: plan.Keys, Items: uint64(int64(n) + d)}
			switch turn % 3 {
			case 1:
				p.Mode, p.ValueBytes = plan.Pairs, 4
			case 2:
				p.Type, p.Mode, p.ValueBytes = key.F64, plan.Argsort, 4
			}
			if p.Items >= 1 && p.Items <= 4096 && int64(n)+d > 0 {
				emulateProblem(t, exe, planBlock, p, h200, skewed[turn*5%len(skewed)], turn)
			}
			turn++
		}
	}
}

// TestGridEmulated is TestBlockEmulated for cooperative launches of 1 to 5 blocks.
func TestGridEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	for i, p := range problems() {
		pol, _ := policy(p, h200)
		threads := uint64(pol.GridThreads)
		for j := range 2 {
			p, c := p, h200
			c.ComputeUnits = 1 + (i+3*j)%5
			most := uint64(c.ComputeUnits) * threads * uint64(pol.GridItems)
			sizes := []uint64{1, threads + 1, most/3 + 1, 33, most / 2, most - 1, 2 * threads, most}
			p.Items = sizes[(3*i+j)%len(sizes)]
			emulateProblem(t, exe, planGrid, p, c, inputs[(i+4*j)%len(inputs)], i)
		}
	}
}

func emulateProblem(t *testing.T, exe kerneltest.Emulator, planOf planner, p plan.Problem, c driver.Caps, in input, turn int) {
	t.Helper()
	t.Run(fmt.Sprintf("%v/mode=%v/value=%d/desc=%v/n=%d/%s", p.Type, p.Mode, p.ValueBytes, p.Order.Desc, p.Items, in.name), func(t *testing.T) {
		pl, err := planOf(p, c, algo.Params{})
		if err != nil {
			t.Fatal(err)
		}
		switch p.Type.Bits() {
		case 8:
			emulate[uint8](t, exe, p, pl, in, turn)
		case 16:
			emulate[uint16](t, exe, p, pl, in, turn)
		case 32:
			emulate[uint32](t, exe, p, pl, in, turn)
		default:
			emulate[uint64](t, exe, p, pl, in, turn)
		}
	})
}

// mostInBlock is how many keys of p's kind one block sorts.
func mostInBlock(p plan.Problem, c driver.Caps) uint64 {
	pol, _ := policy(p, c)
	all := blockGeometries(pol, p, c)
	return all[len(all)-1].most()
}

// emulate runs the plan on p.Items keys of the input, checks what comes out, and returns the scratch memory.
func emulate[U key.Word](t *testing.T, exe kerneltest.Emulator, p plan.Problem, pl plan.Plan, in input, turn int) (scratch []byte) {
	r := rand.New(rand.NewPCG(p.Items, uint64(turn)))
	keys := make([]U, p.Items)
	for i := range keys {
		keys[i] = U(in.key(r, i, len(keys)))
	}
	out := slices.Clone(keys)
	shift := uint64(turn%3) * uint64(p.Type.Bytes())
	var err error
	switch p.ValueBytes {
	case 0:
		scratch = exe.Run(t, pl, kerneltest.Bytes(out), nil, shift, 0, alone)
		err = verify.Keys(keys, out, p.Codec())
	case 4:
		scratch, err = emulateValues[U, uint32](t, exe, p, pl, keys, out, shift)
	default:
		scratch, err = emulateValues[U, uint64](t, exe, p, pl, keys, out, shift)
	}
	if err != nil {
		t.Error(err)
	}
	return scratch
}

// gridPath sorts p's keys, of 32 or 64 bits, in a grid, and returns which path it went.
func gridPath(t *testing.T, exe kerneltest.Emulator, p plan.Problem, c driver.Caps, in input, turn int) uint64 {
	t.Helper()
	pl, err := planGrid(p, c, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Type.Bits() == 64 {
		return pathOf(pl, emulate[uint64](t, exe, p, pl, in, turn))
	}
	return pathOf(pl, emulate[uint32](t, exe, p, pl, in, turn))
}

func emulateValues[U key.Word, V uint32 | uint64](t *testing.T, exe kerneltest.Emulator, p plan.Problem, pl plan.Plan, keys, out []U, shift uint64) (scratch []byte, err error) {
	values := make([]V, len(keys))
	for i := range values {
		values[i] = V(i)
		if p.Mode == plan.Argsort {
			values[i] = ^V(0) // output only
		}
	}
	scratch = exe.Run(t, pl, kerneltest.Bytes(out), kerneltest.Bytes(values), shift, uint64(p.ValueBytes), alone)
	if p.Mode == plan.Argsort {
		if !slices.Equal(keys, out) {
			t.Error("argsort changed the keys")
		}
		return scratch, verify.Argsort(keys, values, p.Codec())
	}
	return scratch, verify.Pairs(keys, out, values, p.Codec())
}

// pathOf is the path that a grid noted in its scratch memory.
func pathOf(pl plan.Plan, scratch []byte) uint64 {
	part := pl.Parts[slices.IndexFunc(pl.Parts, func(q plan.Part) bool { return q.Name == "bounds" })]
	return binary.LittleEndian.Uint64(scratch[part.Off+part.Bytes-8:])
}

// alone: blocks run one by one but for those of a grid.
func alone(string) int { return 1 }
