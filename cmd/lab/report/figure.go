package report

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// Figure is one picture of a report.
type Figure struct {
	// ID names it for --figure: "throughput-u32-keys-uniform-kernel".
	ID      string
	Caption string
	Plot    *plot.Figure
	Narrow  *plot.Figure // the same for a telephone
	// KeyType and Mode are what the page's filter goes by.
	KeyType, Mode string
	Wide          bool // takes the whole row
}

// SVG is both forms; the style sheet shows one of them.
func (f Figure) SVG() template.HTML {
	if f.Narrow == nil {
		return template.HTML(f.Plot.SVG())
	}
	return template.HTML(`<div class="broad">` + f.Plot.SVG() + `</div><div class="narrow">` + f.Narrow.SVG() + `</div>`)
}

// draw draws both forms of a chart.
func (f *Figure) draw(c plot.Chart) { f.Plot, f.Narrow = c.Draw(), c.Narrow() }

// section is a part of the page, its figures in order.
type section struct {
	ID, Title, Lead string
	Figures         []Figure
	// Missing are the commands to run where there are no figures, one a line; Then
	// says what else it takes.
	Missing, Then string
	// Note is what to know about these figures.
	Note string
	// Tables stand below the figures.
	Tables []counterTable
}

// Commands are what to run where there are no figures.
func (s section) Commands() []string { return strings.Split(s.Missing, "\n") }

// shown is the number of figures of a section that are not folded away.
const shown = 6

// Shown are the figures that are open at first.
func (s section) Shown() []Figure { return s.Figures[:min(shown, len(s.Figures))] }

// Folded are the rest.
func (s section) Folded() []Figure { return s.Figures[min(shown, len(s.Figures)):] }

// builders are the sections with figures, in the order of the page.
var builders = []func(*data) section{throughput, papers, inputs, entropy, geometry, roofline, timeline, samples, several, operations, files}

// sections builds them all; every figure has an ID of its own.
func sections(d *data) (all []section) {
	for _, b := range builders {
		s := b(d)
		if len(s.Figures) == 0 && s.Missing == "" {
			continue
		}
		unique(s.Figures)
		all = append(all, s)
	}
	return all
}

// Figures returns every figure that the input has data for: those of the page,
// and some that it leaves out.
func Figures(in Input) (all []Figure) {
	d := newData(in)
	for _, s := range sections(d) {
		all = append(all, s.Figures...)
	}
	all = append(all, unique(more(d))...)
	for _, r := range d.Recordings {
		a := d.animate(r)
		all = append(all, a.Strip)
		if a.Network != nil {
			all = append(all, *a.Network)
		}
	}
	return append(all, otherPapers(d, all)...)
}

// unique numbers figures of one ID.
func unique(fs []Figure) []Figure {
	seen := map[string]int{}
	for i := range fs {
		id := &fs[i].ID
		if seen[*id]++; seen[*id] > 1 {
			*id = fmt.Sprintf("%s-take-%d", *id, seen[*id])
		}
	}
	return fs
}

// Find returns the figure of that ID, or the first whose ID begins with it as
// whole words; others are the IDs that begin so too.
func Find(all []Figure, name string) (f Figure, others []string, err error) {
	found := false
	for _, x := range all {
		if x.ID == name {
			return x, nil, nil
		}
		if !strings.HasPrefix(x.ID, name+"-") {
			continue
		}
		if found {
			others = append(others, x.ID)
			continue
		}
		f, found = x, true
	}
	if !found {
		return f, nil, fmt.Errorf("no figure %q in these results: 'gpusort report RESULTS --figure list' shows those there are", name)
	}
	return f, others, nil
}

func (k kind) figure(name, more string) Figure {
	id := strings.Join([]string{name, k.KeyType, k.Mode, k.Dist}, "-")
	if k.MaxValue != 0 {
		id += fmt.Sprintf("-max-%d", k.MaxValue)
	}
	if k.Items != 0 {
		id += fmt.Sprintf("-n-%d", k.Items)
	}
	return Figure{ID: slug(id + "-" + more), KeyType: k.KeyType, Mode: k.Mode}
}

// slug keeps letters, digits and dots; the rest become single hyphens.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.'
	})
	return strings.Join(words, "-")
}

func count(n uint64) string { return axes.FormatCount(n) }

// rates turns a summary of times into million items a second with an interval.
func rates(c cell, s *stat.Summary) plot.XY {
	m := func(ns float64) float64 { return c.Rate(ns) / 1e6 }
	interval := ""
	if s.Samples > 1 {
		interval = fmt.Sprintf(" [%s – %s]", plot.Short(m(s.Hi)), plot.Short(m(s.Lo)))
	}
	return plot.XY{Y: m(s.Median), Lo: m(s.Hi), Hi: m(s.Lo), Tip: fmt.Sprintf("%s\n%s, n = %s\n%s Melem/s%s\n%s, %s",
		c.series, kindOf(c.Cell).input(), count(c.Items), plot.Short(m(s.Median)), interval,
		result.Duration(s.Median), many(s.Samples, "sample"))}
}

func (k kind) input() string { return k.KeyType + " " + k.Mode + ", " + k.Dist }
