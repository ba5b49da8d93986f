package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/occupancy"
	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// inputs is distribution by algorithm.
func inputs(d *data) section {
	s := section{
		ID: "inputs", Title: "Kinds of input",
		Lead:    "Million items per second by distribution and algorithm; brighter is faster, on a logarithmic scale. A colour means the same rate in all maps of this section. Device sorts by kernel time.",
		Missing: "gpusort bench -a 'Algo=[cpu,merge-path,radix-4way]' -a 'Dist=[uniform,sorted,reverse,almost-sorted,zipf,few-distinct,constant]' -a 'Elements[pow2]=18' -d all --timeout 1s --json inputs.jsonl",
	}
	var maps []plot.Heat
	order, groups := group(d.ok, func(k kind) kind { k.Dist = ""; return k })
	for _, k := range order {
		cells := best(groups[k], func(c cell) string { return c.Dist })
		dists := distinct(cells, func(c cell) string { return c.Dist })
		if len(dists) < 2 {
			continue
		}
		h := plot.Heat{
			Title: k.String(), Unit: "Melem/s", Rows: dists,
			Cols: distinct(cells, func(c cell) string { return c.series }),
		}
		for _, row := range dists {
			var line []plot.HeatCell
			for _, col := range h.Cols {
				hc := plot.HeatCell{Text: "–", Series: col, Tip: col + ", " + row + ": not measured"}
				for _, c := range cells {
					if c.Dist == row && c.series == col {
						hc = heatCell(c)
					}
				}
				if st := d.other(k, row, col); hc.Value == 0 && st != nil {
					hc.Text, hc.Bad, hc.Tip = string(st.Status), st.Status == result.Failed, st.Reason
				}
				line = append(line, hc)
			}
			h.Cells = append(h.Cells, line)
		}
		s.Figures = append(s.Figures, k.figure("inputs", ""))
		maps = append(maps, h)
	}
	for i, h := range maps {
		h.Span, h.Colours = plot.SpanOf(maps...), "the same colours in all maps of this section"
		s.Figures[i].draw(h)
	}
	return s
}

// other finds the record of a cell without figures.
func (d *data) other(k kind, dist, series string) *result.Record {
	k.Dist = dist
	for i, r := range d.Records {
		if r.Status != result.OK && kindOf(r.Cell) == k && d.seriesOf(r.Cell, r.Env) == series {
			return &d.Records[i]
		}
	}
	return nil
}

func heatCell(c cell) plot.HeatCell {
	p := rates(c, c.Judged())
	return plot.HeatCell{Value: p.Y, Text: plot.Short(p.Y), Tip: p.Tip, Series: c.series}
}

// ratioRow is a row of a map of ratios: its field at a number of items, and whether that is known.
type ratioRow struct {
	name string
	at   func(n uint64) (plot.HeatCell, bool)
}

// addRatios appends a map of how many times as fast one is as another, unless nothing of it is known.
func addRatios(out []Figure, id, title string, sizes []uint64, rows []ratioRow) []Figure {
	h := plot.Heat{Title: title, Unit: "times", ColLabel: "number of items"}
	for _, n := range sizes {
		h.Cols = append(h.Cols, count(n))
	}
	known := false
	for _, r := range rows {
		var line []plot.HeatCell
		for _, n := range sizes {
			c, ok := r.at(n)
			line, known = append(line, c), known || ok
		}
		h.Rows, h.Cells = append(h.Rows, r.name), append(h.Cells, line)
	}
	if !known {
		return out
	}
	f := Figure{ID: id, Wide: true}
	f.draw(h)
	return append(out, f)
}

// timesAsFast is the field of a series that took a beside what took b; ≈ marks what is not told apart.
func timesAsFast(a, b *stat.Summary, series, tip string) plot.HeatCell {
	text := ratio(b.Median/a.Median) + "×"
	if overlap(a, b) {
		text = "≈ " + text
	}
	return plot.HeatCell{Value: b.Median / a.Median, Text: text, Series: series, Tip: tip}
}

// sizes are the cells' numbers of items, in rising order.
func sizes(cells []cell) []uint64 {
	return slices.Sorted(slices.Values(distinct(cells, func(c cell) uint64 { return c.Items })))
}

