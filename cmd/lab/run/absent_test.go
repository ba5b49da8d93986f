package run

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestAbsentNamesAreCells: what this machine lacks is a cell with its reason.
func TestAbsentNamesAreCells(t *testing.T) {
	drv := newFake()
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=[good,later]")
	l.o.Devices = []string{"fake:0", "fake:9", "cuda:5"}
	l.o.AbsentAlgos, l.o.AbsentDevices, l.o.Experiment = true, true, "greek"
	l.run(t)
	if len(l.records) != 6 {
		t.Fatalf("%d records", len(l.records))
	}
	for key, want := range map[string]string{
		"good/fake/": "", "later/fake/u32/keys/uniform/n=1000@fake:0": "no algorithm later in this build",
		"later/cuda": "no device cuda:5", "good/cuda": "no device cuda:5", "later/fake/u32/keys/uniform/n=1000@fake:9": "no device fake:9",
	} {
		r := l.find(key)
		if len(r) == 0 || !strings.Contains(r[0].Reason, want) || r[0].Experiment != "greek" ||
			(r[0].Status == result.OK) != (want == "") {
			t.Errorf("%s: %+v", key, r)
		}
	}
	if drv.Live() != 0 {
		t.Errorf("%d objects of the device are left", drv.Live())
	}
}

// TestMaxValueBoundsTheInput for every width; a bound at or past the type's
// greatest key changes nothing.
func TestMaxValueBoundsTheInput(t *testing.T) {
	const n = 5000
	fillOf := func(ty key.Type, bound uint64) []byte {
		b := make([]uint64, n)
		fill(plan.Problem{Type: ty, Items: n}, source{dist: dist.Must("uniform"), max: bound, seed: 7}, unsafe.Pointer(&b[0]), nil)
		return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&b[0])), n*ty.Bytes()))
	}
	for _, ty := range []key.Type{key.U8, key.U16, key.U32, key.U64} {
		free := fillOf(ty, 0)
		if !slices.Equal(free, fillOf(ty, ^uint64(0)>>(64-ty.Bits()))) {
			t.Errorf("%v: the greatest bound changes the input", ty)
		}
		top := uint64(0)
		x := fillOf(ty, 99)
		for i := 0; i < len(x); i += ty.Bytes() {
			v := uint64(0)
			for k := range ty.Bytes() {
				v |= uint64(x[i+k]) << (8 * k)
			}
			top = max(top, v)
		}
		if top != 99 {
			t.Errorf("%v: the greatest of %d keys is %d, want 99", ty, n, top)
		}
	}
}
