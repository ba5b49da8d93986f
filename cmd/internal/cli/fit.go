package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// fitted is a table that keeps within a width: columns that say the same in every row go
// into a line above it, then texts are wrapped, the widest columns first.
type fitted struct {
	table.Writer
	width int // columns of the terminal; 0: any
	above func(line string)
	head  []string
	rows  [][]string
	right []int // columns aligned right, from 1
	tight bool  // no space beside the lines
}

func (f *fitted) AppendHeader(row table.Row, _ ...table.RowConfig) { f.head = cells(row) }

func (f *fitted) AppendRow(row table.Row, _ ...table.RowConfig) { f.rows = append(f.rows, cells(row)) }

func cells(row table.Row) []string {
	out := make([]string, len(row))
	for i, c := range row {
		out[i] = visible(fmt.Sprint(c))
	}
	return out
}

// leastText is the width down to which a column of text is wrapped.
const leastText = 12

// manyColumns are so many that the space beside the lines is worth more than its looks.
const manyColumns = 5

// Render writes the table.
func (f *fitted) Render() string {
	all := f.rows
	if f.head != nil {
		all = append([][]string{f.head}, f.rows...)
	}
	columns := 0
	for _, r := range all {
		columns = max(columns, len(r))
	}
	keep := make([]int, columns)
	for i := range keep {
		keep[i] = i
	}
	if f.width > 0 && f.total(widths(all, keep)) > f.width && f.head != nil && len(f.rows) > 1 {
		keep = f.lift(keep)
	}
	if f.width > 0 && len(keep) >= manyColumns && f.total(widths(all, keep)) > f.width {
		f.tight = true
		f.Writer.Style().Box.PaddingLeft, f.Writer.Style().Box.PaddingRight = "", ""
	}
	wide, words := widths(all, keep), widths(wordsOf(all), keep)
	limit := slices.Clone(wide)
	for f.width > 0 && f.total(limit) > f.width {
		if !f.shrink(limit, words, keep) {
			break
		}
	}
	var cfg []table.ColumnConfig
	for i, k := range keep {
		c := table.ColumnConfig{Number: i + 1}
		if slices.Contains(f.right, k+1) {
			c.Align, c.AlignHeader = text.AlignRight, text.AlignRight
		}
		if limit[i] < wide[i] {
			c.WidthMax, c.WidthMaxEnforcer = limit[i], text.WrapSoft
		}
		cfg = append(cfg, c)
	}
	f.Writer.SetColumnConfigs(cfg)
	if f.head != nil {
		f.Writer.AppendHeader(pick(f.head, keep))
	}
	for _, r := range f.rows {
		f.Writer.AppendRow(pick(r, keep))
	}
	return f.Writer.Render()
}

// lift takes columns out that say the same in every row, and writes them above the table.
// Columns with the same heading stay, unless they are empty.
func (f *fitted) lift(keep []int) (left []int) {
	var same []string
	for _, k := range keep {
		v := f.rows[0][k]
		twice := slices.Index(f.head, f.head[k]) != k || slices.Contains(f.head[k+1:], f.head[k])
		if twice && v != "" || slices.ContainsFunc(f.rows, func(r []string) bool { return r[k] != v }) {
			left = append(left, k)
		} else if v != "" && v != "–" && v != "-" {
			same = append(same, f.head[k]+": "+v)
		}
	}
	if len(left) == 0 {
		return keep
	}
	if len(same) > 0 {
		for _, line := range strings.Split(text.WrapSoft(strings.Join(same, ", "), f.width), "\n") {
			f.above(strings.TrimRight(line, " "))
		}
	}
	return left
}

// shrink takes a column's width off the widest that may lose more: of texts first and
// within words last. It says whether there was one.
func (f *fitted) shrink(limit, words, keep []int) bool {
	for _, stage := range []func(i int, number bool) int{
		func(i int, number bool) int {
			if number {
				return limit[i]
			}
			return max(words[i], leastText)
		},
		func(i int, _ bool) int { return words[i] },
		func(int, bool) int { return 1 },
	} {
		best := -1
		for i, k := range keep {
			if limit[i] > stage(i, slices.Contains(f.right, k+1)) && (best < 0 || limit[i] > limit[best]) {
				best = i
			}
		}
		if best >= 0 {
			limit[best]--
			return true
		}
	}
	return false
}

// total is the width of a table with such columns: each has a line before it and, if the
// table is not tight, a space on both sides; the last has a line behind it, too.
func (f *fitted) total(limit []int) int {
	sum, beside := 1, 3
	if f.tight {
		beside = 1
	}
	for _, w := range limit {
		sum += w + beside
	}
	return sum
}

func widths(rows [][]string, keep []int) []int {
	out := make([]int, len(keep))
	for i, k := range keep {
		for _, r := range rows {
			if k < len(r) {
				out[i] = max(out[i], text.LongestLineLen(r[k]))
			}
		}
	}
	return out
}

// wordsOf returns rows whose cells have each word on a line.
func wordsOf(rows [][]string) [][]string {
	out := make([][]string, len(rows))
	for i, r := range rows {
		for _, c := range r {
			out[i] = append(out[i], strings.Join(strings.Fields(c), "\n"))
		}
	}
	return out
}

func pick(row []string, keep []int) (out table.Row) {
	for _, k := range keep {
		if k < len(row) {
			out = append(out, row[k])
		}
	}
	return out
}
