package small

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/verify"
)

// TestPaddingEmulated sorts even keys in clusters whose last blocks have few keys or none: they take the way of full
// ones, by the barriers of the cluster, and skewed keys another one.
func TestPaddingEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "small", "SM_90")
	for turn, ty := range []key.Type{key.U32, key.F32, key.U64} {
		p := plan.Problem{Type: ty, Order: key.Order{Desc: turn == 1}}
		barriers := func(n uint64, image func(r *rand.Rand) uint64) int {
			p.Items = n
			pl, err := planCluster(p, h200, algo.Params{})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(n, uint64(turn)))
			if ty.Bits() == 64 {
				return barriersOf[uint64](t, exe, p, pl, func() uint64 { return key.Decode(p.Codec(), image(r)) })
			}
			return barriersOf[uint32](t, exe, p, pl, func() uint32 { return key.Decode(p.Codec(), uint32(image(r)>>32)) })
		}
		even := func(r *rand.Rand) uint64 { return r.Uint64() }
		full := barriers(16*1024, even)
		if merged := barriers(16*1024, func(r *rand.Rand) uint64 { return ands(r, 4) }); merged == full {
			t.Errorf("%v: skewed keys take %d barriers, as even ones", ty, merged)
		}
		for _, n := range []uint64{4097, 5003, 7282, 8193, 8200, 10007, 14564, 16383} {
			t.Run(fmt.Sprintf("%v/n=%d", ty, n), func(t *testing.T) {
				if held := barriers(n, even); held != full {
					t.Errorf("%d barriers, %d of a full cluster", held, full)
				}
			})
		}
	}
}

// barriersOf sorts p.Items keys, checks them, and returns the barriers of the plan's only launch.
func barriersOf[U key.Word](t *testing.T, exe kerneltest.Emulator, p plan.Problem, pl plan.Plan, next func() U) int {
	t.Helper()
	keys := make([]U, p.Items)
	for i := range keys {
		keys[i] = next()
	}
	out := append([]U(nil), keys...)
	_, barriers := exe.RunCounting(t, pl, bytesOf(out), nil, 0, 0, alone)
	if err := verify.Keys(keys, out, p.Codec()); err != nil {
		t.Error(err)
	}
	if len(barriers) != 1 {
		t.Fatalf("barriers of %d launches", len(barriers))
	}
	return barriers[0]
}
