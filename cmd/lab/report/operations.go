package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// measured are all cells with figures: sorts, other operations and files.
func (d *data) measured() []cell { return slices.Concat(d.ok, d.ops, d.files) }

// opKind is what a figure of operations holds constant.
type opKind struct{ op, keys, dist string }

// opKindOf names a cell's operation: half of the keys varies with their number.
func opKindOf(c result.Cell) opKind {
	s := ops.Spec{Op: c.Op, Segments: c.Segments, K: c.K, StringLen: c.StringLen}.Words()
	if c.Op == "select" && c.K == max(1, c.Items/2) {
		s = "select of the middle"
	}
	keys := c.KeyType
	if c.Workers != 0 {
		s += fmt.Sprintf(", parallel=%d", c.Workers)
	}
	return opKind{s, keys, c.Dist}
}

func (k opKind) String() string { return k.op + ", " + k.keys + ", " + k.dist }

// operations sets the operations around sorting beside what one writes with Go's slices.
func operations(d *data) section {
	s := section{
		ID: "operations", Title: "Operations",
		Lead:    "What else is done with keys: the k smallest, distinct values, merges. The map is of the processor, and says how many times as fast gpusort is as a Go programmer's slices, map or loop; below 1 it is slower. Brighter is more, on a logarithmic scale. The charts show both, and devices.",
		Missing: "gpusort bench -a 'Op=[topk,select,segmented,unique,count,merge,search,gather,strings]' -a 'Elements[pow2]=[12:18:3]' -d cpu --timeout 1s --json operations.jsonl",
	}
	kinds := distinct(d.ops, func(c cell) opKind { return opKindOf(c.Cell) })
	var rows []ratioRow
	for _, k := range kinds {
		rows = append(rows, ratioRow{k.String(), func(n uint64) (plot.HeatCell, bool) { return d.beside(k, n) }})
	}
	s.Figures = addRatios(s.Figures, "operations-ratio", "gpusort's rate over Go's", sizes(d.ops), rows)
	for _, k := range kinds {
		own := where(d.ops, func(c cell) bool { return opKindOf(c.Cell) == k })
		if !enough(own) {
			continue
		}
		slices.SortStableFunc(own, func(a, b cell) int { return cmp.Compare(a.Items, b.Items) })
		rate := func(c cell) (plot.XY, bool) {
			p := rates(c, c.Judged())
			return p, p.Y > 0
		}
		l := overSize(k.String(), "million items per second", own, rate, bySeries, d.style)
		l.W, l.H = 560, 350
		f := Figure{ID: slug("operation-" + k.String()), KeyType: k.keys}
		if o, err := ops.Find(own[0].Op); err == nil {
			f.Caption = "Go: " + o.Peer + "."
		}
		f.draw(l)
		s.Figures = append(s.Figures, f)
	}
	return s
}

// beside is the field of one operation and size: our rate over Go's.
func (d *data) beside(k opKind, n uint64) (plot.HeatCell, bool) {
	var ours, peer *cell
	for i, c := range d.ops {
		if opKindOf(c.Cell) != k || c.Items != n || c.Input == "same" {
			continue
		}
		switch c.Algo {
		case ops.Ours:
			ours = &d.ops[i]
		case ops.Go:
			peer = &d.ops[i]
		}
	}
	if ours == nil || peer == nil {
		return plot.HeatCell{Text: "–", Tip: k.String() + ", n = " + count(n) + ": not measured by both"}, false
	}
	a, b := ours.Judged(), peer.Judged()
	return timesAsFast(a, b, ours.series, fmt.Sprintf("%s, n = %s\ngpusort %s, Go %s", k, count(n), result.Duration(a.Median), result.Duration(b.Median))), true
}
