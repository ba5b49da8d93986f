// Package compare judges a new set of results against an old one, cell by
// cell, conservatively: a cell is FAST or SLOW only if the difference is
// significant and the intervals exclude equality, SAME only if equality within
// the tolerance is what the data show; the rest is AMBIGUOUS.
package compare

import (
	"cmp"
	"fmt"
	"math"
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

// Alpha is the significance level of the Mann–Whitney test.
const Alpha = 0.05

// Row is one matched cell. Ratios are new over old, so above 1 is slower.
type Row struct {
	Case     string  `json:"case"`
	DeviceID string  `json:"device_id"`
	Old      float64 `json:"old_ns"` // medians
	New      float64 `json:"new_ns"`
	Ratio    float64 `json:"ratio"`
	// Lo and Hi bound the ratio by the medians' intervals at their worst.
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
	P  float64 `json:"p"`
	// OldTimes and NewTimes say how many times as long as uniform keys of the
	// same sort, form and size in the same set the cell takes; 0: not known.
	OldTimes float64 `json:"old_times_uniform,omitempty"`
	NewTimes float64 `json:"new_times_uniform,omitempty"`
	Verdict  Verdict `json:"verdict"`
	Reason   string  `json:"reason,omitempty"` // of a BROKEN cell
}

// Report is the comparison of two result sets.
type Report struct {
	Tolerance float64 `json:"tolerance"`
	Rows      []Row   `json:"rows"`
	// GeoMean is the geometric mean of the ratios of all cells that have one.
	GeoMean float64  `json:"geomean"`
	OnlyOld []string `json:"only_old,omitempty"`
	OnlyNew []string `json:"only_new,omitempty"`
	// Notes say what makes the two sets hard to compare: other device, driver.
	Notes []string `json:"notes,omitempty"`
}

// Compare matches cells by case, and by device where a set has a case on more
// than one. Medians that differ by at most tolerance (0.02 is 2 %) can be SAME.
// Of a case that stands several times in one set the last record counts; one
// that claims success without a time has failed.
func Compare(old, new []result.Record, tolerance float64) Report {
	rep := Report{Tolerance: tolerance}
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
		a := o[k]
		b, ok := n[k]
		switch {
		case !ok:
			rep.OnlyOld = append(rep.OnlyOld, k)
		case a.Status == result.OK && b.Status == result.OK:
			matched = append(matched, [2]result.Record{a, b})
			r := Judge(a, b, tolerance)
			r.OldTimes, r.NewTimes = oldUniform.times(a.Cell, r.Old), newUniform.times(b.Cell, r.New)
			ratios = append(ratios, r.Ratio)
			rep.Rows = append(rep.Rows, r)
		case a.Status == result.OK:
			rep.Rows = append(rep.Rows, Row{Case: b.Case, DeviceID: b.DeviceID, Old: a.Judged().Median, P: 1,
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

func index(rs []result.Record, key func(result.Record) string) (map[string]result.Record, []string) {
	m, order := map[string]result.Record{}, []string(nil)
	for _, r := range rs {
		if _, ok := m[key(r)]; !ok {
			order = append(order, key(r))
		}
		r.Sound()
		m[key(r)] = r
	}
	return m, order
}

// Judge compares two OK records with samples, a as the old one. Medians that
// differ by at most tolerance (0.02 is 2 %) can be SAME.
func Judge(a, b result.Record, tolerance float64) Row {
	x, y := a.Main(), b.Main()
	s, t := stat.Summarise(x), stat.Summarise(y)
	r := Row{
		Case: b.Case, DeviceID: b.DeviceID, Old: s.Median, New: t.Median,
		Ratio: t.Median / s.Median, Lo: t.Lo / s.Hi, Hi: t.Hi / s.Lo, P: stat.MannWhitney(x, y),
	}
	off := math.Abs(r.Ratio - 1)
	switch {
	case off <= tolerance && (r.P >= Alpha || r.Lo >= 1-tolerance && r.Hi <= 1+tolerance):
		r.Verdict = Same
	case r.P < Alpha && r.Lo > 1 && off > tolerance:
		r.Verdict = Slow
	case r.P < Alpha && r.Hi < 1 && off > tolerance:
		r.Verdict = Fast
	default:
		r.Verdict = Ambiguous
	}
	return r
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
