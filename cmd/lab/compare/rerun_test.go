package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
)

// machine makes runs of many cells as machines give them: the cells take turns;
// every sample has noise of its own; other work comes and goes and slows whatever
// cell it meets; and each run has a speed of its own, by clocks, heat and how memory
// was laid out.
type machine struct {
	rng    *rand.Rand
	noise  float64 // of a sample, as a share
	level  float64 // of a run's own speed
	busy   float64 // the share of the time in which other work runs
	slowed float64 // how many times as long a sample then takes, at least
}

const simCells, simSamples = 60, 25

// run is one run; slow is how many times as long its last quarter of cells takes.
func (m *machine) run(slow float64) []result.Record {
	own := math.Exp(m.level * m.rng.NormFloat64())
	// How much of a run meets other work differs from run to run.
	busy := m.busy * (0.4 + 1.2*m.rng.Float64())
	used, working := 2*m.busy, m.rng.Float64() < busy
	out := make([]result.Record, simCells)
	for round := range simSamples {
		for i := range out {
			// Other work lasts for some 40 turns.
			if m.rng.Float64() < 1.0/40 {
				working = m.rng.Float64() < busy
			}
			ns := 1e6 * float64(1+i) * own * math.Exp(m.noise*m.rng.NormFloat64())
			if i >= simCells*3/4 {
				ns *= slow
			}
			if working {
				ns *= m.slowed + m.rng.ExpFloat64()/2
			}
			r := &out[i]
			if round == 0 {
				r.Cell = result.Cell{Algo: "a", Backend: "cpu", DeviceID: "cpu", KeyType: "u32", Mode: "keys", Dist: "uniform", Items: uint64(1000 + i)}
				r.Status, r.Others, r.Env.Procs = result.OK, &used, 2
			}
			r.WallNS = append(r.WallNS, int64(ns))
		}
	}
	for i := range out {
		out[i].Finish()
	}
	return out
}

// reruns compares sets of the given number of runs, in turns, many times over, and
// returns the shares of each verdict among the cells that are alike and among those
// that are slow times as long.
func (m *machine) reruns(t *testing.T, times, runs int, slow float64) (alike, slower map[Verdict]float64) {
	t.Helper()
	alike, slower = map[Verdict]float64{}, map[Verdict]float64{}
	for range times {
		var old, new []result.Record
		for range runs {
			old = append(old, m.run(1)...)
			new = append(new, m.run(slow)...)
		}
		rep := Compare(old, new, 0.02)
		if len(rep.Rows) != simCells {
			t.Fatalf("%d rows", len(rep.Rows))
		}
		for i, row := range rep.Rows {
			if i < simCells*3/4 {
				alike[row.Verdict] += 1 / float64(times*simCells*3/4)
			} else {
				slower[row.Verdict] += 1 / float64(times*simCells/4)
			}
		}
	}
	return alike, slower
}

