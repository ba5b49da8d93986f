package result

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/axes"
)

// chartRows is the height of a chart in lines: enough that factors of two stay
// apart over three decades.
const chartRows = 12

// marks name the series, in order.
const marks = "ox+*#@%&abcdefgh"

// series is the throughput of one algorithm over n.
type series struct {
	name string
	rate map[uint64]float64 // Melem/s by items
}

// best is the highest rate.
func (s series) best() (top float64) {
	for _, r := range s.rate {
		top = max(top, r)
	}
	return top
}

// WriteChart draws throughput over the number of items, both logarithmic, one
// chart for each combination of key type, mode and input that has at least
// three sizes. Width is in characters. It writes nothing if there is no such
// combination.
func WriteChart(w io.Writer, recs []Record, width int) error {
	type chart struct{ title string }
	var order []chart
	all := map[chart][]series{}
	for _, r := range recs {
		s := r.Judged()
		if r.Status != OK || s == nil || s.Median <= 0 || r.Items == 0 {
			continue
		}
		row := r.Row()
		c := chart{strings.Join(row[2:5], " ")}
		if _, ok := all[c]; !ok {
			order = append(order, c)
		}
		name := row[0] + " on " + r.DeviceID
		i := slices.IndexFunc(all[c], func(s series) bool { return s.name == name })
		if i < 0 {
			i = len(all[c])
			all[c] = append(all[c], series{name, map[uint64]float64{}})
		}
		all[c][i].rate[r.Items] = r.Rate(s.Median) / 1e6
	}
	for _, c := range order {
		list := all[c]
		if len(list) > len(marks) {
			// Geometries make many: the fastest tell most.
			slices.SortStableFunc(list, func(a, b series) int { return cmp.Compare(b.best(), a.best()) })
			list = list[:len(marks)]
		}
		text := draw(list, width)
		if text == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "\nMelem/s over n: %s\n%s", c.title, text); err != nil {
			return err
		}
	}
	return nil
}

// draw returns one chart, or nothing for fewer than three sizes.
func draw(list []series, width int) string {
	var sizes []uint64
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range list {
		for n, r := range s.rate {
			sizes = append(sizes, n)
			lo, hi = min(lo, r), max(hi, r)
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	if len(sizes) < 3 {
		return ""
	}
	const label = 9
	cols := max(20, min(width-label-2, 100))
	grid := make([][]byte, chartRows)
	for i := range grid {
		grid[i] = []byte(strings.Repeat(" ", cols))
	}
	at := func(v, lo, hi float64, n int) int {
		if hi <= lo {
			return 0
		}
		return int(math.Round((math.Log(v) - math.Log(lo)) / (math.Log(hi) - math.Log(lo)) * float64(n-1)))
	}
	first, last := float64(sizes[0]), float64(sizes[len(sizes)-1])
	for i, s := range list {
		for n, r := range s.rate {
			x, y := at(float64(n), first, last, cols), chartRows-1-at(r, lo, hi, chartRows)
			// Where two series meet, the later one would hide the earlier.
			if grid[y][x] != ' ' {
				grid[y][x] = '='
			} else {
				grid[y][x] = marks[i%len(marks)]
			}
		}
	}
	var b strings.Builder
	for y, line := range grid {
		tick := ""
		if y%4 == 0 || y == chartRows-1 {
			v := math.Exp(math.Log(hi) + (math.Log(lo)-math.Log(hi))*float64(y)/float64(chartRows-1))
			tick = fmt.Sprintf("%.4g", v)
		}
		fmt.Fprintf(&b, "%*s │%s\n", label, tick, strings.TrimRight(string(line), " "))
	}
	left, right := axes.FormatCount(sizes[0]), axes.FormatCount(sizes[len(sizes)-1])
	fmt.Fprintf(&b, "%*s └%s\n%*s%s%*s\n", label, "", strings.Repeat("─", cols), label+2, "", left, cols-len(left), right)
	for i, s := range list {
		fmt.Fprintf(&b, "%*c %s\n", label+1, marks[i%len(marks)], s.name)
	}
	if strings.Contains(b.String(), "=") {
		fmt.Fprintf(&b, "%*c several\n", label+1, '=')
	}
	return b.String()
}
