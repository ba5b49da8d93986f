package msd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// longProblems are the forms that are sorted in runs.
var longProblems = []plan.Problem{
	{Type: key.U64},
	{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4},
	{Type: key.U64, Mode: plan.Pairs, ValueBytes: 8},
	{Type: key.F64},
	{Type: key.I64, Mode: plan.Pairs, ValueBytes: 4},
	{Type: key.U64, Mode: plan.Pairs, ValueBytes: 8, Order: key.Order{Desc: true}},
	{Type: key.U64, Order: key.Order{Desc: true}},
	{Type: key.F64, Mode: plan.Pairs, ValueBytes: 4, Order: key.Order{NaNLast: true}},
	{Type: key.F64, Mode: plan.Pairs, ValueBytes: 8, Order: key.Order{NaNLast: true, Desc: true}},
	{Type: key.I64, Order: key.Order{Desc: true}},
	{Type: key.U64, Mode: plan.Argsort, ValueBytes: 4},
	{Type: key.F64, Mode: plan.Argsort, ValueBytes: 8},
	{Type: key.I64, Mode: plan.Argsort, ValueBytes: 4, Order: key.Order{Desc: true}},
	{Type: key.U64, Mode: plan.Argsort, ValueBytes: 8, Order: key.Order{Desc: true}},
	{Type: key.F64, Mode: plan.Argsort, ValueBytes: 4, Order: key.Order{NaNLast: true}},
	{Type: key.I64, Mode: plan.Argsort, ValueBytes: 8},
}

// longInputs make the bit pattern of key i.
var longInputs = []struct {
	name string
	key  func(r *rand.Rand, i int) uint64
}{
	{"uniform", func(r *rand.Rand, i int) uint64 { return r.Uint64() }},
	{"few", func(r *rand.Rand, i int) uint64 { return r.Uint64() % 5 * 0x3333_3333_3333_3333 }},
	{"sorted", func(r *rand.Rand, i int) uint64 { return uint64(i/3) << 45 }},
	{"reversed", func(r *rand.Rand, i int) uint64 { return uint64(1<<18-i) << 45 }},
	{"specials", func(r *rand.Rand, i int) uint64 { // of both signs: 0, infinities, NaNs, the least and the largest
		const inf = 0x7ff << 52
		return [...]uint64{0, 1, inf - 1, inf, inf + 1, inf + r.Uint64N(1<<52), 1<<63 - 1}[r.IntN(7)] | r.Uint64()<<63
	}},
}

// TestLongEmulated sorts in runs on the host: every form, ties across runs, lengths
// that are no multiple of anything, by turns a last run of one item.
func TestLongEmulated(t *testing.T) {
	if testing.Short() {
		absent.Skip(t, "a run without -short", "no other test needs the module, which is compiled for half a minute")
	}
	exe := kerneltest.Build(t, "runs", "SM_90")
	c := h200
	c.ComputeUnits, c.Cooperative = 2, false
	for turn, p := range longProblems {
		for i, in := range longInputs {
			p.Items = uint64(40_000 + 7001*((turn+i)%4))
			l, err := longOf(p, c)
			if err != nil {
				t.Fatal(err)
			}
			if (turn+i)%2 == 1 { // one item in the last run
				p.Items = uint64(len(l.runs())-1)*l.run + 1
				l.p = p
			}
			l.buckets = bucketing{} // onesweep heeds no gate
			l.sort = func(q plan.Problem, _ plan.Arg) (plan.Plan, error) { return onesweep.Plan(q, c, algo.Params{}) }
			t.Run(fmt.Sprintf("%v %v, codec %d, value %d, n %d, %s", p.Mode, p.Type, p.Codec(), p.ValueBytes, p.Items, in.name), func(t *testing.T) {
				emulateLong(t, exe, l, c, in.key, uint64(turn+i)%3)
			})
		}
	}
}