// geometry is blocks by threads, with the occupancy where a profile tells it.
func geometry(d *data) section {
	s := section{
		ID: "geometry", Title: "Blocks and threads",
		Lead: "Million items per second by launch geometry; brighter is faster. Each map has a scale of its own, written below it: a colour means another rate in the next map. The smaller figure is the theoretical occupancy of the sort's longest kernel; without a profile, of the kernel that must move most bytes.",
		Missing: "gpusort bench -a Algo=radix-4way -a 'Threads=[0,128,256,512]' -a 'Blocks=[0,2,8,32,128]' -d devices --timeout 1s --json geometry.jsonl\n" +
			"gpusort profile -a Algo=radix-4way -a 'Threads=[0,128,256,512]' -a 'Blocks=[0,2,8,32,128]' -d devices --json > occupancy.json",
		Then: "The second makes the occupancy, which CUDA tells and OpenCL does not.",
	}
	type key struct {
		kind
		series string
	}
	var order []key
	groups := map[key][]cell{}
	for _, c := range d.ok {
		k := key{kindOf(c.Cell), c.series}
		if _, ok := groups[k]; !ok {
			order = append(order, k)
		}
		groups[k] = append(groups[k], c)
	}
	told := false
	sizes := map[string]uint64{}
	for _, k := range order {
		cells := groups[k]
		blocks := distinct(cells, func(c cell) uint32 { return c.Blocks })
		threads := distinct(cells, func(c cell) uint32 { return c.Threads })
		if len(blocks)*len(threads) < 2 {
			continue
		}
		slices.Sort(blocks)
		slices.Sort(threads)
		// The policy's own geometry alone in its row and column is a caption.
		caption := ""
		if own := slices.IndexFunc(cells, func(c cell) bool { return c.Blocks == 0 && c.Threads == 0 }); own >= 0 && len(blocks)*len(threads) > 1 &&
			!slices.ContainsFunc(cells, func(c cell) bool { return (c.Blocks == 0) != (c.Threads == 0) }) {
			blocks, threads = blocks[1:], threads[1:]
			caption = "With its own choice of geometry: " + plot.Short(heatCell(cells[own]).Value) + " Melem/s."
		}
		h := plot.Heat{Title: k.series + ", " + k.kind.String(), Unit: "Melem/s", RowLabel: "blocks", ColLabel: "threads per block", Colours: "colours of this map alone"}
		for _, t := range threads {
			h.Cols = append(h.Cols, ownOr(t))
		}
		for _, b := range blocks {
			h.Rows = append(h.Rows, ownOr(b))
			var line []plot.HeatCell
			for _, t := range threads {
				hc := plot.HeatCell{Text: "–", Series: k.series, Tip: "not measured, or not supported"}
				for _, c := range cells {
					if c.Blocks == b && c.Threads == t {
						hc = heatCell(c)
						if o := d.occupancy(c.Key()); o != nil {
							told = true
							hc.Sub = fmt.Sprintf("%.0f %% occ.", 100*o.Share)
							hc.Tip += "\noccupancy limited by " + o.Limiter
						}
					}
				}
				line = append(line, hc)
			}
			h.Cells = append(h.Cells, line)
		}
		f := k.figure("geometry", k.series)
		sizes[f.ID] = k.Items
		f.Caption = caption
		f.draw(h)
		s.Figures = append(s.Figures, f)
	}
	// What is folded away are the small sizes.
	slices.SortStableFunc(s.Figures, func(a, b Figure) int { return cmp.Compare(sizes[b.ID], sizes[a.ID]) })
	if len(s.Figures) > 0 && !told {
		s.Note = "OpenCL does not tell a kernel's registers, so that there is no occupancy here."
		if !slices.ContainsFunc(d.ok, func(c cell) bool { return c.Backend == "cuda" && c.Threads != 0 }) {
			return s
		}
		s.Note = "Occupancy is not in these results: run gpusort profile with the same axes and --json > profile.json, and name that file too."
	}
	return s
}

func ownOr(v uint32) string {
	if v == 0 {
		return "own choice"
	}
	return fmt.Sprint(v)
}

// occupancy is that of the longest step of a cell's profile, or without one that
// of the kernel that must move most bytes.
func (d *data) occupancy(key string) *occupancy.Result {
	for _, p := range d.Profiles {
		if p.Case+"@"+p.Cell.DeviceID != key {
			continue
		}
		var o *occupancy.Result
		longest := int64(-1)
		for _, st := range p.Steps {
			if st.Occupancy != nil && st.NS > longest {
				o, longest = st.Occupancy, st.NS
			}
		}
		return o
	}
	for _, c := range d.ok {
		if o := c.Occupancy; o != nil && c.Key() == key {
			return &occupancy.Result{Share: o.Share, Limiter: o.Limiter}
		}
	}
	return nil
}

// entropyOf reads the level of a distribution "entropy-0.544".
func entropyOf(dist string) (level float64, ok bool) {
	text, ok := strings.CutPrefix(dist, "entropy-")
	if !ok {
		return 0, false
	}
	_, err := fmt.Sscanf(text, "%g", &level)
	return level, err == nil && level >= 0 && level <= 1
}
