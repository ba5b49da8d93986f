package equalzeros

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

var h200 = driver.Caps{Backend: "cuda", ID: "cuda:0", Arch: 90, ComputeUnits: 132, MaxThreadsPerBlock: 1024}

// stub is an algorithm whose one step asks the host for an argsort.
var stub = algo.Algorithm{
	Name: "stub", Backends: []string{"cuda", "opencl"},
	Supports: func(p plan.Problem, _ driver.Caps) error {
		if p.Ties() {
			return algo.Unsupported("it was asked for ties")
		}
		return nil
	},
	Plan: func(p plan.Problem, _ driver.Caps, _ algo.Params) (plan.Plan, error) {
		b := plan.NewBuilder("stub", p)
		status := b.Scratch("status", plan.StatusBytes)
		b.Refuses(status, "no %s")
		b.Host("sort", "argsort", []uint64{p.Items}, plan.Use{Ref: plan.Ref{Region: plan.KeysIO}, Bytes: p.KeyBytes(), Reads: true},
			plan.Use{Ref: plan.Ref{Region: plan.ValuesIO}, Bytes: p.ValuesBytes(), Writes: true})
		b.Passes(1)
		return b.Plan(), nil
	},
}

func floats() (all []plan.Problem) {
	for _, t := range []key.Type{key.F32, key.F64} {
		for _, mode := range []plan.Mode{plan.Pairs, plan.Argsort} {
			for _, width := range []int{4, 8} {
				for o := range 4 {
					all = append(all, plan.Problem{Type: t, Mode: mode, ValueBytes: width,
						Order: key.Order{EqualZeros: true, Desc: o&1 != 0, NaNLast: o&2 != 0}})
				}
			}
		}
	}
	return all
}

// TestEmulated runs the CUDA kernels around an argsort of the host and compares with a
// stable sort by comparison.
func TestEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "equalzeros", "SM_90")
	for i, p := range floats() {
		p.Items = []uint64{2, 3000, 1025, 777}[i%4]
		t.Run(fmt.Sprintf("%v/%v%d/%+v/n=%d", p.Type, p.Mode, 8*p.ValueBytes, p.Order, p.Items), func(t *testing.T) {
			if p.Type == key.F32 {
				emulate[uint32](t, exe, p)
			} else {
				emulate[uint64](t, exe, p)
			}
		})
	}
}

// The emulator keeps no scratch memory between two runs: keys, values and scratch lie in
// one region here, in this order, with gaps that nothing may write.
const gap = 512

func layout(pl plan.Plan) (at map[plan.Region]uint64, end uint64) {
	p := pl.Problem
	at = map[plan.Region]uint64{}
	for _, r := range []struct {
		region plan.Region
		bytes  uint64
	}{{plan.KeysIO, p.KeyBytes()}, {plan.ValuesIO, p.ValuesBytes()}, {plan.Scratch, pl.ScratchBytes}} {
		at[r.region] = (end+gap-1)/gap*gap + gap
		end = at[r.region] + r.bytes
	}
	return at, end + gap
}

// inOne is some of pl's steps with all places in that region.
func inOne(pl plan.Plan, steps []plan.Step) plan.Plan {
	at, _ := layout(pl)
	b := plan.NewBuilder(pl.Algorithm, pl.Problem)
	b.Embed("", plan.Plan{Steps: steps}, func(r plan.Ref) plan.Ref {
		return plan.Ref{Region: plan.KeysIO, Off: at[r.Region] + r.Off}
	})
	return b.Plan()
}

