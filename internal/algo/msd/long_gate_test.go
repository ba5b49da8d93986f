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

// gateInputs make the encoded key of key i of n, and say whether they open the gate.
var gateInputs = []struct {
	name    string
	open    bool
	encoded func(r *rand.Rand, i, n int) uint64
}{
	{"uniform", false, func(r *rand.Rand, i, n int) uint64 { return r.Uint64() }},
	{"skewed", true, func(r *rand.Rand, i, n int) uint64 {
		if i%3 == 0 {
			return r.Uint64()
		}
		return 77<<52 | r.Uint64()>>20
	}},
	// More than a run's blocks take of a bucket, but too few of all keys for the sample.
	{"a skewed run", false, func(r *rand.Rand, i, n int) uint64 {
		if i < n/20 {
			return 5<<52 | r.Uint64()>>20
		}
		return r.Uint64()
	}},
	{"sorted", true, func(r *rand.Rand, i, n int) uint64 { return uint64(i/3) << 40 }},
	{"reversed", true, func(r *rand.Rand, i, n int) uint64 { return uint64(n-i) << 40 }},
	{"reversed, 3 of each", true, func(r *rand.Rand, i, n int) uint64 { return uint64((n-i)/3) << 40 }},
	{"constant", true, func(r *rand.Rand, i, n int) uint64 { return 1<<63 + 9 }},
	// Each has fewer than a block takes of a bucket.
	{"few different keys", false, func(r *rand.Rand, i, n int) uint64 { return r.Uint64N(20) * 0x1234_5678_9abc_def1 }},
	{"two values", true, func(r *rand.Rand, i, n int) uint64 { return r.Uint64N(2) << 62 }},
	{"one upper half", true, func(r *rand.Rand, i, n int) uint64 { return 3<<40 | r.Uint64()>>32 }},
	// What the sample does not see.
	{"one key that differs", true, func(r *rand.Rand, i, n int) uint64 {
		if i == n/2 {
			return 5
		}
		return 1 << 40
	}},
	{"sorted but the last", true, func(r *rand.Rand, i, n int) uint64 {
		if i == n-1 {
			return 0
		}
		return uint64(i) << 40
	}},
}

// TestGateEmulated sorts in runs of this package's own plans on the host, behind the
// gate: where it is open runs and merges leave everything alone and onesweep sorts, where
// it is closed onesweep does nothing. The places of a sample depend on the number of keys
// alone: whether one sees the odd key is no matter of chance.
func TestGateEmulated(t *testing.T) {
	if testing.Short() {
		absent.Skip(t, "a run without -short", "no other test needs the module, which is compiled for half a minute")
	}
	exe := kerneltest.Build(t, "gate", "SM_90")
	for turn, p := range []plan.Problem{
		{Type: key.U64},
		{Type: key.F64},
		{Type: key.I64, Order: key.Order{Desc: true}},
		{Type: key.U64, Mode: plan.Pairs, ValueBytes: 4},
		{Type: key.F64, Mode: plan.Pairs, ValueBytes: 8, Order: key.Order{NaNLast: true, Desc: true}},
		{Type: key.F64, Mode: plan.Argsort, ValueBytes: 4, Order: key.Order{Desc: true}},
		{Type: key.I64, Mode: plan.Argsort, ValueBytes: 8},
	} {
		for i, in := range gateInputs {
			if turn%3 != 0 && (turn+i)%2 == 0 && i != 0 {
				continue // for time
			}
			p.Items = uint64(100_003 + 7001*((turn+i)%4))
			if p.Mode != plan.Keys {
				p.Items += 50_000 // room for the runs' look-back words
			}
			caps := h200
			caps.ComputeUnits, caps.Cooperative = 2, (turn+i)%4 < 2
			if in.name == "two values" {
				in.open = !caps.Cooperative // runs have a launch for few different keys
			}
			t.Run(fmt.Sprintf("%v %v, value %d, n %d, cooperative %v, %s", p.Mode, p.Type, p.ValueBytes, p.Items, caps.Cooperative, in.name), func(t *testing.T) {
				r := rand.New(rand.NewPCG(p.Items, uint64(i)))
				keys := make([]uint64, p.Items)
				for j := range keys {
					keys[j] = key.Decode(p.Codec(), in.encoded(r, j, len(keys)))
				}
				l := shortRuns(t, p, caps)
				switch p.ValueBytes {
				case 0:
					emulateGate[uint32](t, exe, l, caps, keys, nil, in.open, uint64(turn+i)%3)
				case 4:
					emulateGate(t, exe, l, caps, keys, make([]uint32, p.Items), in.open, uint64(turn+i)%3)
				default:
					emulateGate(t, exe, l, caps, keys, make([]uint64, p.Items), in.open, uint64(turn+i)%3)
				}
			})
		}
	}
}

