package segments

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// skewed keys have digits that are the same in all, and others that are in most: so runs stay where
// they are, and go through many rounds.
func skewed(same, most uint64) kerneltest.Distribution {
	return kerneltest.Distribution{Name: fmt.Sprintf("same %x, mostly %x", same, most), Fill: func(r *rand.Rand, _ key.Type, _ key.Order, x []uint64) {
		for i := range x {
			x[i] = r.Uint64() &^ same
			if r.IntN(50) != 0 {
				x[i] &^= most
			}
		}
	}}
}

// TestSplit: long segments whose keys leave runs in the caller's memory and in scratch, to the last
// digit.
func TestSplit(t *testing.T) {
	exe := kerneltest.Build(t, "segments", "SM_90")
	for i, k := range []struct {
		ty           key.Type
		same, mostly uint64
	}{
		{key.U8, 0, 0}, {key.I8, 0, 0x70}, {key.U16, 0, 0xff00}, {key.I16, 0xff00, 0}, {key.U32, 0xff000000, 0}, {key.F32, 0, 0x7fffff00},
		{key.U32, 0x00ff0000, 0xff000000}, {key.U32, 0, 0xffffffff}, {key.U64, 0xffffff, 0xff << 56}, {key.I64, 0x00ffffffffff0000, 0},
		{key.F64, 0, 0xffffffff << 32}, {key.U64, 0, ^uint64(0)},
	} {
		for j, p := range []plan.Problem{{}, {Mode: plan.Argsort, ValueBytes: 4 + i%2*4}} {
			p.Kind, p.Type, p.Width, p.Order.Desc = op.Segments, k.ty, 4, (i+j)%3 == 0
			n := most(p, h200)
			l := lengths{"two long", 1, 2, []int{n + 1, 5, 2*n + n/2, 300}}
			t.Run(fmt.Sprintf("%v/%v/%d", p.Type, p.Mode, i), func(t *testing.T) {
				emulate(t, exe, h200, p, l, skewed(k.same, k.mostly), rand.New(rand.NewPCG(uint64(i), 1)))
			})
		}
	}
}

// TestPlan: two plans of one problem are equal, scratch is what the comment on Plan says, and what no
// segment can be is not launched.
func TestPlan(t *testing.T) {
	for _, k := range []struct {
		items, other uint64
		launches     int
	}{{0, 0, 1}, {0, 5, 1}, {100, 0, 1}, {128, 3, 2}, {129, 3, 3}, {2049, 3, 4}, {12288, 1, 4}, {12289, 1, 5}, {1e8, 1e7, 5}} {
		p := plan.Problem{Kind: op.Segments, Type: key.U32, Items: k.items, Other: k.other, Width: 4}
		pl, err := Plan(p, h200, algo.Params{})
		if err != nil {
			t.Fatal(err)
		}
		if pl.Launches() != k.launches || pl.Status == nil {
			t.Errorf("%d keys, %d segments: %d launches, status %v", k.items, k.other, pl.Launches(), pl.Status)
		}
		if bound := p.KeyBytes() + k.items*2/3 + 64<<10; pl.ScratchBytes > bound {
			t.Errorf("%d keys, %d segments: %d bytes of scratch, more than %d", k.items, k.other, pl.ScratchBytes, bound)
		}
	}
}

func TestUnsupported(t *testing.T) {
	a := Algorithm()
	for _, p := range []plan.Problem{
		{Kind: op.Segments, Type: key.U32, Items: 1 << 32, Width: 8}, {Kind: op.Segments, Type: key.U32, Width: 2}, {Type: key.U32},
		{Kind: op.Segments, Type: key.U32, Width: 8, Mode: plan.Pairs, ValueBytes: 4},
	} {
		if err := a.Check(p, h200); err == nil {
			t.Errorf("%+v is accepted", p)
		}
	}
	if err := a.Check(plan.Problem{Kind: op.Segments, Type: key.U32, Items: 1<<32 - 1, Width: 8}, gtx1050); err != nil {
		t.Error(err)
	}
}
