package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// fileKind is what a figure of files holds constant.
type fileKind struct {
	format, dist string
	length       uint64
}

func (k fileKind) String() string {
	s := k.format
	if k.length != 0 {
		s += fmt.Sprintf(" of words of %d bytes", k.length)
	}
	return s + ", " + k.dist
}

// byProgram names a line: the series, without the processor, and the memory that the program was
// given.
func byProgram(c cell) string {
	s := strings.Replace(c.series, " · cpu", "", 1)
	if c.Budget != 0 {
		s += ", " + units.Bytes(c.Budget)
	}
	return s
}

// files sets programs that sort files beside each other.
func files(d *data) section {
	s := section{
		ID: "files", Title: "Files",
		Lead:    "Programs that sort a file, each timed from its start to its end. The input was written just before, so that it comes from memory and not from a disk. The rate is of the input's bytes. CPU time is of all processors together. The peak of memory has a floor, that of the program that measures; below it stands –.",
		Missing: "gpusort bench -a Op=files -a 'Format=[lines,numbers,csv]' -a 'Elements=[1000,100000]' -a Input=same -d cpu --timeout 1s --json files.jsonl",
	}
	kindOf := func(c cell) fileKind { return fileKind{c.Format, c.Dist, c.StringLen} }
	// A line has one colour in all charts.
	names, style := distinct(d.files, byProgram), map[string]int{}
	slices.Sort(names)
	for i, name := range names {
		style[name] = i
	}
	for _, k := range distinct(d.files, kindOf) {
		own := where(d.files, func(c cell) bool { return kindOf(c) == k })
		slices.SortStableFunc(own, func(a, b cell) int {
			return cmp.Or(cmp.Compare(a.Items, b.Items), cmp.Compare(a.Budget, b.Budget), cmp.Compare(a.Algo, b.Algo))
		})
		t := counterTable{Title: k.String(), Head: slices.Concat(result.FileColumns[:2], result.FileColumns[4:])}
		for _, c := range own {
			row := c.FileRow()
			t.Rows = append(t.Rows, slices.Concat(row[:2], row[4:]))
		}
		s.Tables = append(s.Tables, t)
		for _, y := range []struct {
			id, unit string
			of       func(cell) (plot.XY, bool)
		}{
			{"rate", "MB per second", func(c cell) (plot.XY, bool) {
				return scaled(c, c.Wall, func(ns float64) float64 { return float64(c.FileBytes) / ns * 1e3 })
			}},
			{"cpu", "seconds of processors per GB", func(c cell) (plot.XY, bool) {
				if c.FileBytes == 0 {
					return plot.XY{}, false
				}
				return scaled(c, c.CPU(), func(ns float64) float64 { return ns / float64(c.FileBytes) })
			}},
		} {
			l := overSize(k.String(), y.unit, own, y.of, byProgram, style)
			l.XLabel, l.W, l.H = "number of rows", 560, 350
			s.Figures = add(s.Figures, Figure{ID: slug("files-" + y.id + "-" + k.String())}, l)
		}
	}
	return s
}
