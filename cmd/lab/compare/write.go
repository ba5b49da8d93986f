package compare

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/result"
)

// columns are the table's heads; those of uniform keys are there where some row
// has them.
func (r Report) columns() []string {
	c := []string{"case", "old", "new", "ratio", "interval", "p", "corrected"}
	if r.hasUniform() {
		c = append(c, "old × uniform", "new × uniform")
	}
	return append(c, "verdict")
}

func (r Report) rows() [][]string {
	rows, uniform := make([][]string, len(r.Rows)), r.hasUniform()
	for i, row := range r.Rows {
		c := row.cells()
		if last := len(c) - 1; uniform {
			c = append(c[:last:last], times(row.OldTimes), times(row.NewTimes), c[last])
		}
		rows[i] = c
	}
	return rows
}

func (r Row) cells() []string {
	if r.Verdict == Broken {
		return []string{r.Case, result.Duration(r.Old), "–", "–", "–", "–", "–", string(Broken) + ": " + strings.ReplaceAll(r.Reason, "\n", " ")}
	}
	return []string{
		r.Case, result.Duration(r.Old), result.Duration(r.New), fmt.Sprintf("%.3f", r.Ratio),
		fmt.Sprintf("%.3f … %.3f", r.Lo, r.Hi), fmt.Sprintf("%.3g", r.P), fmt.Sprintf("%.3g", r.Q), string(r.Verdict),
	}
}

// Table returns the report's table, its head first.
func (r Report) Table() [][]string { return append([][]string{r.columns()}, r.rows()...) }

// WriteMarkdown writes the report as a table and a list.
func WriteMarkdown(w io.Writer, r Report) error {
	var b strings.Builder
	columns := r.columns()
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, c := range r.rows() {
		for i := range c {
			c[i] = strings.ReplaceAll(c[i], "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(c, " | "))
	}
	b.WriteString("\n")
	for _, s := range r.Summary() {
		fmt.Fprintf(&b, "- %s\n", s)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteJSON writes the report as one JSON object.
func WriteJSON(w io.Writer, r Report) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// criteria say what the verdicts of this report rest on, and what the load was.
func (r Report) criteria() (out []string) {
	runs, lo, hi, cells := 0, math.Inf(1), math.Inf(-1), 0
	doubts := map[string]int{}
	for _, row := range r.Rows {
		if row.Verdict == Broken {
			continue
		}
		cells++
		runs = max(runs, row.Runs)
		if row.Load >= 0 {
			lo, hi = min(lo, row.Load), max(hi, row.Load)
		}
		if row.Reason != "" {
			doubts[row.Reason]++
		}
	}
	if cells == 0 {
		return nil
	}
	out = append(out, fmt.Sprintf("SAME: the whole interval is within ±%g %%. FAST, SLOW: p < %g, corrected for %d cells (Benjamini–Hochberg), medians more than %g %% apart, 1 outside the interval. AMBIGUOUS: too noisy to say",
		100*r.Margin, Alpha, cells, 100*r.Margin))
	if runs > 1 {
		out = append(out, fmt.Sprintf("up to %d runs on each side: their medians lie within the interval", runs))
	}
	if hi >= 0 {
		out = append(out, fmt.Sprintf("load: other programs used %.0f to %.0f %% of the processors", 100*lo, 100*hi))
	}
	for _, reason := range slices.Sorted(maps.Keys(doubts)) {
		out = append(out, fmt.Sprintf("%d AMBIGUOUS: %s", doubts[reason], reason))
	}
	return out
}

// Summary returns the closing sentences.
func (r Report) Summary() []string {
	n := r.Count()
	out := []string{fmt.Sprintf("%d cells matched: %d SAME, %d FAST, %d SLOW, %d AMBIGUOUS, %d BROKEN",
		len(r.Rows), n[Same], n[Fast], n[Slow], n[Ambiguous], n[Broken])}
	out = append(out, r.criteria()...)
	if r.GeoMean > 0 {
		out = append(out, fmt.Sprintf("geometric mean of new over old: %.4f", r.GeoMean))
	}
	if c := r.cliffs(); c != "" {
		out = append(out, c)
	}
	for _, x := range []struct {
		where string
		list  []string
	}{{"old", r.OnlyOld}, {"new", r.OnlyNew}} {
		if len(x.list) > 0 {
			shown := x.list[:min(3, len(x.list))]
			out = append(out, fmt.Sprintf("%d cells only in the %s results, such as %s", len(x.list), x.where, strings.Join(shown, ", ")))
		}
	}
	for _, note := range r.Notes {
		out = append(out, "note: "+note)
	}
	return out
}