// TestEqualReruns: of cells that nothing changed, at most 5 % are called SLOW, and
// at most 5 % FAST, on a quiet machine and on a busy one; what is slower is found
// where that can be told.
func TestEqualReruns(t *testing.T) {
	times := 40
	if testing.Short() {
		times = 10
	}
	for _, c := range []struct {
		name  string
		m     machine
		runs  int
		slow  float64
		found float64 // the least share of the slower cells that is SLOW
	}{
		{"quiet", machine{noise: 0.01, level: 0.004}, 1, 1.1, 0.99},
		{"quiet, much noise", machine{noise: 0.15, level: 0.004}, 1, 1.5, 0.95},
		{"busy", machine{noise: 0.03, level: 0.02, busy: 0.3, slowed: 1.3}, 1, 1.5, 0},
		{"busy, four runs of each", machine{noise: 0.03, level: 0.02, busy: 0.3, slowed: 1.3}, 4, 1.5, 0.5},
		{"very busy", machine{noise: 0.05, level: 0.04, busy: 0.6, slowed: 2}, 1, 1.5, 0},
		{"very busy, six runs of each", machine{noise: 0.05, level: 0.04, busy: 0.6, slowed: 2}, 6, 3, 0.3},
	} {
		c.m.rng = rand.New(rand.NewPCG(43, uint64(len(c.name))))
		alike, slower := c.m.reruns(t, times, c.runs, c.slow)
		t.Logf("%s: alike %v; %g times as slow %v", c.name, alike, c.slow, slower)
		if alike[Slow] > 0.05 || alike[Fast] > 0.05 {
			t.Errorf("%s: of equal cells %.1f %% are SLOW and %.1f %% FAST", c.name, 100*alike[Slow], 100*alike[Fast])
		}
		if slower[Slow] < c.found {
			t.Errorf("%s: of cells %g times as slow %.1f %% are SLOW, want %.0f %%", c.name, c.slow, 100*slower[Slow], 100*c.found)
		}
		equal, _ := c.m.reruns(t, times, c.runs, 1)
		if equal[Slow] > 0.05 || equal[Fast] > 0.05 {
			t.Errorf("%s, nothing slower: %v", c.name, equal)
		}
	}
}

// TestBusyMachine: what one run of each would call SLOW is AMBIGUOUS, with the load
// as its reason, and not where the sorts ran on a card.
func TestBusyMachine(t *testing.T) {
	used := 0.5
	host := func(factor float64, seed uint64) result.Record {
		r := run("a", "cpu", 1e6, factor, 0.01, seed)
		r.Backend, r.DeviceNS, r.WallNS, r.Others, r.Env.Procs = "cpu", nil, r.DeviceNS, &used, 2
		r.Finish()
		return r
	}
	row := one(t, host(1, 1), host(1.5, 2))
	if row.Verdict != Ambiguous || row.Reason == "" || row.Load != 0.25 {
		t.Errorf("%+v", row)
	}
	card := run("a", "cuda:0", 1e6, 1.5, 0.01, 2)
	card.Others, card.Env.Procs = &used, 2
	if row := one(t, run("a", "cuda:0", 1e6, 1, 0.01, 1), card); row.Verdict != Slow {
		t.Errorf("on a card: %+v", row)
	}
	var old, new []result.Record
	for i := range uint64(enoughRuns) {
		old, new = append(old, host(1, 10+i)), append(new, host(1.5, 20+i))
	}
	if rep := Compare(old, new, 0.02); rep.Rows[0].Verdict != Slow || rep.Rows[0].Runs != enoughRuns {
		t.Errorf("with runs enough: %+v", rep.Rows[0])
	}
	// One run of the new side that is as fast as the old ones: it can be chance.
	new[2] = host(0.99, 30)
	if rep := Compare(old, new, 0.02); rep.Rows[0].Verdict != Ambiguous {
		t.Errorf("runs that overlap: %+v", rep.Rows[0])
	}
}

// TestSameNeedsTheInterval: no significant difference is not sameness.
func TestSameNeedsTheInterval(t *testing.T) {
	if row := one(t, run("a", "cuda:0", 1e6, 1, 0.2, 1), run("a", "cuda:0", 1e6, 1, 0.2, 8)); row.Verdict != Ambiguous || row.P < Alpha {
		t.Errorf("%+v", row)
	}
}

// TestCorrected: a p-value that is small alone is not among many.
func TestCorrected(t *testing.T) {
	rows := []Row{{P: 0.01}, {P: 0.5}, {P: 0.04}, {P: 0.03}, {Verdict: Broken, P: 1, Q: 1}}
	correct(rows)
	for i, want := range []float64{0.04, 0.5, 0.16 / 3, 0.16 / 3, 1} {
		if math.Abs(rows[i].Q-want) > 1e-12 {
			t.Errorf("row %d: %g, want %g", i, rows[i].Q, want)
		}
	}
}
