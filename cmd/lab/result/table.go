package result

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

var csvHeader = []string{
	"case", "algo", "backend", "device_id", "key_type", "mode", "value_bytes", "dist", "items", "threads", "blocks",
	"status", "reason", "samples",
	"device_median_ns", "device_lo_ns", "device_hi_ns", "device_min_ns", "device_spread",
	"wall_median_ns", "wall_lo_ns", "wall_hi_ns", "wall_min_ns", "wall_spread",
	"items_per_s", "outliers", "launches", "min_bytes", "scratch_bytes", "seed", "source", "device",
	"max_value", "desc", "nan_last", "warm", "graph", "experiment", "chosen", "scan", "parallel", "wall_samples", "input",
	"op", "segments", "k", "string_len", "shares", "format", "budget", "file_bytes", "cpu_median_ns", "peak_bytes", "host_clock",
}

// WriteCSV writes a header and one row per record. Times are nanoseconds; a
// figure that a record lacks is empty. samples are those that the cell is judged
// by, wall_samples those of wall_median_ns.
func WriteCSV(w io.Writer, recs []Record) error {
	out := csv.NewWriter(w)
	out.Write(csvHeader)
	for _, r := range recs {
		row := []string{
			r.Case, r.Algo, r.Backend, r.DeviceID, r.KeyType, r.Mode, fmt.Sprint(r.ValueBytes), r.Dist,
			fmt.Sprint(r.Items), fmt.Sprint(r.Threads), fmt.Sprint(r.Blocks), string(r.Status), r.Reason, fmt.Sprint(len(r.Main())),
		}
		row = append(row, csvTimes(r.Device)...)
		row = append(row, csvTimes(r.Wall)...)
		rate, outliers := "", ""
		if s := r.Judged(); s != nil {
			rate, outliers = strconv.FormatFloat(r.Rate(s.Median), 'g', 6, 64), fmt.Sprint(s.Outliers)
		}
		cpu := ""
		if s := r.CPU(); s != nil {
			cpu = strconv.FormatFloat(s.Median, 'f', -1, 64)
		}
		out.Write(append(row, rate, outliers, fmt.Sprint(r.Launches), fmt.Sprint(r.MinBytes),
			fmt.Sprint(r.ScratchBytes), fmt.Sprint(r.Seed), r.Source, r.Env.Device,
			fmt.Sprint(r.MaxValue), fmt.Sprint(r.Desc), fmt.Sprint(r.NaNLast), fmt.Sprint(r.Warm), fmt.Sprint(r.Graph), r.Experiment, r.Chosen, r.Scan, fmt.Sprint(r.Workers), fmt.Sprint(len(r.WallNS)), r.Input,
			r.Op, fmt.Sprint(r.Segments), fmt.Sprint(r.K), fmt.Sprint(r.StringLen), r.shares(), r.Format, fmt.Sprint(r.Budget), fmt.Sprint(r.FileBytes), cpu, fmt.Sprint(r.PeakBytes), fmt.Sprint(r.HostClock)))
	}
	out.Flush()
	return out.Error()
}

// shares writes "cuda:0=500 cuda:1=500".
func (r Record) shares() string {
	var out []string
	for _, s := range r.Shares {
		out = append(out, fmt.Sprintf("%s=%d", s.Device, s.Items))
	}
	return strings.Join(out, " ")
}

func csvTimes(s *stat.Summary) []string {
	if s == nil {
		return make([]string, 5)
	}
	ns := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	return []string{ns(s.Median), ns(s.Lo), ns(s.Hi), ns(s.Min), strconv.FormatFloat(s.Spread, 'f', 4, 64)}
}

// Judged returns the summary that a cell is judged by, or nil.
func (r Record) Judged() *stat.Summary {
	if r.Device != nil {
		return r.Device
	}
	return r.Wall
}

// Columns are the headings of Row.
var Columns = []string{"algorithm", "on", "keys", "mode", "input", "n", "samples", "device", "±", "end to end", "±", "Melem/s", "GB/s"}

// Row returns an OK record as a row of the short table.
func (r Record) Row() []string {
	mode := r.Mode
	if r.ValueBytes != 0 {
		mode += fmt.Sprintf("/%d", r.ValueBytes)
	}
	algo := r.Algo
	if r.Chosen != "" {
		algo += ": " + r.Chosen
	}
	if r.Scan != "" {
		algo += " with " + r.Scan
	}
	for _, p := range []struct {
		v    uint32
		name string
	}{{r.Threads, "t"}, {r.Blocks, "b"}, {r.Workers, "parallel"}} {
		if p.v != 0 {
			algo += fmt.Sprintf(" %s=%d", p.name, p.v)
		}
	}
	for _, p := range []struct {
		v    uint64
		name string
	}{{r.Segments, "segments"}, {r.K, "k"}, {r.StringLen, "len"}} {
		if p.v != 0 {
			algo += fmt.Sprintf(" %s=%d", p.name, p.v)
		}
	}
	if r.Op != "" {
		mode = r.Op
	}
	input := r.Dist
	if r.MaxValue != 0 {
		input += fmt.Sprintf(" max=%d", r.MaxValue)
	}
	if r.Input == "same" {
		input += " same"
	}
	for _, p := range []struct {
		on   bool
		to   *string
		text string
	}{{r.Warm, &algo, " warm"}, {r.Graph, &algo, " graph"}, {r.HostClock, &algo, " host-clock"}, {r.Desc, &mode, " desc"}, {r.NaNLast, &mode, " nanlast"}} {
		if p.on {
			*p.to += p.text
		}
	}
	on := r.DeviceID
	if len(r.Shares) > 0 {
		on += fmt.Sprintf(" (%d)", len(r.Shares))
	}
	row := []string{algo, on, r.KeyType, mode, input, axes.FormatCount(r.Items)}
	row = append(row, fmt.Sprint(len(r.Main())))
	for _, s := range []*stat.Summary{r.Device, r.Wall} {
		if s == nil {
			row = append(row, "–", "")
			continue
		}
		row = append(row, Duration(s.Median), Noise(s))
	}
	s := r.Judged()
	bw := "–"
	if r.OfFile() && s.Median > 0 {
		bw = Bandwidth(float64(r.FileBytes) / s.Median)
	}
	if r.MinBytes > 0 && s.Median > 0 {
		bw = Bandwidth(float64(r.MinBytes) / s.Median)
	}
	return append(row, fmt.Sprintf("%.4g", r.Rate(s.Median)/1e6), bw)
}

