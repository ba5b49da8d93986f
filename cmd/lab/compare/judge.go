package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

const (
	// busyShare of a machine's processors, used by other programs, is too much for
	// one run on each side: its samples do not show how the next run would differ.
	busyShare = 0.05
	// enoughRuns on each side can be judged on a busy machine. If nothing changed
	// and the runs took turns, all of one side are slower than all of the other by
	// chance once in 70 times.
	enoughRuns = 4
	// unknown is a load that no record tells.
	unknown = -1
)

// Judge compares two OK records that took turns in one run, a as the old one: other
// work met both alike. The p-value is not corrected for other cells.
func Judge(a, b result.Record, margin float64) Row {
	r := newRow(runs{a}, runs{b})
	r.Q, r.Load = r.P, unknown
	r.settle(margin)
	return r
}

// newRow is what two sets tell of a case; its verdict is open.
func newRow(old, new runs) Row {
	x, y := old.samples(), new.samples()
	s, t := stat.Summarise(x), stat.Summarise(y)
	b := new.last()
	r := Row{
		Case: b.Case, DeviceID: b.DeviceID, Old: s.Median, New: t.Median,
		Ratio: t.Median / s.Median, P: stat.MannWhitney(x, y), Load: max(old.load(), new.load()),
		few: min(s.Confidence, t.Confidence) < stat.Confidence,
	}
	oldLo, oldHi, oldRuns := old.span(s)
	newLo, newHi, newRuns := new.span(t)
	r.Lo, r.Hi, r.Runs = newLo/oldHi, newHi/oldLo, min(oldRuns, newRuns)
	return r
}

// span bounds the median of all samples by its interval and by the medians of the
// single runs, which differ by more than samples of one run tell.
func (r runs) span(all stat.Summary) (lo, hi float64, n int) {
	lo, hi = all.Lo, all.Hi
	for _, x := range r {
		if s := x.Judged(); s != nil {
			lo, hi, n = min(lo, s.Median), max(hi, s.Median), n+1
		}
	}
	return lo, hi, n
}

// load is the greatest share of the processors that other programs used in a run.
// Sorts on a card do not share it.
func (r runs) load() float64 {
	most := float64(unknown)
	for _, x := range r {
		if share, known := x.Busy(); known && x.Backend != "cuda" {
			most = max(most, share)
		}
	}
	return most
}

// correct fills Q by Benjamini and Hochberg's procedure: the least false discovery
// rate at which a row counts as a discovery.
func correct(rows []Row) {
	var tested []*Row
	for i := range rows {
		if rows[i].Verdict != Broken {
			tested = append(tested, &rows[i])
		}
	}
	slices.SortFunc(tested, func(a, b *Row) int { return cmp.Compare(b.P, a.P) })
	q := 1.0
	for i, r := range tested {
		q = min(q, r.P*float64(len(tested))/float64(len(tested)-i))
		r.Q = q
	}
}

// settle gives the verdict.
func (r *Row) settle(margin float64) {
	busy := r.Load > busyShare && r.Runs < enoughRuns
	apart := r.Q < Alpha && math.Abs(r.Ratio-1) > margin && (r.Lo > 1 || r.Hi < 1)
	switch {
	case r.Verdict == Broken:
	case r.few:
		r.Verdict, r.Reason = Ambiguous, "an interval takes at least 6 samples"
	case r.Lo >= 1-margin && r.Hi <= 1+margin:
		r.Verdict = Same
	case apart && busy:
		r.Verdict = Ambiguous
		r.Reason = fmt.Sprintf("other programs used more than %g %% of the processors: it takes %d runs of each, in turns", 100*busyShare, enoughRuns)
	case apart && r.Ratio > 1:
		r.Verdict = Slow
	case apart:
		r.Verdict = Fast
	default:
		r.Verdict = Ambiguous
	}
}
