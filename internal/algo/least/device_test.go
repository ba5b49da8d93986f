package least

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/algo/small"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestDevice finds keys and first keys, in order, on every device that is here.
func TestDevice(t *testing.T) {
	kerneltest.EachDevice(t, func(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
		for _, c.CPU = range []bool{c.CPU, false} {
			onDevice(t, r, c)
		}
	})
}

func onDevice(t *testing.T, r *kerneltest.Runner, c driver.Caps) {
	sorted, turn := Least(small.Block(), onesweep.Algorithm(), lsd.Algorithm), 0
	for _, ty := range types {
		for _, f := range fills {
			for _, n := range []int{1, 2, 4096, 4097, 30003} {
				if turn++; testing.Short() && turn%3 != 0 {
					continue
				}
				os := orders(ty)
				p := plan.Problem{Type: ty, Order: os[turn%len(os)], Items: uint64(n)}
				keys := input(f, rand.New(rand.NewPCG(uint64(n), uint64(turn))), ty, n)
				by := order(p, keys)
				p.Kind, p.Other = op.Select, uint64([]int{0, n / 2, n - 1}[turn/2%3])
				run(t, r, Select(), c, p, f.name, keys, by, turn)
				p.Kind, p.Other = op.Least, uint64([]int{0, 1, n / 100, n / 4, n / 2, n}[turn/3%6])
				run(t, r, sorted, c, p, f.name, keys, by, turn)
				for _, p.ValueBytes = range []int{4, 8} {
					p.Mode = plan.Argsort
					run(t, r, sorted, c, p, f.name, keys, by, turn)
				}
			}
		}
	}
}

func run(t *testing.T, r *kerneltest.Runner, a algo.Algorithm, c driver.Caps, p plan.Problem, name string,
	keys []uint64, by []int, turn int) {
	t.Helper()
	id := fmt.Sprintf("%v of %d of %d %s %v, %+v, %d bytes, cpu=%v",
		p.Kind, p.Other, p.Items, name, p.Type, p.Order, p.ValueBytes, c.CPU)
	if err := a.Check(p, c); err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	pl, err := a.Plan(p, c, algo.Params{})
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	data, want := regions(p, keys), regions(p, keys)
	scratch := r.RunRegions(pl, data, shifts(p, turn))
	var firstKeys, positions []uint64
	for _, i := range by[:p.Other] {
		firstKeys, positions = append(firstKeys, keys[i]), append(positions, uint64(i))
	}
	switch {
	case p.Kind == op.Select:
		status := unpack(scratch[pl.Status.At.Off:][:plan.StatusBytes], 8)
		if status[0] != 0 || status[1] != keys[by[p.Other]] {
			t.Fatalf("%s: status %x, want key %x", id, status, keys[by[p.Other]])
		}
	case p.Mode == plan.Argsort:
		want[plan.ValuesIO] = kerneltest.Pack(positions, p.ValueBytes)
	default:
		want[op.OtherIO] = kerneltest.Pack(firstKeys, p.Type.Bytes())
	}
	for i, w := range want {
		if !bytes.Equal(data[i], w) {
			most := min(80, len(w))
			t.Fatalf("%s: the %s are %x…, want %x…", id, p.Kind.Region(plan.Region(i)), data[i][:most], w[:most])
		}
	}
}
