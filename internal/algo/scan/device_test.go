package scan

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestDevice sums on every device that is here, in every layout.
func TestDevice(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		for _, c.CPU = range []bool{c.CPU, false} {
			for _, a := range Scans() {
				deviceSums(t, r, a, c)
			}
		}
	})
}

func deviceSums(t *testing.T, r *kerneltest.Runner, a algo.Scan, c driver.Caps) {
	for i, n := range []int{0, 1, 2, 3, 31, 64, 65, 511, 513, 8193, 30003} {
		for j, l := range layouts {
			inclusive := (i+j)%2 == 0
			alone := a.Algorithm(inclusive)
			if err := alone.CheckWith(plan.Problem{Kind: alone.Kind, Type: key.U32, Items: uint64(n)}, c, l); err != nil {
				t.Logf("%s %+v: %v", a.Name, l, err)
				return
			}
			if (i+j)%3 == 0 {
				device[uint64](t, r, alone, key.U64, c, l, n)
			} else {
				device[uint32](t, r, alone, key.U32, c, l, n)
			}
		}
	}
}

func device[U uint32 | uint64](t *testing.T, r *kerneltest.Runner, a algo.Algorithm, ty key.Type, c driver.Caps, l algo.Params, n int) {
	t.Helper()
	pl, err := a.Plan(plan.Problem{Kind: a.Kind, Type: ty, Items: uint64(n)}, c, l)
	if err != nil {
		t.Fatal(err)
	}
	x := random[U](rand.New(rand.NewPCG(uint64(n), 3)), n)
	want := sums(x, a.Kind == op.InclusiveSums)
	r.Run(pl, kerneltest.Bytes(x), nil, uint64(n%5*ty.Bytes()), 0)
	if i := mismatch(x, want); i >= 0 {
		t.Fatalf("%s: element %d is %d, want %d", fmt.Sprintf("%s %v n=%d %+v", a.Name, ty, n, l), i, x[i], want[i])
	}
}