// shortRuns is a sort in runs that make as few buckets as can be.
func shortRuns(t *testing.T, p plan.Problem, c driver.Caps) long {
	l, err := longOf(p, c)
	if err != nil {
		t.Fatal(err)
	}
	q := l.runs()[0]
	mean := uint32(q.Items>>minBits) + 1
	if q.Mode == plan.Pairs {
		pol, _ := pairsPolicy(q, c)
		pol.Mean = mean
		l.buckets = bucketsOfPairs(q, pol)
		l.sort = func(q plan.Problem, outer plan.Arg) (plan.Plan, error) { return buildPairs(q, c, pol, outer) }
		return l
	}
	pol, _ := policy(q, c)
	pol.Mean = mean
	l.buckets = bucketsOf(q, pol)
	l.sort = func(q plan.Problem, outer plan.Arg) (plan.Plan, error) { return build(q, c, pol, outer) }
	return l
}

// emulateGate runs the steps before onesweep's, if the gate is to be open, and then all.
func emulateGate[V uint32 | uint64](t *testing.T, exe kerneltest.Emulator, l long, c driver.Caps, keys []uint64, values []V, open bool, shift uint64) {
	pl, err := l.plan(c)
	if err != nil {
		t.Fatal(err)
	}
	part := func(name string) plan.Part {
		i := slices.IndexFunc(pl.Parts, func(q plan.Part) bool { return q.Name == name })
		if i < 0 {
			t.Fatalf("no part %s: %+v", name, pl.Parts)
		}
		return pl.Parts[i]
	}
	first := slices.IndexFunc(pl.Steps, func(s plan.Step) bool { return strings.HasPrefix(s.Label, "fallback") })
	before := func(i V) V {
		if l.p.Mode == plan.Argsort {
			return ^i // no index
		}
		return i
	}
	runs := pl
	runs.Steps = pl.Steps[:first]
	for _, stage := range []plan.Plan{runs, pl} {
		if !open && len(stage.Steps) == first {
			continue
		}
		out := slices.Clone(keys)
		for i := range values {
			values[i] = before(V(i))
		}
		var raw []byte
		if values != nil {
			raw = kerneltest.Bytes(values)
		}
		scratch := exe.Run(t, stage, kerneltest.Bytes(out), raw, 8*shift, uint64(l.p.ValueBytes), together)
		state := words32(scratch[part("state of the whole").Off:][:stateBytes])
		if (state[0] == onesweep.GateOpen) != open {
			t.Errorf("the gate's word is %d, want it open: %v; state %v", state[0], open, state)
		}
		splits := scratch[part("splits").Off:][:part("splits").Bytes]
		// In an argsort the scratch of runs and the whole lies there, too.
		if untouched := !slices.ContainsFunc(splits, func(x byte) bool { return x != splits[0] }); untouched != open && l.p.Mode != plan.Argsort {
			t.Errorf("merges not partitioned: %v, want %v", untouched, open)
		}
		if open && len(stage.Steps) == first {
			kept := slices.Equal(out, keys)
			for i, v := range values {
				kept = kept && v == before(V(i))
			}
			if !kept {
				t.Error("the gate is open, but the runs and the merges have moved something")
			}
			continue
		}
		switch l.p.Mode {
		case plan.Keys:
			err = verify.Keys(keys, out, l.p.Codec())
		case plan.Pairs:
			err = verify.Pairs(keys, out, values, l.p.Codec())
		default:
			err = verify.Argsort(keys, values, l.p.Codec())
			if !slices.Equal(keys, out) {
				t.Error("the keys were changed")
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func words32(b []byte) (words []uint32) {
	for ; len(b) >= 4; b = b[4:] {
		words = append(words, uint32(b[0])|uint32(b[1])<<8|uint32(b[2])<<16|uint32(b[3])<<24)
	}
	return words
}

// TestLongGate: there is a gate where scratch and look-back words allow it; its memory
// lies behind what merges and runs refer to, before it in an argsort, and inside the
// scratch memory. Runs and merges all read its word.
func TestLongGate(t *testing.T) {
	for _, p := range longProblems {
		sizes := []uint64{1<<28 + 1<<26 + 5, 1 << 29, 1 << 30}
		for r := rand.New(rand.NewPCG(7, 9)); len(sizes) < 40; {
			sizes = append(sizes, 1<<28+1<<26+r.Uint64N(1<<30-1<<28-1<<26))
		}
		for _, n := range sizes {
			p.Items = n
			if p.Mode == plan.Argsort && n > 1<<29+1<<24 {
				continue // more than two runs
			}
			pl, err := Plan(p, h200, algo.Params{})
			if err != nil {
				t.Fatal(err)
			}
			planBounds(t, p, h200)
			at := slices.IndexFunc(pl.Parts, func(q plan.Part) bool { return q.Name == "state of the whole" })
			if at < 0 {
				t.Errorf("%+v: no gate", p)
				continue
			}
			from, to := pl.Parts[at].Off, pl.ScratchBytes
			if p.Mode == plan.Argsort {
				to = pl.Parts[slices.IndexFunc(pl.Parts, func(q plan.Part) bool { return q.Name == "places" })].Off
			} else if last := pl.Parts[len(pl.Parts)-1]; last.Name != "look-back" || last.Off+last.Bytes != to {
				t.Errorf("%+v: the last part is %+v of %d bytes of scratch", p, last, to)
			}
			checkGate(t, pl, from, to)
		}
	}
}

// checkGate: the gate's word lies at gate, and its memory ends at end.
func checkGate(t *testing.T, pl plan.Plan, gate, end uint64) {
	t.Helper()
	within := func(r plan.Ref) bool { return r.Region == plan.Scratch && r.Off >= gate && r.Off < end }
	for _, s := range pl.Steps {
		own := s.Label == "probe" || s.Label == "sample" || s.Label == "finish" || strings.HasPrefix(s.Label, "fallback")
		reads := s.Label == "encode" || strings.HasPrefix(s.Label, "encoded keys of ") || strings.HasPrefix(s.Label, "merge ") || strings.HasPrefix(s.Label, "partition ") ||
			strings.HasPrefix(s.Label, "run ") && (strings.HasSuffix(s.Label, ": probe") || strings.HasSuffix(s.Label, ": sample"))
		if s.Op != plan.OpLaunch && (within(s.Dst) || s.Dst.Region == plan.Scratch && s.Dst.Off < gate && s.Dst.Off+s.Bytes > gate) {
			t.Errorf("%+v: %s writes to the gate", pl.Problem, s.Label)
		}
		for i, a := range s.Args {
			isGate := a.IsRef && a.Ref == plan.Ref{Region: plan.Scratch, Off: gate}
			if last := i == len(s.Args)-1; reads && last != isGate {
				t.Errorf("%+v: %s: argument %d of %d is the gate: %v", pl.Problem, s.Label, i, len(s.Args), isGate)
			}
			if a.IsRef && within(a.Ref) && !own && !isGate {
				t.Errorf("%+v: %s refers to %d, memory of the gate", pl.Problem, s.Label, a.Ref.Off)
			}
		}
	}
}

// TestLongGateRoom: a run whose scratch memory would reach the gate is refused.
func TestLongGateRoom(t *testing.T) {
	p := plan.Problem{Type: key.U64, Items: 1 << 29}
	l, err := longOf(p, h200)
	if err != nil {
		t.Fatal(err)
	}
	sort := l.sort
	l.sort = func(q plan.Problem, outer plan.Arg) (plan.Plan, error) {
		sub, err := sort(q, outer)
		sub.ScratchBytes = outer.Ref.Off + 1
		return sub, err
	}
	if _, err := l.plan(h200); err == nil {
		t.Error("planned")
	}
}