// Noise writes half the width of a median's interval as a share of the median. One
// sample has no interval.
func Noise(s *stat.Summary) string {
	if s.Samples < 2 {
		return "–"
	}
	return fmt.Sprintf("%.1f%%", 100*s.Noise())
}

// Bandwidth writes GB/s as an integer, below 10 with two digits.
func Bandwidth(gbps float64) string {
	switch {
	case gbps == 0 || gbps >= 9.95:
		return fmt.Sprintf("%.0f", gbps)
	case gbps < 0.01:
		return "<0.01"
	}
	return fmt.Sprintf("%.2g", gbps)
}

// Duration writes nanoseconds with four digits and a unit.
func Duration(ns float64) string {
	for _, u := range []struct {
		ns   float64
		name string
	}{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}} {
		if ns >= u.ns {
			return fmt.Sprintf("%.4g %s", ns/u.ns, u.name)
		}
	}
	return fmt.Sprintf("%.4g ns", ns)
}

// Reason is why cells have no figures.
type Reason struct {
	Status Status   `json:"status"`
	Text   string   `json:"text"`
	Cells  []string `json:"cells"` // keys
}

// String names one of the cells and how many there are.
func (r Reason) String() string {
	what := r.Cells[0]
	if len(r.Cells) > 1 {
		what = fmt.Sprintf("%d cells, such as %s", len(r.Cells), what)
	}
	return fmt.Sprintf("%s: %s: %s", r.Status, what, strings.ReplaceAll(r.Text, "\n", " "))
}

// Reasons groups the records that are not OK by what they say, in order of
// first appearance.
func Reasons(recs []Record) []Reason {
	var out []Reason
	for _, r := range recs {
		if r.Status == OK {
			continue
		}
		i := slices.IndexFunc(out, func(x Reason) bool { return x.Status == r.Status && x.Text == r.Reason })
		if i < 0 {
			i = len(out)
			out = append(out, Reason{Status: r.Status, Text: r.Reason})
		}
		out[i].Cells = append(out[i].Cells, r.Key())
	}
	return out
}

// Table is a short table as text.
type Table struct {
	Rows    [][]string // the first is the heading
	Figures int        // where figures begin, from column 1
}

// Tables are the short tables of the OK records, first of sorts and operations, then of files. A
// kind that was not measured has none, but of the first kind there is the heading, if nothing was
// measured.
func Tables(recs []Record) (out []Table) {
	sorts, files := Table{[][]string{Columns}, 6}, Table{[][]string{FileColumns}, 5}
	for _, r := range recs {
		switch {
		case r.Status != OK:
		case r.OfFile():
			files.Rows = append(files.Rows, r.FileRow())
		default:
			sorts.Rows = append(sorts.Rows, r.Row())
		}
	}
	if len(sorts.Rows) > 1 || len(files.Rows) == 1 {
		out = append(out, sorts)
	}
	if len(files.Rows) > 1 {
		out = append(out, files)
	}
	return out
}

// WriteMarkdown writes the short tables, their columns padded so that they also
// read as text, and below them why other cells have no figures.
func WriteMarkdown(w io.Writer, recs []Record) error {
	sep := ""
	for _, t := range Tables(recs) {
		for _, row := range t.Rows[1:] {
			for i := range row {
				row[i] = strings.NewReplacer("|", `\|`, "\n", " ").Replace(row[i])
			}
		}
		if _, err := io.WriteString(w, sep); err != nil {
			return err
		}
		if err := WriteTable(w, t.Rows, "l"); err != nil {
			return err
		}
		sep = "\n"
	}
	for i, r := range Reasons(recs) {
		sep := ""
		if i == 0 {
			sep = "\n"
		}
		if _, err := fmt.Fprintf(w, "%s- %v\n", sep, r); err != nil {
			return err
		}
	}
	return nil
}

// WriteTable writes a Markdown table whose columns are padded so that it also
// reads as text; the first row is the heading. align has an l or an r for each
// column, its last letter also for all after it. Cells hold no line end and no
// bare |.
func WriteTable(w io.Writer, rows [][]string, align string) error {
	right := func(k int) bool { return align[min(k, len(align)-1)] == 'r' }
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, c := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("|")
		for k, c := range row {
			pad := strings.Repeat(" ", widths[k]-utf8.RuneCountInString(c))
			if right(k) {
				c = pad + c
			} else {
				c += pad
			}
			fmt.Fprintf(&b, " %s |", c)
		}
		b.WriteString("\n")
		if i == 0 {
			for k, n := range widths {
				rule := strings.Repeat("-", n+2)
				if right(k) {
					rule = rule[1:] + ":"
				}
				b.WriteString("|" + rule)
			}
			b.WriteString("|\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
