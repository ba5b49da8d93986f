package engine

import (
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine/crossover"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestTuned checks that measured times decide, against the model, and that the
// model decides what was not measured.
func TestTuned(t *testing.T) {
	line := func(perItem, least float64) (c crossover.Curve) {
		c.Kind = crossover.Kind{Bits: 32}
		for n := uint64(16); n <= 1<<24; n *= 4 {
			c.Points = append(c.Points, crossover.Point{Items: n, Seconds: max(perItem*float64(n), least)})
		}
		return c
	}
	caps := fast() // the model prefers it
	device := measuredDevice(caps)
	table := func(cpu, dev crossover.Curve) *crossover.Table {
		x := crossover.New("")
		x.Devices = []crossover.Measured{{Device: crossover.Host(), Curves: []crossover.Curve{cpu}}, {Device: device, Curves: []crossover.Curve{dev}}}
		return x
	}
	for _, c := range []struct {
		name  string
		table *crossover.Table
		p     plan.Problem
		want  string
		words string
	}{
		{"slow link", table(line(1e-9, 0), line(2e-9, 0)), plan.Problem{Type: key.U32, Items: 1 << 24}, "cpu", "measured"},
		{"small, and the device is faster", table(line(1e-8, 0), line(1e-9, 1e-5)), plan.Problem{Type: key.F32, Items: 1 << 14}, "fake:0", "measured"},
		{"below the floor", table(line(1e-8, 0), line(1e-9, 1e-4)), plan.Problem{Type: key.U32, Items: leastFloor - 1}, "cpu", "fewer than"},
		{"not measured", table(line(1e-9, 0), line(2e-9, 0)), plan.Problem{Type: key.U64, Items: 1 << 24}, "fake:0", "predicted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			planned := 0
			counted := inMemory
			counted.Plan = func(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
				planned++
				return inMemory.Plan(p, c, l)
			}
			e, err := New(Config{Drivers: []driver.Driver{newFake(caps)}, Algorithms: []algo.Algorithm{counted}, Images: fakeImages, Tuning: c.table, Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			e.probe.missed = openTime
			s, err := e.place(c.p)
			if err != nil {
				t.Fatal(err)
			}
			if planned > 0 && c.want == "cpu" {
				t.Errorf("a sort for the device was planned %d times", planned)
			}
			x, err := e.Explain(c.p)
			if err != nil {
				t.Fatal(err)
			}
			if s.ID() != c.want || x.Device != c.want || !strings.Contains(x.Why, c.words) {
				t.Errorf("placed on %s; explained as %s because %q; want %s because … %q", s.ID(), x.Device, x.Why, c.want, c.words)
			}
		})
	}
}
