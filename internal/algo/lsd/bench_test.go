package lsd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// BenchmarkSort sorts uniform keys that lie on the device: 2^20 on a CPU device,
// 2^26 on others. Mkeys/s counts the device time of the sort alone, ns/op also
// the copy that restores the input.
func BenchmarkSort(b *testing.B) {
	for _, dev := range drivertest.Devices(b, opencl.New()) {
		c := dev.Caps()
		items := uint64(1 << 20)
		if !c.CPU {
			items = 1 << 26
		}
		for _, p := range []plan.Problem{{Type: key.U32}, {Type: key.U64}, {Type: key.F32},
			{Type: key.U32, Mode: plan.Pairs, ValueBytes: 4}, {Type: key.U32, Mode: plan.Argsort, ValueBytes: 4}} {
			p.Items = items
			b.Run(fmt.Sprintf("%s/%v/%v/n=%d", c.ID, p.Type, p.Mode, items), func(b *testing.B) {
				pl, err := Algorithm.Plan(p, c, algo.Params{})
				if err != nil {
					b.Fatal(err)
				}
				r := kerneltest.NewRunner(b, dev)
				x := make([]uint64, p.Items)
				rng := rand.New(rand.NewPCG(1, 1))
				for i := range x {
					x[i] = rng.Uint64()
				}
				keys := kerneltest.Pack(x, p.Type.Bytes())
				r.Sorted(pl, keys, make([]byte, p.ValuesBytes()), 0)
				var ns int64
				for b.Loop() {
					ns += r.Time(pl, keys)
				}
				b.ReportMetric(float64(p.Items)*float64(b.N)/float64(ns)*1e3, "Mkeys/s")
			})
		}
	}
}

// BenchmarkSlices is the peer: slices.Sort of the same keys on one core.
func BenchmarkSlices(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	in := make([]uint32, 1<<20)
	for i := range in {
		in[i] = rng.Uint32()
	}
	x := make([]uint32, len(in))
	for b.Loop() {
		copy(x, in)
		slices.Sort(x)
	}
	b.ReportMetric(float64(len(in))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mkeys/s")
}
