package exec

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestMerge merges runs of awkward lengths, with many equal keys, and compares
// with the stable sort of their concatenation.
func TestMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, lens := range [][]int{{1, 1}, {0, 5, 0}, {3, 1, 4, 1, 5}, {1000, 1, 0, 7}, {mergeUnit, mergeUnit + 1, 3}} {
		for _, o := range []key.Order{{}, {Desc: true}, {NaNLast: true}, {Desc: true, NaNLast: true}} {
			for _, ty := range []key.Type{key.U8, key.I16, key.F32, key.I64} {
				if lens[0] == mergeUnit && (ty != key.F32 || o.NaNLast) {
					continue // one type is enough where it takes long
				}
				for _, mode := range []plan.Mode{plan.Keys, plan.Pairs, plan.Argsort} {
					name := fmt.Sprint(lens, o, ty, mode)
					switch ty.Bytes() {
					case 1:
						testMerge[uint8](t, name, r, lens, ty, o, mode)
					case 2:
						testMerge[uint16](t, name, r, lens, ty, o, mode)
					case 4:
						testMerge[uint32](t, name, r, lens, ty, o, mode)
					default:
						testMerge[uint64](t, name, r, lens, ty, o, mode)
					}
				}
			}
		}
	}
}

func testMerge[U key.Word](t *testing.T, name string, r *rand.Rand, lens []int, ty key.Type, o key.Order, mode plan.Mode) {
	bounds := []uint64{0}
	var in []U
	for _, n := range lens {
		run := make([]U, n)
		for i := range run {
			run[i] = U(r.Uint64N(5)) * (^U(0) / 4) // both ends of the range, and NaN
		}
		verify.SortKeys(run, ty, o)
		in = append(in, run...)
		bounds = append(bounds, uint64(len(in)))
	}
	idx := make([]uint32, len(in)+1)
	for i := range idx {
		idx[i] = uint32(i)
	}
	p := plan.Problem{Type: ty, Mode: mode, Order: o, Items: uint64(len(in))}
	fromP := p
	if mode != plan.Keys {
		p.ValueBytes = 4
		fromP = p
		fromP.Mode = plan.Pairs
	}
	out, outIdx := make([]U, len(in)), make([]uint32, len(in)+1)
	keep := slices.Clone(out)
	to := op.Job{Spec: p, At: op.Memory{unsafe.Pointer(unsafe.SliceData(out)), unsafe.Pointer(unsafe.SliceData(outIdx))}}
	from := op.Job{Spec: fromP, At: op.Memory{unsafe.Pointer(unsafe.SliceData(in)), unsafe.Pointer(unsafe.SliceData(idx))}}
	merge(3, to, from, bounds)
	var err error
	c := p.Codec()
	switch mode {
	case plan.Keys:
		err = verify.Keys(in, out, c)
	case plan.Pairs:
		err = verify.Pairs(in, out, outIdx[:len(in)], c)
	case plan.Argsort:
		if !slices.Equal(out, keep) {
			t.Errorf("%s: argsort wrote keys", name)
		}
		err = verify.Argsort(in, outIdx[:len(in)], c)
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
