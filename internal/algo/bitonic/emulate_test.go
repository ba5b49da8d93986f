package bitonic

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestEmulated runs the CUDA kernels on the host: every variant, width and mode,
// all sizes of tile, awkward sizes, layouts.
func TestEmulated(t *testing.T) {
	exe := kerneltest.Build(t, "bitonic", "SM_90")
	rng := rand.New(rand.NewPCG(11, 2))
	c := devices["h200"]
	c.ComputeUnits = 2
	turn := 0
	run := func(v Variant, p plan.Problem, l algo.Params, n int) {
		turn++
		t.Run(fmt.Sprintf("%v/%v/%v%d/%+v/n=%d", v, p.Type, p.Mode, p.ValueBytes, l, n), func(t *testing.T) {
			p.Items = uint64(n)
			keys, values := kerneltest.Input(p, kerneltest.Distributions[turn%len(kerneltest.Distributions)], rng)
			pl, err := makePlan(v, p, c, l)
			if err != nil {
				t.Fatal(err)
			}
			k, w := kerneltest.Pack(keys, p.Type.Bytes()), kerneltest.Pack(values, p.ValueBytes)
			exe.Run(t, pl, k, w, uint64(turn%3*p.Type.Bytes()), uint64(turn%2*p.ValueBytes), func(string) int { return 1 })
			wantKeys, wantValues := kerneltest.Want(p, keys, values)
			kerneltest.Same(t, v.String(), p, k, w, wantKeys, wantValues)
		})
	}
	sizes := []int{2, 3, 100, 1000, 2047, 2049, 5000, 9999}
	for _, v := range all {
		for _, row := range key.Table() {
			fs := kerneltest.Forms(row.Type)
			for i := range 3 {
				run(v, fs[(turn+i)%len(fs)], algo.Params{}, sizes[turn%len(sizes)])
			}
		}
		for _, l := range layouts {
			if testing.Short() && l.Blocks == 1000 && v != Shared {
				continue // a thousand blocks take seconds here: one variant has them
			}
			if _, err := makePlan(v, plan.Problem{Type: key.U32, Items: 5000}, c, l); err == nil {
				run(v, plan.Problem{Type: key.F32}, l, 5000)
			}
		}
	}
	// Every size of tile in registers, up to stages of three passes.
	for i, threads := range []uint32{32, 64, 128, 256, 512} {
		for _, n := range []int{int(threads)*16 - i%2, int(threads)*16*(5-i/2) + 3, 33000 >> i} {
			for _, p := range []plan.Problem{
				{Type: key.U32}, {Type: key.U64, Order: key.Order{Desc: true}}, {Type: key.I16},
				{Type: key.F64, Mode: plan.Argsort, ValueBytes: 8}, {Type: key.F32, Mode: plan.Pairs, ValueBytes: 4},
			} {
				run(Best, p, algo.Params{Threads: threads}, n)
			}
		}
	}
	// More than 2^32 pairs of narrow keys take elements of 128 bits.
	for _, ty := range []key.Type{key.U8, key.I16, key.F32} {
		run := plan.Problem{Type: ty, Mode: plan.Pairs, ValueBytes: 4, Items: 1<<32 + 1}
		if elementBits(run) != 128 {
			t.Errorf("%v: elements of %d bits", ty, elementBits(run))
		}
	}
}
