package plot

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// charts are one of each kind, with long names.
func charts() map[string]Chart {
	lines := Lines{Title: "A title of many words that no telephone can show in one line", XLabel: "number of items", YLabel: "Melem/s",
		XLog: true, XPow2: true, YLog: true, W: 560, H: 350}
	heat := Heat{Title: "Kinds of input, u32 keys, n = 2^20", Unit: "Melem/s", Colours: "this map alone"}
	strips := Strips{Title: "Samples", XLabel: "time over the median", W: 560, Format: func(v float64) string { return fmt.Sprintf("%.3g×", v) }}
	for i := range 8 {
		name := fmt.Sprintf("merge-separators-%d · cuda:0", i)
		l := Line{Name: name, Style: i}
		for e := 8; e <= 24; e++ {
			y := float64(10 * (i + 1) * e)
			l.Points = append(l.Points, XY{X: float64(int(1) << e), Y: y, Lo: y * .9, Hi: y * 1.1})
		}
		lines.Series = append(lines.Series, l)
		heat.Cols = append(heat.Cols, name)
		strips.Rows = append(strips.Rows, Strip{Name: name, Note: "1 ms", Style: i, Values: []float64{.99, 1, 1.02}, Median: 1, Lo: .99, Hi: 1.02})
	}
	for _, row := range []string{"uniform", "almost-sorted"} {
		heat.Rows = append(heat.Rows, row)
		var cells []HeatCell
		for i := range heat.Cols {
			cells = append(cells, HeatCell{Value: float64(1000 * (i + 1)), Text: Short(float64(1000 * (i + 1))), Sub: "50 % occ."})
		}
		heat.Cells = append(heat.Cells, cells)
	}
	net := Network{Title: "A network", Keys: []float64{0, .3, .6, 1}, In: []string{"0", "1", "2", "3"}, Out: []string{"0", "1", "2", "3"}, W: 1140}
	for range 20 {
		net.Steps = append(net.Steps, NetworkStep{Comparators: []Comparator{{A: 0, B: 2, Swapped: true}, {A: 1, B: 3}}, Keys: net.Keys, Stage: "blocks of 4"})
	}
	return map[string]Chart{
		"lines": lines, "heat": heat, "strips": strips, "network": net,
		"spans":  Spans{Title: "Steps", Spans: []Span{{Lane: "transfers", Name: "upload", Time: 5}, {Lane: "steps", Name: "digit pass", Start: 5, Time: 7}}, W: 1140, Format: func(v float64) string { return Short(v) + " ns" }},
		"frames": Frames{Title: "Keys", Frames: []Still{{Label: "input", Values: []float64{.2, .1}, Hues: []float64{.2, .1}}}, W: 1140},
		"sheet":  Sheet{Title: "A sheet", Cols: 3, Figures: []*Figure{lines.Draw(), lines.Draw()}, Legend: []Key{{"one", 0}}},
	}
}

// TestNarrow: the form for telephones is narrow, nothing of it sticks out, and texts
// are large enough to read.
func TestNarrow(t *testing.T) {
	for name, c := range charts() {
		f := c.Narrow()
		limit := float64(NarrowWidth)
		if name == "sheet" {
			limit = 560 // of figures that were drawn before
		}
		if f.W > limit || f.Title == "" && name != "strips" {
			t.Errorf("%s: %g pixels wide, title %q", name, f.W, f.Title)
		}
		for _, m := range f.Marks {
			for _, p := range m.Points {
				if p.X < -1 || p.X > f.W+1 || p.Y < -1 || p.Y > f.H+1 {
					t.Errorf("%s: %q at %g, %g sticks out of %g × %g", name, m.Text, p.X, p.Y, f.W, f.H)
				}
			}
			if m.Text != "" && m.Size < 7 {
				t.Errorf("%s: %q is %g pixels high", name, m.Text, m.Size)
			}
			if m.Text != "" && !m.Turned && m.Anchor == Start && m.Points[0].X+TextWidth(m.Text, m.Size)*.9 > f.W+1 {
				t.Errorf("%s: the text %q ends beyond %g", name, m.Text, f.W)
			}
		}
	}
}

// TestDescriptions: every chart says in words what it shows, in SVG and in PDF.
func TestDescriptions(t *testing.T) {
	want := map[string]string{
		"lines": "from 80 at 2^8 to 240 at 2^24; lowest 80, highest 240", "heat": "almost-sorted: merge-separators-0 · cuda:0 1 000,",
		"strips": "3 samples, median 1×, its interval 0.99× to 1.02×", "network": "40 comparisons, of which 20 exchanged",
		"spans": "steps, digit pass: 7 ns", "frames": "a row for each state of the keys: input", "sheet": "Chart of Melem/s",
	}
	for name, c := range charts() {
		for form, f := range map[string]*Figure{"wide": c.Draw(), "narrow": c.Narrow()} {
			var out bytes.Buffer
			if err := f.WriteSVG(&out); err != nil {
				t.Fatal(err)
			}
			var svg struct {
				Title string `xml:"title"`
				Desc  string `xml:"desc"`
			}
			if err := xml.Unmarshal(out.Bytes(), &svg); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if svg.Title != f.Title || !strings.Contains(strings.ReplaceAll(svg.Desc, "\u00a0", " "), strings.ReplaceAll(want[name], "\u00a0", " ")) {
				t.Errorf("%s, %s: title %q, description %q", name, form, svg.Title, svg.Desc)
			}
		}
	}
}

