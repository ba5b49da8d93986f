package radix4

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestEmulated runs the CUDA kernels on the host: all widths and modes, layouts
// with idle blocks, one warp and the most threads, other prefix sums inside, partial
// and full tiles.
func TestEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "radix4", "SM_90")
	layouts := []algo.Params{{}, {Threads: 32, Blocks: 1}, {Threads: 64, Blocks: 5}, {Threads: 96, Blocks: 40}, {Threads: 1024, Blocks: 2}, {Threads: 256, Blocks: 3},
		{Scan: "scan-lookback"}, {Threads: 64, Blocks: 5, Scan: "scan-blelloch"}, {Threads: 96, Blocks: 40, Scan: "scan-hillis-steele"}}
	turn := 0
	for _, ty := range []key.Type{key.U8, key.I16, key.F32, key.I64} {
		for _, p := range forms(ty) {
			l := layouts[turn%len(layouts)]
			p.Items = []uint64{1, 31, 288, 289, 577, 1000, 2305}[turn%7]
			turn++
			t.Run(fmt.Sprintf("%v/%v%d/desc=%v/n=%d/%dx%d/%s", p.Type, p.Mode, p.ValueBytes, p.Order.Desc, p.Items, l.Blocks, l.Threads, l.Scan), func(t *testing.T) {
				c := h200
				c.ComputeUnits, c.ForwardProgress = 1+turn%3, true
				pl, err := Plan(p, c, l)
				if err != nil {
					t.Fatal(err)
				}
				switch p.Type.Bits() {
				case 8:
					emulate[uint8](t, exe, p, pl, turn)
				case 16:
					emulate[uint16](t, exe, p, pl, turn)
				case 32:
					emulate[uint32](t, exe, p, pl, turn)
				default:
					emulate[uint64](t, exe, p, pl, turn)
				}
			})
		}
	}
}

func emulate[U key.Word](t *testing.T, exe kerneltest.Emulator, p plan.Problem, pl plan.Plan, turn int) {
	if p.ValueBytes == 8 {
		emulateValues[U, uint64](t, exe, p, pl, turn)
		return
	}
	emulateValues[U, uint32](t, exe, p, pl, turn)
}

func emulateValues[U key.Word, V uint32 | uint64](t *testing.T, exe kerneltest.Emulator, p plan.Problem, pl plan.Plan, turn int) {
	r := rand.New(rand.NewPCG(p.Items, uint64(turn)))
	mask := ^uint64(0)
	if turn%2 == 0 {
		mask = 0x0300_0000_0f00_0f03 // ties, and digits that are the same in all keys
	}
	keys := make([]U, p.Items)
	for i := range keys {
		keys[i] = U(r.Uint64() & mask)
	}
	out := slices.Clone(keys)
	var values []V
	if p.Mode != plan.Keys {
		values = make([]V, p.Items)
		for i := range values {
			values[i] = V(i)
			if p.Mode == plan.Argsort {
				values[i] = ^V(0) // output only
			}
		}
	}
	one := func(string) int { return 1 }
	exe.Run(t, pl, kerneltest.Bytes(out), kerneltest.Bytes(values), uint64(turn%3)*uint64(p.Type.Bytes()), uint64(p.ValueBytes), one)
	var err error
	switch p.Mode {
	case plan.Keys:
		err = verify.Keys(keys, out, p.Codec())
	case plan.Pairs:
		err = verify.Pairs(keys, out, values, p.Codec())
	default:
		if !slices.Equal(keys, out) {
			t.Error("argsort changed the keys")
		}
		err = verify.Argsort(keys, values, p.Codec())
	}
	if err != nil {
		t.Error(err)
	}
}
