package run

import (
	"slices"
	"testing"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/sample"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// inputsSeen runs two sorts of one group for 1 + 4 rounds and returns, for each,
// the inputs that it was given: two a round, with transfers and on the device.
func inputsSeen(t *testing.T, axis string) (seen map[string][][]uint32, records []result.Record) {
	t.Helper()
	drv, seen := newFake(), map[string][][]uint32{}
	spy := func(name string) algo.Algorithm {
		return sorter(drv, name, plan.Keys, func(k, v, behind []uint32) {
			seen[name] = append(seen[name], slices.Clone(k))
			honest(k, v, behind)
		})
	}
	l := newLab(drv, []algo.Algorithm{spy("a"), spy("b")}, "Algo=[a,b]", axis)
	l.o.Rule = sample.Rule{WarmUp: 1, Min: 4, Max: 4}
	l.run(t)
	if len(seen["a"]) != 10 || len(seen["b"]) != 10 || len(l.records) != 2 {
		t.Fatalf("%d and %d sorts, %d records", len(seen["a"]), len(seen["b"]), len(l.records))
	}
	return seen, l.records
}

// TestFreshInputs: every sample of a cell has keys of its own, which are also the
// other cells' of that round, and follow from the seed.
func TestFreshInputs(t *testing.T) {
	seen, records := inputsSeen(t, "Input=fresh")
	again, _ := inputsSeen(t, "Elements=1000") // the default
	for i, x := range seen["a"] {
		if !slices.Equal(x, seen["b"][i]) || !slices.Equal(x, again["a"][i]) {
			t.Errorf("sort %d: the two cells, or two runs of one seed, have other keys", i)
		}
		for k, y := range seen["a"][:i] {
			if slices.Equal(x, y) != (i/2 == k/2) {
				t.Errorf("sorts %d and %d: same keys %v", k, i, slices.Equal(x, y))
			}
		}
	}
	for _, r := range records {
		if r.Status != result.OK || r.Input != Fresh || r.ID() != r.Case {
			t.Errorf("%s: %s, input %q", r.Case, r.Status, r.Input)
		}
		if slices.Max(r.DeviceNS) != slices.Min(r.DeviceNS) {
			t.Errorf("making inputs shows in the times: %v", r.DeviceNS)
		}
	}
}

func TestSameInput(t *testing.T) {
	seen, records := inputsSeen(t, "Input=same")
	fresh, _ := inputsSeen(t, "Input=fresh")
	for i, x := range seen["a"] {
		if !slices.Equal(x, fresh["b"][0]) {
			t.Errorf("sort %d has other keys than the first", i)
		}
	}
	for _, r := range records {
		if r.Input != Same || r.Case != r.Algo+"/fake/u32/keys/uniform/n=1000/same-input" {
			t.Errorf("%s: input %q", r.Case, r.Input)
		}
	}
}

// TestBothInputs: one run can measure both, each a cell of its own.
func TestBothInputs(t *testing.T) {
	drv := newFake()
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=good", "Input=[fresh,same]")
	l.run(t)
	if len(l.records) != 2 || l.records[0].Case == l.records[1].Case {
		t.Errorf("%+v", l.records)
	}
}

// TestFreshInputThatASortCannotTake: the keys of a later round may pass the maximum
// that was promised; that cell then has no figures.
func TestFreshInputThatASortCannotTake(t *testing.T) {
	drv := newFake()
	l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=good", "Elements=1", "MaxValue=3000000000")
	l.o.AsDrawn, l.o.Rule = true, sample.Rule{Min: 200, Max: 200}
	for l.o.Seed = 1; l.o.Seed < 20; l.o.Seed++ {
		l.run(t)
	}
	later := 0
	for _, r := range l.records {
		if r.Status != result.Unsupported || r.DeviceNS != nil {
			t.Errorf("seed %d: %s %v", r.Seed, r.Status, r.DeviceNS)
		}
		if r.Before != nil || r.Launches > 0 {
			later++
		}
	}
	if later == 0 {
		t.Error("no input of a later round was refused")
	}
}

// TestMakingInputsCountsForTheTimeout: it is no part of any sample, but a cell with
// long inputs must end.
func TestMakingInputsCountsForTheTimeout(t *testing.T) {
	samples := map[string]int{}
	for _, input := range []string{Fresh, Same} {
		drv := newFake()
		l := newLab(drv, []algo.Algorithm{sorter(drv, "good", plan.Keys, honest)}, "Algo=good", "Input="+input)
		// The clock moves by a millisecond whenever it is read, also about a refresh.
		l.o.Rule = sample.Rule{Min: 2, Max: 1000, Noise: 0, Timeout: 100 * time.Millisecond, EndToEnd: sample.Never}
		l.o.Rule.Min = 900 // noise is none here
		l.run(t)
		samples[input] = len(l.records[0].DeviceNS)
	}
	if samples[Fresh] >= samples[Same] || samples[Fresh] < 2 {
		t.Errorf("samples: %v", samples)
	}
}

// TestInputsMadeAhead: the processor's inputs are those of their rounds, whether few
// or many are made at once.
func TestInputsMadeAhead(t *testing.T) {
	for _, mode := range []plan.Mode{plan.Keys, plan.Pairs} {
		for _, n := range []uint64{1, 100, 5000, 100_000} {
			p := plan.Problem{Type: key.U32, Mode: mode, Items: n}
			if mode == plan.Pairs {
				p.ValueBytes = 4
			}
			src := source{dist: dist.Must("uniform"), seed: 5, fresh: true}
			b := &hostBench{p: p, src: src}
			if _, err := b.allocate(); err != nil {
				t.Fatal(err)
			}
			if (len(b.made) > 1) != (n < 50_000) {
				t.Errorf("%d keys: %d inputs are made ahead", n, len(b.made))
			}
			want := newRegion(4 * n)
			for round := range 150 {
				if round > 0 && n > 5000 && round > 3 {
					break
				}
				if round > 0 {
					if _, err := b.refresh(round); err != nil {
						t.Fatal(err)
					}
				}
				values := newRegion(p.ValuesBytes())
				in := fill(p, src.round(round), want.pointer(), values.pointer())
				if !slices.Equal(b.orig.bytes(), want.bytes()) || b.in.digest != in.digest {
					t.Fatalf("%v of %d keys, round %d has other keys", mode, n, round)
				}
			}
		}
	}
}
