package segments

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

var (
	h200, gtx1050 = kerneltest.Emulated("SM_90"), kerneltest.Emulated("PTX")
	targets       = map[string]driver.Caps{"SM_90": h200, "PTX": gtx1050}
)

func most(p plan.Problem, c driver.Caps) int {
	threads, items := geometry(p, c)
	return int(threads * items)
}

// lengths are those of segments, one behind the other from key `before` on, with `after` keys behind.
type lengths struct {
	name          string
	before, after int
	of            []int
}

func (l lengths) offsets() (all []uint64) {
	at := uint64(l.before)
	all = []uint64{at}
	for _, n := range l.of {
		at += uint64(n)
		all = append(all, at)
	}
	return all
}

func (l lengths) items() uint64 {
	o := l.offsets()
	return o[len(o)-1] + uint64(l.after)
}

func times(n, length int) []int { return slices.Repeat([]int{length}, n) }

// shapes are inputs for blocks that sort so many keys.
func shapes(r *rand.Rand, most int) []lengths {
	var few, mixed []int
	for range 700 {
		few = append(few, r.IntN(46)+5)
	}
	for range 60 {
		mixed = append(mixed, r.IntN(20)*r.IntN(20))
	}
	return []lengths{
		{"nothing", 0, 0, nil}, {"no segments", 3, 4, nil}, {"empty segments", 0, 0, []int{0, 0, 0}}, {"one key", 0, 0, []int{1}},
		{"around warps", 5, 3, []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 0, 1}},
		{"many of one", 0, 0, times(300, 1)}, {"many of two", 1, 0, times(70, 2)}, {"few keys", 0, 9, few},
		{"whole windows", 0, 0, times(64, 100)}, {"around windows", 0, 0, append(times(32, 32), append(times(31, 16), 16, 17, 16)...)},
		{"around small blocks", 7, 0, []int{255, 256, 257, 2047, 2048, 1, 2049, 130}}, {"mixed", 2, 2, mixed},
		{"around large blocks", 0, 1, []int{most - 1, 0, most, 3}}, {"one too long", 3, 2, []int{most + 1}},
		{"long and short", 0, 0, append(append(times(40, 1), 2*most+77, 200, 3000), times(40, 1)...)},
	}
}

// fills make keys; the long shapes take all of them in turn.
var fills = kerneltest.Distributions

func forms() (all []plan.Problem) {
	for _, ty := range []key.Type{key.U8, key.I16, key.F32, key.U64, key.I8, key.U16, key.U32, key.F64} {
		for i, f := range kerneltest.Forms(ty) {
			if f.Mode != plan.Pairs {
				f.Kind, f.Width = op.Segments, 4+i%2*4
				all = append(all, f)
			}
		}
	}
	return all
}

func together(string) int { return 2 }

// TestEmulated runs the CUDA kernels on the host.
func TestEmulated(t *testing.T) {
	for _, target := range []string{"SM_90", "PTX"} {
		if testing.Short() && target == "PTX" {
			continue // the same kernels with narrower blocks: compiled for as long again
		}
		c := targets[target]
		t.Run(target, func(t *testing.T) {
			exe := kerneltest.Build(t, "segments", target)
			for i, p := range forms() {
				r := rand.New(rand.NewPCG(uint64(i), 7))
				all := shapes(r, most(p, c))
				for j, l := range all {
					if testing.Short() && (i*5+j)%17 != 0 {
						continue
					}
					fill := fills[(i+j)%len(fills)]
					t.Run(fmt.Sprintf("%v/%v%d/%+v/offsets%d/%s/%s", p.Type, p.Mode, 8*p.ValueBytes, p.Order, 8*p.Width, l.name, fill.Name), func(t *testing.T) {
						emulate(t, exe, c, p, l, fill, r)
					})
				}
			}
		})
	}
}

func emulate(t *testing.T, exe kerneltest.Emulator, c driver.Caps, p plan.Problem, l lengths, fill kerneltest.Distribution, r *rand.Rand) {
	p.Items, p.Other = l.items(), uint64(len(l.of))
	pl, err := Plan(p, c, algo.Params{})
	if err != nil {
		t.Fatal(err)
	}
	keys, values := kerneltest.Input(p, fill, r)
	in := regions(p, keys, values, l.offsets())
	got := regions(p, keys, values, l.offsets())
	shifts := kerneltest.Shifts{plan.KeysIO: uint64(r.IntN(5) * p.Type.Bytes()), plan.ValuesIO: uint64(r.IntN(3) * p.ValueBytes), op.OtherIO: uint64(r.IntN(3) * p.Width)}
	scratch, _ := exe.RunRegions(t, pl, got, shifts, together)
	refused(t, pl, scratch, "")
	wantKeys, wantValues := want(p, keys, l.offsets())
	if p.Mode != plan.Argsort {
		wantValues = nil
	}
	kerneltest.Same(t, l.name, p, got[plan.KeysIO], got[plan.ValuesIO], wantKeys, wantValues)
	if !slices.Equal(got[op.OtherIO], in[op.OtherIO]) {
		t.Error("the offsets have changed")
	}
}

