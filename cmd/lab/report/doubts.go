package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

// badge says whether all that is shown was right.
func (v *verdict) badge(d *data) {
	failed, unsupported, outputs := 0, 0, 0
	for _, r := range d.Records {
		switch r.Status {
		case result.Failed:
			failed++
		case result.Unsupported:
			unsupported++
		default:
			outputs += max(len(r.DeviceNS), len(r.WallNS))
		}
	}
	measured := len(d.Records) - failed - unsupported
	v.Correct = failed == 0 && measured > 0
	switch {
	case failed > 0:
		v.Badge = fmt.Sprintf("%d of %d cells failed: a wrong output or an error; they count nowhere on this page", failed, failed+measured)
	case measured == 0:
		v.Badge = "No cell was measured"
	default:
		v.Badge = fmt.Sprintf("All %d cells verified: %d measured outputs checked for order and against a hash of the input's keys", measured, outputs)
	}
	if unsupported > 0 {
		v.Badge += fmt.Sprintf("; %d cells are not supported", unsupported)
	}
}

// noisy is the half width of a median's interval, over the median, from which
// on a cell is named as noisy: beyond it the verdicts of compare go ambiguous.
const noisy = 0.05

// learned is the size from which on a processor does not learn an input by heart.
const learned = 1 << 13

// warnings are the reasons to doubt the figures.
func warnings(d *data) (out []string) {
	warn := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	var wide, few, throttled []string
	busy, modified, outliers, all := 0.0, false, 0, 0
	worst := 0.0
	for _, c := range d.measured() {
		s := c.Judged()
		all += s.Samples
		outliers += s.Outliers
		if s.Noise() > noisy {
			wide = append(wide, c.Case)
			worst = max(worst, s.Noise())
		}
		if s.Samples < 6 {
			few = append(few, c.Case)
		}
		for _, clk := range []*result.Clocks{c.Before, c.After} {
			if clk != nil && len(clk.Throttle) > 0 && !slices.Contains(throttled, strings.Join(clk.Throttle, " ")) {
				throttled = append(throttled, strings.Join(clk.Throttle, " "))
			}
		}
		if share, known := c.Busy(); known {
			busy = max(busy, share)
		}
		modified = modified || c.Env.Modified
	}
	if len(wide) > 0 {
		warn("Noise: in %d of %d cells the median is known to no better than ±%.0f %%, at worst ±%.0f %% (such as %s). Measure longer: 'gpusort bench --timeout', --max-samples.", len(wide), len(d.measured()), 100*noisy, 100*worst, wide[0])
	}
	if len(few) > 0 {
		warn("%d cells have fewer than 6 samples, too few for a 95 %% interval; theirs is the whole range (such as %s).", len(few), few[0])
	}
	if all > 0 && float64(outliers) > 0.05*float64(all) {
		warn("%d of %d samples lie far outside the quartiles. They are counted in every figure.", outliers, all)
	}
	if len(throttled) > 0 {
		warn("The device held its clocks back: %s.", strings.Join(throttled, "; "))
	}
	if busy > 0.5 {
		warn("Other work: other programs used %.0f %% of the processors.", 100*busy)
	}
	if modified {
		warn("The program was built from a changed work tree: its commit does not name it fully.")
	}
	if d.Replaced > 0 {
		warn("%d cells stand in the files more than once; the last of each counts.", d.Replaced)
	}
	machines := distinct(d.measured(), func(c cell) string { return c.Env.CPU })
	if len(machines) > 1 {
		warn("The results come from %d kinds of machine (%s): compare across them with care.", len(machines), strings.Join(machines, "; "))
	}
	var small, below []string
	for _, c := range d.measured() {
		if c.Backend == "cpu" && c.Input != run.Fresh && c.Items < learned {
			small = append(small, c.Case)
		}
		if c.Device != nil && c.Wall != nil && c.Wall.Median < c.Device.Median {
			below = append(below, c.Case)
		}
	}
	if len(small) > 0 {
		warn("%d small host cells sorted the same keys in every sample (such as %s). A processor's branch predictor learns them: sorts that branch on keys show several times their speed on new keys. Measure them with Input=fresh.", len(small), small[0])
	}
	if len(below) > 0 {
		warn("In %d of %d cells the time with transfers is below the one without (such as %s): the two are of two sorts, and only the second begins with a flushed cache. 'gpusort run' times one sort by both clocks.", len(below), len(d.measured()), below[0])
	}
	timeouts := 0
	for _, c := range d.measured() {
		if strings.HasPrefix(c.Stop, "timeout") {
			timeouts++
		}
	}
	if timeouts > 0 {
		warn("%d cells ran out of time before their intervals were tight.", timeouts)
	}
	return out
}
