package merge

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// inScratch moves the output of a plan of PlanTwo to the end of its scratch memory, where
// kerneltest shows it.
func inScratch(p *plan.Plan, room uint64) (keysOut, valuesOut uint64) {
	keysOut = (p.ScratchBytes + 15) / 16 * 16
	valuesOut = keysOut + p.Problem.KeyBytes() + room*8
	p.ScratchBytes = valuesOut + p.Problem.ValuesBytes() + room*8
	for i := range p.Steps {
		args := slices.Clone(p.Steps[i].Args)
		for k, a := range args {
			switch {
			case a.IsRef && a.Ref.Region == TwoKeysOut:
				args[k] = plan.At(plan.Ref{Region: plan.Scratch, Off: keysOut + a.Ref.Off})
			case a.IsRef && a.Ref.Region == TwoValuesOut:
				args[k] = plan.At(plan.Ref{Region: plan.Scratch, Off: valuesOut + a.Ref.Off})
			}
		}
		p.Steps[i].Args = args
	}
	return keysOut, valuesOut
}

// two merges runs of n keys of `most` values, 0 for any, of which the first has `first`,
// by run, and compares with a stable sort.
func two(t *testing.T, r *rand.Rand, c driver.Caps, p plan.Problem, n, first, most int, run func(plan.Plan, []byte, []byte) []byte) {
	t.Helper()
	p.Items = uint64(n)
	gap := max(0, n-2*first)
	keys, values := make([]uint64, n), make([]uint64, n)
	largest := ^uint64(0) >> (64 - p.Type.Bits())
	for i := range keys {
		keys[i], values[i] = r.Uint64()&largest, uint64(i)
		if most != 0 {
			keys[i] = largest - uint64(r.IntN(most))
		}
		if gap > 0 && i >= first && keys[i] == largest {
			keys[i]--
		}
	}
	slices.Sort(keys[:first])
	slices.Sort(keys[first:])
	wantKeys, wantValues := kerneltest.Want(p, keys, values)
	for range gap {
		keys, values = slices.Insert(keys, first, largest), slices.Insert(values, first, 1<<31)
	}
	complement := gap == 0 && n%2 == 1
	if complement {
		for i, b := range wantKeys {
			wantKeys[i] = ^b
		}
	}
	pl, err := PlanTwo(p, uint64(first), uint64(gap), complement, c)
	if err != nil {
		t.Fatalf("%d of %d: %v", first, n, err)
	}
	room, err := TwoRoom(p, c)
	if err != nil {
		t.Fatal(err)
	}
	atKeys, atValues := inScratch(&pl, room)
	scratch := run(pl, kerneltest.Pack(keys, p.Type.Bytes()), kerneltest.Pack(values, p.ValueBytes))
	if got := scratch[atKeys:][:p.KeyBytes()]; !bytes.Equal(got, wantKeys) {
		t.Errorf("%v %v: %d + %d of %d keys of %d values: the keys are wrong", p.Type, p.Mode, first, gap, n, most)
	}
	if got := scratch[atValues:][:p.ValuesBytes()]; !bytes.Equal(got, wantValues) {
		t.Errorf("%v %v: %d + %d of %d keys of %d values: the values are wrong", p.Type, p.Mode, first, gap, n, most)
	}
}

// twos calls two for every width, sizes about a tile's and first runs of all lengths.
func twos(t *testing.T, r *rand.Rand, c driver.Caps, run func(plan.Plan, []byte, []byte) []byte) {
	for _, typ := range []key.Type{key.U8, key.U16, key.U32, key.U64} {
		for _, width := range []int{0, 4, 8} {
			if testing.Short() && (typ == key.U16 || width == 8) {
				continue
			}
			p := plan.Problem{Type: typ, ValueBytes: width, Items: 1 << 20}
			if width != 0 {
				p.Mode = plan.Pairs
			}
			g, err := pathGeometry(p, c, algo.Params{})
			if err != nil {
				t.Fatal(err)
			}
			tile := int(g.tile(g.passThreads))
			for i, n := range []int{1, 100, tile - 1, tile, 2*tile + 1, 3*tile - 5, 4 * tile} {
				most := []int{0, 3, 1}[i%3]
				two(t, r, c, p, n, n, most, run)
				two(t, r, c, p, n, (n+1)/2+r.IntN(n/2+1), most, run)
				if most != 1 { // with a gap the second run lacks the one value
					two(t, r, c, p, n, n*2/5, most, run)
					two(t, r, c, p, n, 0, most, run)
				}
			}
		}
	}
}

// TestTwoEmulated merges with the CUDA kernels' sources on the host.
func TestTwoEmulated(t *testing.T) {
	e := kerneltest.Build(t, "merge", "SM_90")
	c := devices["cuda"]
	c.MaxThreadsPerBlock = 32 // wide blocks take long here
	twos(t, rand.New(rand.NewPCG(5, 1)), c, func(pl plan.Plan, keys, values []byte) []byte {
		return e.Run(t, pl, keys, values, 0, 0, func(string) int { return 2 })
	})
}

// TestTwo merges on every device present.
func TestTwo(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, k *kerneltest.Runner, c driver.Caps) {
		twos(t, rand.New(rand.NewPCG(6, 1)), c, func(pl plan.Plan, keys, values []byte) []byte { return k.Run(pl, keys, values, 0, 0) })
	})
}

// TestTwoRefuses: what the kernels would merge wrongly is not planned.
func TestTwoRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		p          plan.Problem
		first, gap uint64
	}{
		"signed":      {plan.Problem{Type: key.I32, Items: 100}, 60, 0},
		"descending":  {plan.Problem{Type: key.U32, Items: 100, Order: key.Order{Desc: true}}, 60, 0},
		"argsort":     {plan.Problem{Type: key.U32, Items: 100, Mode: plan.Argsort, ValueBytes: 4}, 60, 0},
		"short first": {plan.Problem{Type: key.U32, Items: 100}, 49, 0},
		"short gap":   {plan.Problem{Type: key.U32, Items: 100}, 40, 19},
		"all first":   {plan.Problem{Type: key.U32, Items: 100}, 101, 0},
	} {
		if _, err := PlanTwo(c.p, c.first, c.gap, false, devices["cuda"]); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: %v, want ErrUnsupported", what, err)
		}
	}
}
