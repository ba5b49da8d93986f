package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/gpusort/gpusort/cmd/lab/grade"
	"github.com/gpusort/gpusort/cmd/lab/grade/class"
	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// wideClass has as many criteria, and names and remarks as long, as a class may have.
func wideClass() class.Class {
	c := class.Class{Title: "Lab 2: sorting on a graphics card", Alike: []class.Pair{{A: "ann/sort.cl", B: strings.Repeat("verylongname", 8) + ".cl", Share: 0.83}}}
	for i, name := range []string{"ann/sort.cl", "bob.cl", strings.Repeat("verylongname", 8) + ".cl", "dora/lab2/mine.cl", "eve.cl"} {
		r := grade.Report{Title: c.Title, Submission: name, Kind: grade.CL, Key: "u32", Device: "opencl:0", DeviceName: "pthread-haswell-AMD EPYC 9B14", Seed: 1<<63 + 7,
			Confinement: grade.Confinement{Whole: true, Has: []string{"namespaces", "system calls", "Landlock"}}, EmptyTurn: 113 * time.Microsecond}
		for k, what := range []string{"sorts 2 keys", "sorts 1,000 keys", "sorts 2^12 keys", "sorts 50,001 keys", "speed at 2^16 keys, uniform", "speed at 2^20 keys, few-distinct", "launches at 2^16 keys ≤ 200", "copy_share at 2^20 keys ≥ 0.05"} {
			item := grade.Item{Name: what, Points: float64(k) / 2, Max: float64(k), Status: grade.Partial, Detail: "best of 9: 12.34 Melem/s; full points at 45.67 (0.5 of the reference's 91.34)", Unstable: i == 1 && k == 4}
			if item.Unstable {
				r.Unstable = true
				item.Detail += "; not measurable here: the machine is busy: other programs used 43 % of the processors"
			}
			r.Items, r.Score, r.Max = append(r.Items, item), r.Score+item.Points, r.Max+item.Max
		}
		for _, n := range []uint64{2, 1000, 1 << 16, 1 << 20} {
			for k, d := range []string{"uniform", "sorted", "few-distinct", "low-bits-only"} {
				r.Cases = append(r.Cases, grade.Case{N: n, Dist: d, Passed: true, NS: []int64{int64(n)*20 + int64(k)*1000 + 200_000, int64(n)*21 + 200_000}})
			}
		}
		if i == 2 {
			r.Cases[3].Passed, r.Cases[3].NS, r.Cases[3].Reason = false, nil, "run 1: out of order at position 123456: "+strings.Repeat("f", 60)
			r.Printed = "hello from work-item " + strings.Repeat("0123456789", 12)
		}
		r.Kernels = []wire.Kernel{{Name: "gpusort_0", Launches: 153, Threads: 64}, {Name: "gpusort_15", Launches: 1, Threads: 1024}}
		row := class.Row{Name: name, File: fmt.Sprint("s", i), Rank: i + 1, Report: r}
		if i == 3 {
			row.Report.Refused = "does not compile:\nmine.cl:12:7: error: use of undeclared identifier 'gpusort_kez'; did you mean 'gpusort_key'?"
		}
		if i == 4 {
			row.Report, row.Err = grade.Report{}, "device opencl:0 for a .cl submission: no such device (there: none)"
		}
		c.Rows = append(c.Rows, row)
	}
	return c
}

// noisyFiles has files, whose cells have the longest names, several devices, and reasons for doubt.
func noisyFiles() (in Input) {
	for _, n := range []uint64{1000, 1 << 20} {
		for i, by := range []string{"gpusort", "gnu-sort"} {
			in.Records = append(in.Records, measured(by, "cpu", "csv", "few-distinct", n, 1e6, 50, func(r *result.Record) {
				r.Op, r.Format, r.StringLen, r.Budget, r.FileBytes, r.PeakBytes = "files", "csv", 16, 50_000_001, 40*n, 3<<20
				for k := range r.WallNS {
					r.WallNS[k] *= int64(1 + k%4)
					r.CPUNS = append(r.CPUNS, r.WallNS[k])
				}
			}))
			in.Records = append(in.Records, measured("auto", []string{"cuda:0", "cuda:0+cuda:1+cuda:2"}[i], "u64", "few-distinct", n, 1e6, 5, nil))
		}
	}
	in.Records = append(in.Records, result.Record{Cell: in.Records[0].Cell, Status: result.Unsupported, Reason: "no program sort on the PATH"})
	in.Records[len(in.Records)-1].Dist = "bit-reversed"
	in.tidy()
	return in
}

// TestGradesInBrowser opens the pages of a class, of grades and of files: nothing scrolls sideways on a
// telephone, each cell says there what it is of, and no page is wider than its window. With
// GPUSORT_SCREENSHOTS=DIR it leaves pictures there.
func TestGradesInBrowser(t *testing.T) {
	b := browser(t)
	var w watch
	w.listen(b)
	dir := t.TempDir()
	all := wideClass()
	for name, write := range map[string]func(*bytes.Buffer) error{
		"files": func(p *bytes.Buffer) error { return Write(p, noisyFiles(), "Files") },
		"class": func(p *bytes.Buffer) error { return WriteClass(p, all) },
		"grade": func(p *bytes.Buffer) error { return WriteGrade(p, all.Rows[1].Report) },
		"wrong": func(p *bytes.Buffer) error { return WriteGrade(p, all.Rows[2].Report) },
	} {
		var p bytes.Buffer
		if err := write(&p); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, name+".html")
		if err := os.WriteFile(path, p.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		schemes, widths := []string{"light", "dark"}, []int64{360, 703, 768, 1280, 1920}
		out := os.Getenv("GPUSORT_SCREENSHOTS")
		if out == "" {
			schemes, widths = schemes[:1], widths[:4] // colours move nothing
		}
		for _, scheme := range schemes {
			send(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "screen", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
			for _, width := range widths {
				b.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate("file://"+path))
				if n := eval[int](b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); n > 0 {
					t.Errorf("%s, %d pixels wide: the page is %d pixels too wide", name, width, n)
				}
				if width <= 703 {
					if bad := eval[string](b, sideways); bad != "" {
						t.Errorf("%s, %d pixels wide, these scroll or stick out: %s", name, width, bad)
					}
					if bare := eval[string](b, `[...document.querySelectorAll("table:not(.plain) tbody td:not([data-l])")].map(x => x.textContent.trim()).slice(0, 5).join("; ")`); bare != "" {
						t.Errorf("%s, %d pixels wide: these cells do not say what they are: %s", name, width, bare)
					}
				}
				if out != "" {
					part, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
					if err != nil {
						t.Fatal(err)
					}
					b.save(out, fmt.Sprintf("%s-%s-%d.png", name, scheme, width), part)
				}
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.bad) > 0 {
		t.Errorf("a page complains: %s", strings.Join(w.bad, "\n"))
	}
}