// regions is the memory of p.
func regions(p plan.Problem, keys, values, offsets []uint64) (r kerneltest.Regions) {
	r[plan.KeysIO] = kerneltest.Pack(keys, p.Type.Bytes())
	r[plan.ValuesIO] = kerneltest.Pack(values, p.ValueBytes)
	r[op.OtherIO] = kerneltest.Pack(offsets, p.Width)
	return r
}

// want sorts each segment by comparison.
func want(p plan.Problem, keys, offsets []uint64) (k, v []byte) {
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	for i := 1; i < len(offsets); i++ {
		slices.SortStableFunc(order[offsets[i-1]:offsets[i]], func(a, b int) int { return kerneltest.Compare(p.Type, p.Order, keys[a], keys[b]) })
	}
	sorted, places := slices.Clone(keys), make([]uint64, len(keys))
	for to, from := range order {
		if p.Mode == plan.Keys {
			sorted[to] = keys[from]
		}
		places[to] = uint64(from)
	}
	return kerneltest.Pack(sorted, p.Type.Bytes()), kerneltest.Pack(places, p.ValueBytes)
}

// refused checks the status record: that it says nothing, or a refusal with that text.
func refused(t *testing.T, pl plan.Plan, scratch []byte, text string) {
	t.Helper()
	code, number := uint32(0), uint64(0)
	at := scratch[pl.Status.At.Off:]
	for i := range 4 {
		code |= uint32(at[i]) << (8 * i)
	}
	for i := range 8 {
		number |= uint64(at[8+i]) << (8 * i)
	}
	err := pl.Refusal(code, number)
	if text == "" && err != nil || text != "" && (err == nil || !strings.Contains(err.Error(), text)) {
		t.Errorf("refusal %v, want %q", err, text)
	}
}

type refusedCase struct {
	items   uint64
	offsets []uint64
	text    string
}

func refusedCases() []refusedCase {
	long := uint64(most(plan.Problem{Type: key.U64}, h200)) + 100
	return []refusedCase{
		{10, []uint64{0, 5, 4, 10}, "offset 2 is below"},
		{10, []uint64{0, 5, 11}, "offset 2 is beyond"},
		{10, []uint64{11}, "offset 0 is beyond"},
		{0, []uint64{0, 1}, "offset 1 is beyond"},
		{10, []uint64{1 << 31, 1<<31 + 5}, "is beyond"},
		{2 * long, []uint64{0, long, 0, long, 0, long, 3000, 2 * long, 100, 2 * long}, "is below"},
		{long, append(slices.Repeat([]uint64{0, 200}, 500), long), "is below"},
	}
}

func refusedForms() []plan.Problem {
	return []plan.Problem{
		{Kind: op.Segments, Type: key.U64, Width: 4}, {Kind: op.Segments, Type: key.F32, Width: 8, Mode: plan.Argsort, ValueBytes: 4},
	}
}

func unchanged(t *testing.T, in, got kerneltest.Regions) {
	t.Helper()
	for r := range in {
		if !slices.Equal(in[r], got[r]) {
			t.Errorf("region %d has changed", r)
		}
	}
}

// TestRefused: offsets that do not ascend, or lead beyond the keys, leave everything as it was.
func TestRefused(t *testing.T) {
	exe := kerneltest.Build(t, "segments", "SM_90")
	for i, k := range refusedCases() {
		for _, p := range refusedForms() {
			t.Run(fmt.Sprintf("%d/%v", i, p.Mode), func(t *testing.T) {
				p.Items, p.Other = k.items, uint64(len(k.offsets)-1)
				pl, err := Plan(p, h200, algo.Params{})
				if err != nil {
					t.Fatal(err)
				}
				keys, values := kerneltest.Input(p, kerneltest.Distributions[0], rand.New(rand.NewPCG(1, 2)))
				in, got := regions(p, keys, values, k.offsets), regions(p, keys, values, k.offsets)
				scratch, _ := exe.RunRegions(t, pl, got, kerneltest.Shifts{}, together)
				refused(t, pl, scratch, k.text)
				unchanged(t, in, got)
			})
		}
	}
}
