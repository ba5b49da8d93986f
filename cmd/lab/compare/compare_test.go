package compare

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
)

// run makes a record with 15 samples around median·factor, ±noise.
func run(algo, dev string, median, factor, noise float64, seed uint64) result.Record {
	rng := rand.New(rand.NewPCG(seed, 1))
	r := result.Record{Cell: result.Cell{Algo: algo, Backend: "cuda", DeviceID: dev, KeyType: "u32", Mode: "keys", Dist: "uniform", Items: 1024}, Status: result.OK}
	for range 15 {
		r.DeviceNS = append(r.DeviceNS, int64(median*factor*(1+noise*(2*rng.Float64()-1))))
		r.WallNS = append(r.WallNS, 1e9)
	}
	r.Finish()
	return r
}

func one(t *testing.T, a, b result.Record) Row {
	t.Helper()
	rep := Compare([]result.Record{a}, []result.Record{b}, 0.02)
	if len(rep.Rows) != 1 {
		t.Fatalf("%d rows", len(rep.Rows))
	}
	return rep.Rows[0]
}

func TestVerdicts(t *testing.T) {
	base := run("a", "cuda:0", 1e6, 1, 0.01, 1)
	for _, c := range []struct {
		name string
		new  result.Record
		want Verdict
	}{
		{"itself", base, Same},
		{"another equal run", run("a", "cuda:0", 1e6, 1, 0.01, 2), Same},
		{"10 % slower", run("a", "cuda:0", 1e6, 1.1, 0.01, 3), Slow},
		{"10 % faster", run("a", "cuda:0", 1e6, 0.9, 0.01, 4), Fast},
		{"6 % slower in the noise", run("a", "cuda:0", 1e6, 1.06, 0.4, 5), Ambiguous},
	} {
		if got := one(t, base, c.new); got.Verdict != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

func TestTooFewSamplesAreNeverSlow(t *testing.T) {
	a := run("a", "cuda:0", 1e6, 1, 0.001, 1)
	for _, factor := range []float64{1, 2} { // nor SAME
		for _, n := range []int{1, 2, 5} {
			a, b := a, run("a", "cuda:0", 1e6, factor, 0.001, 1)
			a.DeviceNS, b.DeviceNS = a.DeviceNS[:n], b.DeviceNS[:n]
			if got := one(t, a, b); got.Verdict != Ambiguous {
				t.Errorf("%d samples: %+v", n, got)
			}
		}
	}
}

func TestMatching(t *testing.T) {
	bad := run("c", "cuda:0", 1, 1, 0, 1)
	bad.Status, bad.Reason, bad.Device = result.Failed, "position 3 is out of order", nil
	old := []result.Record{run("a", "cuda:0", 1e6, 1, 0.01, 1), run("b", "cuda:0", 1e6, 1, 0.01, 1), run("c", "cuda:0", 1e6, 1, 0.01, 1)}
	new := []result.Record{run("d", "cuda:0", 1e6, 1, 0.01, 1), run("a", "cuda:0", 1e6, 1.2, 0.01, 2), bad}
	rep := Compare(old, new, 0.02)
	if len(rep.Rows) != 2 || len(rep.OnlyOld) != 1 || len(rep.OnlyNew) != 1 || rep.Rows[1].Verdict != Broken {
		t.Fatalf("%+v", rep)
	}
	if math.Abs(rep.GeoMean-rep.Rows[0].Ratio) > 1e-12 {
		t.Errorf("geometric mean %v of one ratio %v", rep.GeoMean, rep.Rows[0].Ratio)
	}
	if got := rep.Regressions(0.05); len(got) != 2 {
		t.Errorf("regressions over 5 %%: %+v", got)
	}
	if got := rep.Regressions(0.3); len(got) != 1 || got[0].Verdict != Broken {
		t.Errorf("regressions over 30 %%: %+v", got)
	}
}

func TestTwoDevicesAreKeptApart(t *testing.T) {
	old := []result.Record{run("a", "cuda:0", 1e6, 1, 0.01, 1), run("a", "cuda:1", 2e6, 1, 0.01, 1)}
	new := []result.Record{run("a", "cuda:1", 2e6, 1, 0.01, 2), run("a", "cuda:0", 1e6, 1, 0.01, 2)}
	for _, r := range Compare(old, new, 0.02).Rows {
		if r.Verdict != Same {
			t.Errorf("%+v", r)
		}
	}
}

func TestWriters(t *testing.T) {
	a, b := run("a", "cuda:0", 1e6, 1, 0.01, 1), run("a", "cuda:0", 1e6, 1.1, 0.01, 2)
	a.Env.Device, b.Env.Device = "a card", "another card"
	rep := Compare([]result.Record{a}, []result.Record{b}, 0.02)
	var text, md, js bytes.Buffer
	for _, err := range []error{writeText(&text, rep), WriteMarkdown(&md, rep), WriteJSON(&js, rep)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range []string{text.String(), md.String()} {
		for _, want := range []string{"SLOW", "a/cuda/u32/keys/uniform/n=2^10", "1.1", "another card", "geometric mean"} {
			if !strings.Contains(s, want) {
				t.Errorf("no %q in\n%s", want, s)
			}
		}
	}
	var back Report
	if err := json.Unmarshal(js.Bytes(), &back); err != nil || len(back.Rows) != 1 || back.Rows[0].Verdict != Slow {
		t.Errorf("%v: %s", err, js.String())
	}
}

// TestRecordsWithoutTimes: a record that claims success and has no time is a
// failure, and not what a ratio is made of.
func TestRecordsWithoutTimes(t *testing.T) {
	good, none, zero := run("a", "cuda:0", 1e6, 1, 0.01, 1), run("a", "cuda:0", 1e6, 1, 0.01, 1), run("a", "cuda:0", 0, 1, 0, 1)
	none.DeviceNS, none.WallNS = nil, nil
	for name, bad := range map[string]result.Record{"no samples": none, "a time of zero": zero} {
		if got := one(t, good, bad); got.Verdict != Broken || !strings.Contains(got.Reason, name) {
			t.Errorf("%s now: %+v", name, got)
		}
		for _, other := range []result.Record{bad, {Cell: good.Cell, Status: result.Failed}} {
			rep := Compare([]result.Record{bad}, []result.Record{other}, 0.02)
			if len(rep.Rows) != 0 {
				t.Errorf("%s before: %+v", name, rep.Rows)
			}
			if err := WriteJSON(&bytes.Buffer{}, rep); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestNotesAreOfMatchedCells: what only one side measured is no difference, nor
// is what a record does not tell.
func TestNotesAreOfMatchedCells(t *testing.T) {
	a, b := run("a", "cuda:0", 1e6, 1, 0.01, 1), run("a", "cuda:0", 1e6, 1, 0.01, 2)
	host := run("b", "cpu", 1e6, 1, 0.01, 3)
	a.Env.Device, b.Env.Device, host.Env.CPU = "H200", "H200", "another"
	a.Env.CPU = "one"
	if rep := Compare([]result.Record{a}, []result.Record{b, host}, 0.02); len(rep.Notes) != 0 {
		t.Errorf("%q", rep.Notes)
	}
	b.Env.Device, b.Env.Procs, a.Env.Procs, a.Seed, b.Seed = "V100", 2, 64, 1, 7
	want := []string{
		`the device differs: "H200" before, "V100" now`,
		`the number of processors differs: "64" before, "2" now`,
		`the seed of the inputs differs: "1" before, "7" now`,
	}
	if rep := Compare([]result.Record{a}, []result.Record{b}, 0.02); !slices.Equal(rep.Notes, want) {
		t.Errorf("%q", rep.Notes)
	}
}

// TestTimesUniform: every cell is set beside uniform keys of its own set, sort,
// form and size, and of no other.
func TestTimesUniform(t *testing.T) {
	cell := func(dist string, items uint64, median float64) result.Record {
		r := run("a", "cuda:0", median, 1, 0, 1)
		r.Dist, r.Items = dist, items
		r.Finish()
		return r
	}
	old := []result.Record{cell("uniform", 1024, 100), cell("zipf", 1024, 200), cell("sorted", 1024, 50), cell("zipf", 4096, 900)}
	new := []result.Record{cell("uniform", 1024, 80), cell("zipf", 1024, 120), cell("sorted", 1024, 50), cell("zipf", 4096, 900)}
	rep := Compare(old, new, 0.02)
	want := [][2]float64{{0, 0}, {2, 1.5}, {0.5, 0.625}, {0, 0}}
	for i, row := range rep.Rows {
		if row.OldTimes != want[i][0] || row.NewTimes != want[i][1] {
			t.Errorf("%s: %g and %g times uniform keys, want %g", row.Case, row.OldTimes, row.NewTimes, want[i])
		}
	}
	var text, md bytes.Buffer
	if err := errors.Join(writeText(&text, rep), WriteMarkdown(&md, rep)); err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{text.String(), md.String()} {
		for _, want := range []string{"old × uniform", "2.00", "1.50", "of 2 cells of other keys 1 took more than 1.6 times as long as uniform ones, and 0 do now"} {
			if !strings.Contains(s, want) {
				t.Errorf("no %q in\n%s", want, s)
			}
		}
	}
	text.Reset()
	if err := writeText(&text, Compare(old[1:], new[1:], 0.02)); err != nil || strings.Contains(text.String(), "uniform") {
		t.Errorf("without uniform keys: %v\n%s", err, text.String())
	}
}

// writeText writes what the command shows.
func writeText(w io.Writer, r Report) error {
	for _, row := range r.Table() {
		fmt.Fprintln(w, strings.Join(row, "  "))
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(r.Summary(), "\n"))
	return err
}
