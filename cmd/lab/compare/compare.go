// Package compare judges a new set of results against an old one, cell by
// cell, conservatively: a cell is FAST or SLOW only if the difference is
// significant among all cells, the interval of the ratio excludes equality, and
// the machine was not busy with other work; SAME only if the whole interval lies
// within a margin; the rest is AMBIGUOUS, too noisy to say.
package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// Verdict is the judgement on one cell.
type Verdict string

// The verdicts. Broken is a cell that worked before and does not now.
const (
	Same      Verdict = "SAME"
	Fast      Verdict = "FAST"
	Slow      Verdict = "SLOW"
	Ambiguous Verdict = "AMBIGUOUS"
	Broken    Verdict = "BROKEN"
)

// Alpha is the significance level of the Mann–Whitney tests: among all cells of a
// comparison by Benjamini and Hochberg's correction, so that at most that share of
// the FAST and SLOW cells is expected to be neither.
const Alpha = 0.05

// Row is one matched cell. Ratios are new over old, so above 1 is slower.
type Row struct {
	Case     string  `json:"case"`
	DeviceID string  `json:"device_id"`
	Old      float64 `json:"old_ns"` // medians
	New      float64 `json:"new_ns"`
	Ratio    float64 `json:"ratio"`
	// Lo and Hi bound the ratio: by the medians' intervals at their worst, and with
	// several runs by the runs' medians at their worst.
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
	P  float64 `json:"p"`
	// Q is P corrected for the number of cells.
	Q float64 `json:"q"`
	// Runs is how often the cell was measured in the set that has it less often.
	Runs int `json:"runs"`
	// Load is what other programs used of the machine meanwhile, as a share of its
	// processors, in the busier of the runs; negative: not known, or of no matter.
	Load float64 `json:"load"`
	// OldTimes and NewTimes say how many times as long as uniform keys of the
	// same sort, form and size in the same set the cell takes; 0: not known.
	OldTimes float64 `json:"old_times_uniform,omitempty"`
	NewTimes float64 `json:"new_times_uniform,omitempty"`
	Verdict  Verdict `json:"verdict"`
	few      bool    // samples for an interval
	Reason   string  `json:"reason,omitempty"` // of a BROKEN cell, and of some AMBIGUOUS ones
}

// Report is the comparison of two result sets.
type Report struct {
	Margin float64 `json:"margin"`
	Rows   []Row   `json:"rows"`
	// GeoMean is the geometric mean of the ratios of all cells that have one.
	GeoMean float64  `json:"geomean"`
	OnlyOld []string `json:"only_old,omitempty"`
	OnlyNew []string `json:"only_new,omitempty"`
	// Notes say what makes the two sets hard to compare: other device, driver.
	Notes []string `json:"notes,omitempty"`
}

// Compare matches cells by case, and by device where a set has a case on more
// than one. Ratios within the margin (0.02 is 2 %) of 1 can be SAME. A case that
// stands several times in one set was measured in several runs; the last record
// says whether it works. One that claims success without a time has failed.
func Compare(old, new []result.Record, margin float64) Report {
	rep := Report{Margin: margin}
	byDevice := repeated(old) || repeated(new)
	key := func(r result.Record) string {
		if byDevice {
			return r.Key()
		}
		return r.Case
	}
	o, oldOrder := index(old, key)
	n, newOrder := index(new, key)
	oldUniform, newUniform := uniformOf(oldOrder, o), uniformOf(newOrder, n)
	var ratios []float64
	var matched [][2]result.Record
	for _, k := range oldOrder {
		x := o[k]
		y, ok := n[k]
		if !ok {
			rep.OnlyOld = append(rep.OnlyOld, k)
			continue
		}
		a, b := x.last(), y.last()
		switch {
		case a.Status == result.OK && b.Status == result.OK:
			matched = append(matched, [2]result.Record{a, b})
			r := newRow(x, y)
			r.OldTimes, r.NewTimes = oldUniform.times(a.Cell, r.Old), newUniform.times(b.Cell, r.New)
			ratios = append(ratios, r.Ratio)
			rep.Rows = append(rep.Rows, r)
		case a.Status == result.OK:
			rep.Rows = append(rep.Rows, Row{Case: b.Case, DeviceID: b.DeviceID, Old: x.median(), P: 1, Q: 1, Load: unknown,
				Verdict: Broken, Reason: string(b.Status) + ": " + b.Reason})
		case b.Status == result.OK:
			rep.OnlyNew = append(rep.OnlyNew, k)
		}
	}
	for _, k := range newOrder {
		if _, ok := o[k]; !ok {
			rep.OnlyNew = append(rep.OnlyNew, k)
		}
	}
	correct(rep.Rows)
	for i := range rep.Rows {
		rep.Rows[i].settle(margin)
	}
	rep.GeoMean = stat.GeoMean(ratios)
	rep.Notes = notes(matched)
	return rep
}