// TestPDF: a page of the figure's size, the same bytes each time, with its fonts.
func TestPDF(t *testing.T) {
	for name, c := range charts() {
		f := c.Draw()
		var a, b bytes.Buffer
		if err := f.WritePDF(&a); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := f.WritePDF(&b); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two writings differ, %v", name, err)
		}
		box := regexp.MustCompile(`/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]`).FindStringSubmatch(a.String())
		if box == nil {
			t.Fatalf("%s: no page", name)
		}
		for i, want := range []float64{f.W * point, f.H * point} {
			if got, err := strconv.ParseFloat(box[i+1], 64); err != nil || got < want-.01 || got > want+.01 {
				t.Errorf("%s: a page of %v, want %g × %g", name, box[1:], f.W*point, f.H*point)
			}
		}
		if !bytes.HasPrefix(a.Bytes(), []byte("%PDF-1.")) || !bytes.Contains(a.Bytes(), []byte("/FontFile2")) {
			t.Errorf("%s: no PDF with its fonts", name)
		}
	}
	if err := charts()["lines"].Draw().WritePDF(failing{}); err == nil {
		t.Error("an error of the writer is lost")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

// TestClippedIntervals: what goes on beyond the axis is marked and said.
func TestClippedIntervals(t *testing.T) {
	l := Lines{Title: "T", W: 400, H: 300, YRange: [2]float64{0, 2}, Series: []Line{{Name: "a", Points: []XY{{X: 1, Y: 1, Lo: .5, Hi: 1.5}, {X: 2, Y: 1, Lo: .5, Hi: 9}}}}}
	f := l.Draw()
	marked := 0
	for _, m := range f.Marks {
		if strings.Contains(m.Tip, "the interval goes on to 9") {
			marked++
		}
		for _, p := range m.Points {
			if p.Y < 0 {
				t.Errorf("a mark at %g", p.Y)
			}
		}
	}
	if marked != 1 || !strings.Contains(f.Desc, "go on beyond the axis") {
		t.Errorf("%d marks; %s", marked, f.Desc)
	}
	l.Series[0].Points[1].Hi = 2
	if strings.Contains(l.Draw().SVG(), "goes on") {
		t.Error("an interval that ends at the border is marked")
	}
}

// TestTicksOfShortAxes: every measured power of two has a mark, and no axis less than three
// labels, unless its range is nothing.
func TestTicksOfShortAxes(t *testing.T) {
	s := Scale{Lo: 256, Hi: 1 << 24, Log: true, A: 0, B: 400}
	if got := s.minor(true); len(got) != 17 || got[0] != 256 || got[16] != 1<<24 {
		t.Errorf("%v", got)
	}
	for _, r := range [][2]float64{{150, 400}, {1, 1.3}, {0.0021, 0.0049}, {95, 105}, {1, 1e9}, {3, 4000}} {
		s := Scale{Lo: r[0], Hi: r[1], Log: true, A: 300, B: 0}
		got := s.ticks(7, false)
		if len(got) < 3 || len(got) > 8 || !slices.IsSortedFunc(got, func(a, b Tick) int { return cmp.Compare(a.Value, b.Value) }) {
			t.Errorf("%g to %g: %v", r[0], r[1], got)
		}
		for _, tick := range got {
			if tick.Value < r[0]*(1-1e-6) || tick.Value > r[1]*(1+1e-6) {
				t.Errorf("%g to %g: a tick at %g", r[0], r[1], tick.Value)
			}
		}
	}
}

// TestSharedSpan: two maps of one span have one colour for one value.
func TestSharedSpan(t *testing.T) {
	a := Heat{Title: "A", Unit: "x", Rows: []string{"r"}, Cols: []string{"c"}, Cells: [][]HeatCell{{{Value: 10, Text: "10"}}}}
	b := Heat{Title: "B", Unit: "x", Rows: []string{"r"}, Cols: []string{"c", "d"}, Cells: [][]HeatCell{{{Value: 10, Text: "10"}, {Value: 1000, Text: "1000"}}}}
	colour := func(h Heat) Ink {
		for _, m := range h.Draw().Marks {
			if m.Closed && strings.HasPrefix(string(m.Fill), "#") {
				return m.Fill
			}
		}
		return ""
	}
	span := SpanOf(a, b)
	if span != [2]float64{10, 1000} {
		t.Errorf("span %v", span)
	}
	a.Span, b.Span = span, span
	if colour(a) != colour(b) {
		t.Errorf("10 is %s in one map and %s in the other", colour(a), colour(b))
	}
}
