package report

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// repeatedInput is what the experiments of the four reports measure, on two
// cards where the report had two.
func repeatedInput() (in Input) {
	add := func(experiment, algo, device, card, keyType string, n uint64, start, perKey float64, threads, blocks uint32, top uint64) {
		in.Records = append(in.Records, measured(algo, device, keyType, "uniform", n, start, perKey, func(r *result.Record) {
			r.Experiment, r.Threads, r.Blocks, r.MaxValue, r.Launches = experiment, threads, blocks, top, int(start/1000)
			if r.DeviceID != "cpu" {
				r.Env.Device = card
			}
		}))
	}
	for k, card := range []string{"NVIDIA H200", "NVIDIA RTX 6000"} {
		for e := 10; e <= 22; e += 4 {
			for _, threads := range []uint32{0, 64, 128, 256, 512, 1024} {
				for _, blocks := range []uint32{0, 64, 132, 264, 528} {
					if (threads == 0) != (blocks == 0) {
						continue
					}
					slow := 1 + float64(k)/3 + 300/float64(max(64, min(threads, 700))) + 200/float64(max(blocks, 64))
					add("greek", "radix-host-scatter", "cuda:0", card, "u32", 1<<e, 90e3, 4*(1+slow/40), threads, blocks, 0)
					add("greek", "bitonic-grid", "cuda:0", card, "u32", 1<<e, 50e3, slow, threads, blocks, 0)
					for i, top := range []uint64{100, 1000, 10000} {
						add("greek", "counting", "cuda:0", card, "u32", 1<<e, 30e3+1e3*float64(i), slow/9, threads, blocks, top)
					}
				}
			}
		}
	}
	for e := 8; e <= 16; e++ {
		for i, algo := range []string{"merge-separators", "merge-path", "onesweep", "thrust"} {
			add("spanish", algo, "cuda:0", "NVIDIA H200", "i32", 1<<e, 80e3-float64(i)*2e4, 0.5, 0, 0, 0)
		}
		add("spanish", "std-sort", "cpu", "", "i32", 1<<e, 200, 36, 0, 0, 0)
	}
	for e := 10; e <= 24; e += 2 {
		for i, algo := range rungs {
			add("english", algo, "cuda:0", "NVIDIA H200", "i32", 1<<e, 300e3/float64(i+1), 2/float64(i+1), 0, 0, 0)
			if slices.Contains(kernels, algo) {
				add("russian", algo, "opencl:0", "NVIDIA H200", "i32", 1<<e, 500e3/float64(i+1), 3/float64(i+1), 0, 0, 0)
			}
		}
		for i, algo := range onHost {
			add("russian", algo, "cpu", "", "i32", 1<<e, 300, []float64{30, 55, 31, 44, 33}[i], 0, 0, 0)
		}
	}
	// Cells of a group end in any order.
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(in.Records), func(i, k int) { in.Records[i], in.Records[k] = in.Records[k], in.Records[i] })
	in.tidy()
	return in
}