func emulateLong(t *testing.T, exe kerneltest.Emulator, l long, c driver.Caps, encoded func(r *rand.Rand, i int) uint64, shift uint64) {
	pl, err := l.plan(c)
	if err != nil {
		t.Fatal(err)
	}
	p, r := l.p, rand.New(rand.NewPCG(l.p.Items, shift))
	keys := make([]uint64, p.Items)
	for i := range keys {
		keys[i] = encoded(r, i)
	}
	out := slices.Clone(keys)
	switch p.ValueBytes {
	case 0:
		exe.Run(t, pl, kerneltest.Bytes(out), nil, 8*shift, 0, together)
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

// emulateLongPairs is emulateLong for keys with values, and for argsorts, whose indices
// hold what none of them is.
func emulateLongPairs[V uint32 | uint64](t *testing.T, exe kerneltest.Emulator, pl plan.Plan, keys, out []uint64, shift uint64) error {
	values, p := make([]V, len(keys)), pl.Problem
	for i := range values {
		values[i] = V(i)
		if p.Mode == plan.Argsort {
			values[i] = ^V(0)
		}
	}
	exe.Run(t, pl, kerneltest.Bytes(out), kerneltest.Bytes(values), 8*shift, uint64(p.ValueBytes), together)
	if p.Mode != plan.Argsort {
		return verify.Pairs(keys, out, values, p.Codec())
	}
	if !slices.Equal(out, keys) {
		t.Error("the keys were changed")
	}
	return verify.Argsort(keys, values, p.Codec())
}

// TestLong: above what two splits take, 64-bit keys are sorted in runs, up to four times
// as many, argsorts up to twice as many; within the bound on scratch, which planBounds
// checks, with no more than runs and passes, and encoded where their order is not that
// of their bits.
func TestLong(t *testing.T) {
	for _, p := range longProblems {
		want := longSteps{runs: longRuns, merges: 2}
		if p.Codec() != key.CodecUnsigned {
			want.encodes = 1
		}
		sizes := []uint64{300_000_001, 1 << 29, 545_000_000, 987_654_321, 1 << 30, 1<<30 + 1<<23}
		if p.Mode == plan.Argsort {
			want, sizes = longSteps{runs: argsortRuns, encodes: argsortRuns, merges: 1}, []uint64{280_000_007, 300_000_001, 1 << 29, 545_000_000}
		}
		for _, n := range append(sizes, 1<<28) {
			p.Items = n
			planBounds(t, p, h200)
			pl, err := Plan(p, h200, algo.Params{})
			if err != nil {
				t.Errorf("%+v: %v", p, err)
				continue
			}
			want := want
			if n == 1<<28 {
				want = longSteps{}
			}
			if got := longStepsOf(pl); got != want {
				t.Errorf("%+v: %+v, want %+v", p, got, want)
			}
		}
		if p.Items = 1 << 31; p.Mode != plan.Argsort {
			if _, err := Plan(p, h200, algo.Params{}); err == nil {
				t.Errorf("%+v: planned", p)
			}
		}
	}
	p := problem(key.U32, 1<<29)
	if _, err := Plan(p, h200, algo.Params{}); err == nil {
		t.Errorf("%+v: planned, though merges gain nothing", p)
	}
}

// longSteps counts the parts of a sort in runs.
type longSteps struct{ runs, encodes, merges int }

func longStepsOf(pl plan.Plan) (n longSteps) {
	for _, s := range pl.Steps {
		switch {
		case strings.HasPrefix(s.Label, "run ") && strings.HasSuffix(s.Label, ": prepare"):
			n.runs++
		case s.Label == "encode" || strings.HasPrefix(s.Label, "encoded keys of run "):
			n.encodes++
		case strings.HasPrefix(s.Label, "merge "):
			n.merges++
		}
	}
	return n
}

// TestLongArgsortMemory: the sort of a run refers to its own encoded keys, its own places and
// memory where nothing is that a later step reads: for the first run behind its encoded keys,
// for the second behind all, where its places lie in the caller's indices.
func TestLongArgsortMemory(t *testing.T) {
	for _, v := range []uint64{4, 8} {
		p := argsortProblem(key.F64, 1<<29+12345, int(v))
		l, err := longOf(p, h200)
		if err != nil {
			t.Fatal(err)
		}
		pl, err := l.plan(h200)
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(pl.Parts, func(q plan.Part) bool { return q.Name == "places" })
		places, encodedKeys, gate := pl.Parts[at], pl.Parts[at+1], plan.Ref{Region: plan.Scratch, Off: pl.Parts[0].Off}
		if pl.Parts[0].Name != "state of the whole" || encodedKeys.Name != "encoded keys" || encodedKeys.Bytes < p.KeyBytes() || places.Bytes < p.ValuesBytes() {
			t.Fatalf("parts %+v", pl.Parts)
		}
		first := uint64(0)
		for i, q := range l.runs() {
			end := first + q.Items
			own := func(r plan.Ref) bool {
				if r.Region == plan.ValuesIO {
					return i == 1 && r.Off < v*q.Items
				}
				return r.Region == plan.Scratch && r.Off < pl.ScratchBytes &&
					(r == gate || r.Off >= places.Off+v*first && r.Off < places.Off+v*end || r.Off >= encodedKeys.Off+8*first && r.Off < encodedKeys.Off+8*end || r.Off >= encodedKeys.Off+8*end)
			}
			steps, used := 0, uint64(0)
			for _, s := range pl.Steps {
				if !strings.HasPrefix(s.Label, fmt.Sprintf("run %d: ", i+1)) {
					continue
				}
				steps++
				for _, a := range append(s.Args, plan.At(s.Dst)) {
					if a.IsRef && a.Ref != (plan.Ref{}) && !own(a.Ref) {
						t.Errorf("%s refers to %+v", s.Label, a.Ref)
					}
					if a.IsRef && a.Ref.Region == plan.Scratch {
						used = max(used, a.Ref.Off)
					}
				}
			}
			sub, err := planBehind(q, h200, algo.Params{}, noGate)
			if err != nil {
				t.Fatal(err)
			}
			if last := sub.Parts[len(sub.Parts)-1]; steps == 0 || last.Name != "values" || last.Bytes != q.ValuesBytes() {
				t.Errorf("run %d has %d steps, the last part is %+v", i+1, steps, last)
			} else if room := pl.ScratchBytes - used; used < encodedKeys.Off+8*end || i == 0 && room < last.Bytes {
				t.Errorf("run %d: its last buffer is at %d, the encoded keys end at %d, scratch at %d", i+1, used, encodedKeys.Off+8*end, pl.ScratchBytes)
			}
			first = end
		}
		if last := pl.Parts[len(pl.Parts)-1]; last.Off+last.Bytes != pl.ScratchBytes || pl.ScratchBytes > p.ScratchBound() {
			t.Errorf("%d bytes of scratch, bound %d, the last part is %+v", pl.ScratchBytes, p.ScratchBound(), last)
		}
	}
}

// TestLongArgsortFallback: argsorts of more keys than two splits take, of 64 bits twice
// as many, have a plan, whose histogram sends them to the fallback.
func TestLongArgsortFallback(t *testing.T) {
	for _, c := range []struct {
		t key.Type
		n uint64
	}{{key.U32, 300_000_001}, {key.F32, 1 << 29}, {key.I32, 1 << 30}, {key.U64, 546_000_000}, {key.F64, 560_000_000}} {
		for _, v := range []int{4, 8} {
			p := argsortProblem(c.t, c.n, v)
			pl, err := Plan(p, h200, algo.Params{})
			if err != nil {
				t.Errorf("%+v: %v", p, err)
			}
			if got := longStepsOf(pl); got != (longSteps{}) {
				t.Errorf("%+v: %+v", p, got)
			}
			planBounds(t, p, h200)
		}
	}
}
