package grid

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/compare"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// Verdict is the page in one sentence.
func (p Page) Verdict() string {
	all := p.Parts[0]
	return fmt.Sprintf("%s matched, %s, geometric mean %.3f, worst %.3f", some(all.Matched, "cell"), some(all.Losses, "loss"), all.GeoMean, all.Worst.Ratio)
}

func (p Page) head(s *sheet) {
	title := p.title
	if title == "" {
		title = p.Of + " against " + list(p.Against)
	}
	s.head(1, title)
	s.para("%s. %s.", strings.Join(append(p.machines(), p.days()), ", "), p.Verdict())
	what := "Times are kernel times, from a device event before the sort to one behind it with all data in device memory"
	for _, r := range p.used {
		if r.Backend == "cpu" {
			what += "; those of host sorts are wall times"
			break
		}
	}
	s.para("%s. They are medians. The sorters of a cell took turns on one input in one run, and every output was verified. "+
		"A ratio is the time of %s over that of %s: above 1 %s is faster. Its 95 %% interval is that of the medians' intervals at their worst.",
		what, p.rival(), p.Of, p.Of)
	for _, c := range p.Cells {
		if c.PeerMode != "" {
			s.para("The peers of an argsort are also %s of the same widths in the same file, whose index was made beforehand: they did not take turns with the argsort.", c.PeerMode)
			break
		}
	}
}

// some writes a number of things.
func some(n int, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "s"):
		thing += "es"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// rival names the peer that counts.
func (p Page) rival() string {
	if len(p.Against) == 1 {
		return p.Against[0]
	}
	return "the fastest of " + list(p.Against)
}

func (p Page) losses(s *sheet) {
	s.head(2, "Losses")
	all := p.Parts[0]
	near := 0
	for _, c := range p.Cells {
		if c.Peer != "" && !c.Loss() && c.Lo < 1 {
			near++
		}
	}
	closing := ""
	if near > 0 {
		closing = fmt.Sprintf(" In %d more the interval reaches below 1.", near)
	}
	if len(p.Losses) == 0 {
		s.para("None: %s is slower than %s in none of the %d matched cells.%s", p.Of, p.rival(), all.Matched, closing)
		return
	}
	s.para("%s is slower than %s in %d of %d matched cells, worst first.%s SLOW is a significant difference: Mann–Whitney p < %g, intervals apart, medians more than %g %% apart. SAME and AMBIGUOUS do not tell the two apart; of SAME the whole interval is within that margin.",
		p.Of, p.rival(), all.Losses, all.Matched, closing, compare.Alpha, 100*Tolerance)
	rows := [][]string{{"form", "input", "n", "peer", "verdict", p.Of, "peer's time", "ratio", "95 % interval"}}
	for _, c := range p.Losses {
		rows = append(rows, []string{c.Form, c.Input, number(c.Items), c.Peer, string(c.Verdict), duration(c.NS),
			duration(c.PeerNS), fmt.Sprintf("%.3f", c.Ratio), fmt.Sprintf("%.3f … %.3f", c.Lo, c.Hi)})
	}
	rows, align := withChoice(rows, "lllllr", 3, func(i int) string { return p.Losses[i].Chosen })
	s.table(align, rows)
}

// withChoice inserts a column of chosen algorithms, aligned left, if any is
// known.
func withChoice(rows [][]string, align string, at int, of func(i int) string) ([][]string, string) {
	known := false
	for i := range rows[1:] {
		known = known || of(i) != ""
	}
	if !known {
		return rows, align
	}
	for i, row := range rows {
		cell := "chosen"
		if i > 0 {
			cell = of(i - 1)
		}
		rows[i] = slices.Insert(row, at, cell)
	}
	return rows, align[:at] + "l" + align[at:]
}

func (p Page) whole(s *sheet) {
	s.head(2, "The grid")
	rows := [][]string{{"part", "cells", "losses", "geometric mean", "worst", "at", "best", "at"}}
	for _, x := range p.Parts {
		at := func(c Cell) string {
			if strings.HasPrefix(x.Part, c.Form) {
				return c.Input + ", " + number(c.Items)
			}
			return c.Form + ", " + c.Input + ", " + number(c.Items)
		}
		rows = append(rows, []string{x.Part, fmt.Sprint(x.Matched), fmt.Sprint(x.Losses), fmt.Sprintf("%.3f", x.GeoMean),
			fmt.Sprintf("%.3f", x.Worst.Ratio), at(x.Worst), fmt.Sprintf("%.3f", x.Best.Ratio), at(x.Best)})
	}
	s.table("lrrrrlrl", rows)
	p.ratios(s)
}

// notCounted lists what has no ratio, and what was left out.
func (p Page) notCounted(s *sheet) {
	count := func(rs []result.Reason, st result.Status) (n int) {
		for _, r := range rs {
			if r.Status == st {
				n += len(r.Cells)
			}
		}
		return n
	}
	s.para("Of %s of %s, %d matched, %d failed, %d unsupported, %d without a peer.", some(len(p.Cells), "cell"), p.Of,
		p.Parts[0].Matched, count(p.Reasons, result.Failed), count(p.Reasons, result.Unsupported), count(p.Unmatched, "unmatched"))
	for _, r := range p.Reasons {
		s.item("%s", r)
	}
	for _, r := range p.Unmatched {
		s.item("%s", r)
	}
	for _, r := range p.PeerReasons {
		s.item("peer %s", r)
	}
	if len(p.Alone) > 0 {
		s.item("not measured: %s of peers without %s beside it, such as %s", some(len(p.Alone), "cell"), p.Of, p.Alone[0])
	}
	if p.Few > 0 {
		s.item("few samples: %s on fewer than six samples of a sort, whose interval is then the whole range", some(p.Few, "ratio"))
	}
	if p.Behind > 0 {
		s.item("host behind: %s with samples that the device began before the host had queued the whole sort", some(p.Behind, "ratio"))
	}
	if p.Replaced > 0 {
		failed := ""
		if p.ReplacedFailed > 0 {
			failed = fmt.Sprintf(" (%d of the earlier ones had failed)", p.ReplacedFailed)
		}
		s.item("measured again: %s gave way to another of the same cell, of later code, with more peers beside it or later%s", some(p.Replaced, "record"), failed)
	}
	if p.OwnLayout > 0 {
		s.item("left out: %s with threads or blocks of its own", some(p.OwnLayout, "record"))
	}
}