// TestFiguresOfTheReports: every figure of the four reports comes from its
// experiment with one name, as SVG and as PNG. GPUSORT_FIGURES names a folder
// to look at them.
func TestFiguresOfTheReports(t *testing.T) {
	in := repeatedInput()
	all := Figures(in)
	want := map[string]int{"greek": 6, "spanish": 2, "english": 2, "russian": 6}
	for _, f := range all {
		experiment, _, _ := strings.Cut(f.ID, "-")
		if want[experiment] == 0 {
			continue
		}
		want[experiment]--
		g, others, err := Find(all, f.ID)
		if err != nil || len(others) > 0 || g.Plot != f.Plot {
			t.Errorf("%s: %v, %v", f.ID, err, others)
		}
		short := strings.Join(strings.Split(f.ID, "-")[:2], "-")
		if g, _, err := Find(all, short); err != nil || g.ID != f.ID {
			t.Errorf("%s finds %s, %v", short, g.ID, err)
		}
		var svg, png bytes.Buffer
		if err := f.Plot.WriteSVG(&svg); err != nil {
			t.Error(err)
		}
		if err := f.Plot.WritePNG(&png, 1); err != nil {
			t.Error(err)
		}
		if strings.HasPrefix(f.ID, "russian-4") && !strings.Contains(svg.String(), "time over bitonic-recursive") {
			t.Error("the processor's ladder is not set against recursion")
		}
		if !bytes.HasPrefix(png.Bytes(), []byte("\x89PNG")) || svg.Len() < 5000 {
			t.Errorf("%s: %d bytes of SVG, %d of PNG", f.ID, svg.Len(), png.Len())
		}
		if dir := os.Getenv("GPUSORT_FIGURES"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, f.ID+".png"), png.Bytes(), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
	for experiment, n := range want {
		if n != 0 {
			t.Errorf("%s: %d figures are missing", experiment, n)
		}
	}
}

// TestPapersOfOtherResults: no page shows a report's figures without its
// experiment, and a figure without data is none.
func TestPapersOfOtherResults(t *testing.T) {
	if s := papers(newData(full())); len(s.Figures) > 0 {
		t.Errorf("%d figures of reports in other results", len(s.Figures))
	}
	for _, f := range Figures(full()) {
		if strings.HasPrefix(f.ID, "greek") || strings.HasPrefix(f.ID, "russian") {
			t.Errorf("%s without its algorithms", f.ID)
		}
	}
	in := repeatedInput()
	in.Records = slices.DeleteFunc(in.Records, func(r result.Record) bool { return r.Experiment != "spanish" })
	var b bytes.Buffer
	if err := Write(&b, in, ""); err != nil || !strings.Contains(b.String(), `id="report"`) || !strings.Contains(b.String(), `id="spanish-2-bandwidth"`) {
		t.Errorf("the page lacks its report's figures: %v", err)
	}
}

// TestSharedAxes: the small charts of one figure have the same axes, whatever is in
// them.
func TestSharedAxes(t *testing.T) {
	labels := map[string]int{}
	sheet := greekByLayout(newData(repeatedInput())).(plot.Sheet)
	for _, f := range sheet.Figures {
		var ticks []string
		for _, m := range f.Marks {
			if m.Text != "" && m.Fill == plot.Muted && m.Anchor == plot.End {
				ticks = append(ticks, m.Text)
			}
		}
		labels[strings.Join(ticks, " ")]++
	}
	if len(sheet.Figures) < 10 || len(labels) != 1 {
		t.Errorf("%d charts have %d kinds of axes: %v", len(sheet.Figures), len(labels), labels)
	}
}

// TestThrustIsNamedWhereItIs: a figure is no comparison with what nobody measured.
func TestThrustIsNamedWhereItIs(t *testing.T) {
	in := repeatedInput()
	title := func(in Input) string {
		f, _, err := Find(Figures(in), "spanish-1")
		if err != nil {
			t.Fatal(err)
		}
		return f.Plot.Title
	}
	if got := title(in); !strings.Contains(got, "Comparison with Thrust") {
		t.Errorf("with Thrust: %q", got)
	}
	in.Records = slices.DeleteFunc(in.Records, func(r result.Record) bool { return strings.HasPrefix(r.Algo, "thrust") })
	if got := title(in); strings.Contains(got, "Thrust") {
		t.Errorf("without Thrust: %q", got)
	}
}

// TestScalesOfHeatMaps: maps either share what a colour means or say that they do not.
func TestScalesOfHeatMaps(t *testing.T) {
	d := newData(full())
	for _, s := range []section{inputs(d), geometry(d)} {
		for _, f := range s.Figures {
			if svg := f.Plot.SVG(); !strings.Contains(svg, "the same colours in all maps of this section") && !strings.Contains(svg, "colours of this map alone") {
				t.Errorf("%s does not say what its colours are comparable with", f.ID)
			}
		}
	}
}