// repeated says whether a case stands there on two devices.
func repeated(rs []result.Record) bool {
	on := map[string]string{}
	for _, r := range rs {
		if d, ok := on[r.Case]; ok && d != r.DeviceID {
			return true
		}
		on[r.Case] = r.DeviceID
	}
	return false
}

// runs are a case's records of one set, one for each run, in order.
type runs []result.Record

func (r runs) last() result.Record { return r[len(r)-1] }

func (r runs) median() float64 { return stat.Median(r.samples()) }

// samples are those of all runs that went well.
func (r runs) samples() (all []float64) {
	for _, x := range r {
		all = append(all, x.Main()...)
	}
	return all
}

func index(rs []result.Record, key func(result.Record) string) (map[string]runs, []string) {
	m, order := map[string]runs{}, []string(nil)
	for _, r := range rs {
		k := key(r)
		if _, ok := m[k]; !ok {
			order = append(order, k)
		}
		if r.Sound(); r.Status != result.OK {
			r.DeviceNS, r.WallNS = nil, nil // they count nowhere
		}
		m[k] = append(m[k], r)
	}
	return m, order
}

// notes says what else than the sorts differs between matched cells, each
// difference once. What one of the records does not tell is no difference.
func notes(matched [][2]result.Record) (out []string) {
	for _, f := range []struct {
		name string
		get  func(result.Record) string
	}{
		{"device", func(r result.Record) string { return r.Env.Device }},
		{"driver", func(r result.Record) string { return r.Env.DriverVersion }},
		{"processor", func(r result.Record) string { return r.Env.CPU }},
		{"number of processors", func(r result.Record) string { return told(uint64(r.Env.Procs)) }},
		{"seed of the inputs", func(r result.Record) string { return told(r.Seed) }},
		{"kind of input", func(r result.Record) string { return r.Inputs() }},
		{"kernel variant", func(r result.Record) string { return cmp.Or(r.Env.Variant, "none") }},
	} {
		for _, m := range matched {
			a, b := f.get(m[0]), f.get(m[1])
			if a == "" || b == "" || a == b {
				continue
			}
			if note := fmt.Sprintf("the %s differs: %q before, %q now", f.name, a, b); !slices.Contains(out, note) {
				out = append(out, note)
			}
		}
	}
	return out
}

// told writes a number that 0 leaves open.
func told(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// Regressions returns the rows that a limit (0.05 is 5 %) forbids: SLOW by more
// than it, or BROKEN.
func (r Report) Regressions(limit float64) (out []Row) {
	for _, row := range r.Rows {
		if row.Verdict == Broken || row.Verdict == Slow && row.Ratio > 1+limit {
			out = append(out, row)
		}
	}
	return out
}

// Count returns the number of rows with each verdict.
func (r Report) Count() map[Verdict]int {
	n := map[Verdict]int{}
	for _, row := range r.Rows {
		n[row.Verdict]++
	}
	return n
}