func emulate[U key.Word](t *testing.T, exe kerneltest.Emulator, p plan.Problem) {
	pl, err := Wrap(stub).Plan(p, h200, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	at, end := layout(pl)
	memory := bytesOf(make([]uint64, end/8+1))[:end]
	for i := range memory {
		memory[i] = 0xe9
	}
	part := func(r plan.Ref, bytes uint64) []byte { return memory[at[r.Region]+r.Off:][:bytes] }
	keys, values := part(plan.Ref{Region: plan.KeysIO}, p.KeyBytes()), part(plan.Ref{Region: plan.ValuesIO}, p.ValuesBytes())
	in := specials[U](rand.New(rand.NewPCG(p.Items, 1)), int(p.Items))
	copy(view[U](keys), in)
	identity := make([]int, p.Items)
	for i := range identity {
		identity[i] = i
	}
	number(values, p.ValueBytes, identity)

	host := slices.IndexFunc(pl.Steps, func(s plan.Step) bool { return s.Op == plan.OpHost })
	two := func(string) int { return 2 }
	exe.Run(t, inOne(pl, pl.Steps[:host]), memory, nil, 0, 0, two)
	from, to := pl.Steps[host].Uses[0], pl.Steps[host].Uses[1]
	canonical := view[U](part(from.Ref, from.Bytes))
	for i, k := range in {
		if canonical[i] != key.Canonical(key.CodecFloatNaNFirst, k) {
			t.Fatalf("key %d of bits %x was made %x", i, k, canonical[i])
		}
	}
	strict := p.Order
	strict.EqualZeros = false
	number(part(to.Ref, to.Bytes), int(to.Bytes/p.Items), verify.ArgsortRef(canonical, p.Type, strict))
	if p.Mode == plan.Pairs {
		exe.Run(t, inOne(pl, pl.Steps[host+1:]), memory, nil, 0, 0, two)
	}
	out := in
	want := verify.ArgsortRef(in, p.Type, p.Order)
	for j, i := range want {
		if p.Mode == plan.Pairs {
			i, out = j, view[U](keys)
		}
		if out[i] != in[want[j]] {
			t.Fatalf("place %d has a key of bits %x, want %x", j, out[i], in[want[j]])
		}
	}
	sorted := slices.Clone(values)
	number(values, p.ValueBytes, want)
	if !slices.Equal(sorted, values) {
		t.Error("values, or indices, are in another order")
	}
	for _, from := range append(slices.Collect(maps.Values(at)), end) {
		if slices.ContainsFunc(memory[from-gap/2:from], func(b byte) bool { return b != 0xe9 }) {
			t.Errorf("the gap before byte %d was written", from)
		}
	}
}

// specials returns floats, half of which are zeros or NaNs.
func specials[U key.Word](r *rand.Rand, n int) []U {
	quiet := key.Canonical(key.CodecFloatNaNFirst, ^U(0))
	sign := ^(^U(0) >> 1)
	ties := []U{0, sign, quiet, quiet | sign, quiet + 1, ^U(0), quiet&(quiet<<1) | 1, quiet & (quiet << 1), 1}
	x := make([]U, n)
	for i := range x {
		if x[i] = U(r.Uint64()); r.IntN(2) == 0 {
			x[i] = ties[r.IntN(len(ties))]
		}
	}
	return x
}

func bytesOf[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), uintptr(len(x))*unsafe.Sizeof(*new(T)))
}

func view[T any](b []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))/unsafe.Sizeof(*new(T)))
}

// number writes x in words of so many bytes.
func number(to []byte, width int, x []int) {
	for i, v := range x {
		if width == 4 {
			view[uint32](to)[i] = uint32(v)
		} else {
			view[uint64](to)[i] = uint64(v)
		}
	}
}

// TestWrap: what has no ties is planned as before, with no step more, and the status of
// what has is still found.
func TestWrap(t *testing.T) {
	w := Wrap(stub)
	for _, p := range []plan.Problem{
		{Type: key.F32, Mode: plan.Keys, Items: 100, Order: key.Order{EqualZeros: true}},
		{Type: key.I64, Mode: plan.Pairs, ValueBytes: 4, Items: 100, Order: key.Order{EqualZeros: true, Desc: true}},
		{Type: key.F64, Mode: plan.Argsort, ValueBytes: 8, Items: 100},
		{Type: key.F64, Mode: plan.Argsort, ValueBytes: 8, Items: 1, Order: key.Order{EqualZeros: true}},
	} {
		pl, err := w.Plan(p, h200, algo.Params{})
		if err != nil || len(pl.Steps) != 1 || pl.ScratchBytes != plan.StatusBytes || pl.Problem != p {
			t.Errorf("%+v: %+v, %v", p, pl, err)
		}
	}
	for _, p := range floats() {
		p.Items = 1000
		if err := stub.Check(p, h200); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%+v: an algorithm that knows no ties says %v", p, err)
		}
		if err := w.Check(p, h200); err != nil {
			t.Errorf("%+v: %v", p, err)
		}
		pl, err := w.Plan(p, h200, algo.Params{})
		if err != nil || pl.Problem != p || pl.Passes != 1 {
			t.Fatalf("%+v: %+v, %v", p, pl, err)
		}
		if again, _ := w.Plan(p, h200, algo.Params{}); !reflect.DeepEqual(pl, again) {
			t.Error("two plans of one problem differ")
		}
		if pl.Status == nil || pl.Status.At != (plan.Ref{Region: plan.Scratch, Off: pl.Parts[len(pl.Parts)-1].Off}) {
			t.Errorf("%+v: status %+v in %+v", p, pl.Status, pl.Parts)
		}
		if err := pl.Refusal(1, 0); err == nil || err.Error() != "stub: input refused: no 0" {
			t.Errorf("refusal %v", err)
		}
	}
}

// TestOtherRegions: an algorithm's places in regions besides keys and values stay what they are.
func TestOtherRegions(t *testing.T) {
	other := plan.Ref{Region: op.OtherIO, Off: 24}
	a := stub
	a.Plan = func(p plan.Problem, _ driver.Caps, _ algo.Params) (plan.Plan, error) {
		b := plan.NewBuilder("stub", p)
		b.Copy("offsets", plan.Ref{Region: plan.ValuesIO}, other, 8)
		return b.Plan(), nil
	}
	p := plan.Problem{Type: key.F32, Mode: plan.Argsort, ValueBytes: 4, Items: 9, Order: key.Order{EqualZeros: true}}
	pl, err := Wrap(a).Plan(p, h200, algo.Params{})
	if err != nil || len(pl.Steps) != 2 || pl.Steps[1].Src != other {
		t.Errorf("%+v, %v", pl.Steps, err)
	}
}
