package msd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/verify"
)

// longProblems are the forms that are sorted in runs.
var longProblems = []plan.Problem{
	{Type: key.U64},
	{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4},
	{Type: key.U64, Mode: plan.Pairs, ValueBytes: 8},
}

// TestLongEmulated sorts in runs on the host: every form, ties across runs, lengths
// that are no multiple of anything, a last run of one item.
func TestLongEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "runs", "SM_90")
	inputs := []struct {
		name string
		key  func(r *rand.Rand, i int) uint64
	}{
		{"uniform", func(r *rand.Rand, i int) uint64 { return r.Uint64() }},
		{"few", func(r *rand.Rand, i int) uint64 { return r.Uint64() % 5 * 0x3333_3333_3333_3333 }},
		{"sorted", func(r *rand.Rand, i int) uint64 { return uint64(i/3) << 45 }},
		{"reversed", func(r *rand.Rand, i int) uint64 { return uint64(1<<18-i) << 45 }},
	}
	c := h200
	c.ComputeUnits, c.Cooperative = 2, false
	for turn, p := range longProblems {
		for i, in := range inputs {
			for _, one := range []bool{false, true} {
				p := p
				p.Items = uint64(40_000 + 7001*((turn+i)%4))
				l, err := longOf(p, c)
				if err != nil {
					t.Fatal(err)
				}
				if one { // in the last run
					p.Items = (longRuns-1)*l.run + 1
					l.p = p
				}
				l.sort = func(q plan.Problem) (plan.Plan, error) { return onesweep.Plan(q, c, algo.Params{}) }
				t.Run(fmt.Sprintf("mode=%v/value=%d/n=%d/%s", p.Mode, p.ValueBytes, p.Items, in.name), func(t *testing.T) {
					emulateLong(t, exe, l, c, in.key, uint64(turn+i)%3)
				})
			}
		}
	}
}

func emulateLong(t *testing.T, exe kerneltest.Emulator, l long, c driver.Caps, image func(r *rand.Rand, i int) uint64, shift uint64) {
	pl, err := l.plan(c)
	if err != nil {
		t.Fatal(err)
	}
	p, r := l.p, rand.New(rand.NewPCG(l.p.Items, shift))
	keys := make([]uint64, p.Items)
	for i := range keys {
		keys[i] = image(r, i)
	}
	out := slices.Clone(keys)
	switch p.ValueBytes {
	case 0:
		exe.Run(t, pl, bytesOf(out), nil, 8*shift, 0, together)
		err = verify.Keys(keys, out, p.Codec())
	case 4:
		err = emulateLongPairs[uint32](t, exe, pl, keys, out, shift)
	default:
		err = emulateLongPairs[uint64](t, exe, pl, keys, out, shift)
	}
	if err != nil {
		t.Error(err)
	}
}

func emulateLongPairs[V uint32 | uint64](t *testing.T, exe kerneltest.Emulator, pl plan.Plan, keys, out []uint64, shift uint64) error {
	values := make([]V, len(keys))
	for i := range values {
		values[i] = V(i)
	}
	exe.Run(t, pl, bytesOf(out), bytesOf(values), 8*shift, uint64(pl.Problem.ValueBytes), together)
	return verify.Pairs(keys, out, values, pl.Problem.Codec())
}

func bytesOf[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), uintptr(len(x))*unsafe.Sizeof(x[0]))
}

// TestLong: above what two splits take, up to four times as much, unsigned keys in
// ascending order are sorted in runs; within the bound on scratch, which planBounds
// checks, and with no more than runs and passes.
func TestLong(t *testing.T) {
	for _, p := range longProblems {
		for _, n := range []uint64{1 << 28, 300_000_001, 1 << 29, 987_654_321, 1 << 30, 1<<30 + 1<<23} {
			p.Items = n
			planBounds(t, p, h200)
			pl, err := Plan(p, h200, algo.Params{})
			if err != nil {
				t.Errorf("%+v: %v", p, err)
				continue
			}
			runs, merges := 0, 0
			for _, s := range pl.Steps {
				if strings.HasSuffix(s.Label, ": prepare") {
					runs++
				}
				if strings.HasPrefix(s.Label, "merge ") {
					merges++
				}
			}
			if want := n > 1<<28; want && (runs != longRuns || merges != 2) || !want && merges != 0 {
				t.Errorf("%+v: %d runs, %d merges", p, runs, merges)
			}
		}
		p.Items = 1 << 31
		if _, err := Plan(p, h200, algo.Params{}); err == nil {
			t.Errorf("%+v: planned", p)
		}
	}
	for _, p := range []plan.Problem{{Type: key.I64}, {Type: key.F64}, {Type: key.U64, Order: key.Order{Desc: true}}, {Type: key.U32}} {
		p.Items = 1 << 29
		if _, err := Plan(p, h200, algo.Params{}); err == nil {
			t.Errorf("%+v: planned, though merges compare bits or gain nothing", p)
		}
	}
}

// TestLongArgsort: argsorts of more keys than two splits take have a plan, whose
// histogram sends them to the fallback.
func TestLongArgsort(t *testing.T) {
	for _, c := range []struct {
		t key.Type
		n uint64
	}{{key.U32, 300_000_001}, {key.F32, 1 << 29}, {key.I32, 1 << 30}, {key.U64, 300_000_001}, {key.F64, 1 << 29}} {
		for _, v := range []int{4, 8} {
			p := argsortProblem(c.t, c.n, v)
			if _, err := Plan(p, h200, algo.Params{}); err != nil {
				t.Errorf("%+v: %v", p, err)
			}
			planBounds(t, p, h200)
		}
	}
}
