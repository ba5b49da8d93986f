package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
)

// TestFilesOnThePage: files have a section with a table and two charts, and are in none of the
// other sections.
func TestFilesOnThePage(t *testing.T) {
	in := full()
	before := newVerdict(newData(in))
	for _, n := range []uint64{1000, 1 << 20} {
		for by, perKey := range map[string]float64{"gpusort": 50, "gnu-sort": 500} {
			for _, budget := range []uint64{0, 64 << 20} {
				in.Records = append(in.Records, measured(by, "cpu", "lines", "uniform", n, 1e6, perKey, func(r *result.Record) {
					r.Op, r.Format, r.StringLen, r.Budget, r.FileBytes, r.PeakBytes = "files", "lines", 16, budget, 17*n, 3<<20
					for _, ns := range r.WallNS {
						r.CPUNS = append(r.CPUNS, 2*ns)
					}
				}))
			}
		}
	}
	in.tidy()
	d := newData(in)
	if after := newVerdict(d); len(after.Tables) != len(before.Tables) || len(after.Headlines) != len(before.Headlines) || len(d.ops) != 0 {
		t.Errorf("files are in the verdict on sorts, or are operations")
	}
	s := files(d)
	if len(s.Figures) != 2 || len(s.Tables) != 1 || len(s.Tables[0].Rows) != 8 || len(s.Tables[0].Rows[0]) != len(s.Tables[0].Head) {
		t.Fatalf("%d figures, tables %v", len(s.Figures), s.Tables)
	}
	text := pageOf(t, in)
	for _, want := range []string{`<section id="files">`, "lines of words of 16 bytes, uniform", "seconds of processors per GB", "peak of memory", "3.00 MiB", "gpusort, 64.0 MiB"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	var md bytes.Buffer
	if err := result.WriteMarkdown(&md, in.Records); err != nil || strings.Count(md.String(), "| peak of memory ") != 1 || strings.Count(md.String(), "| files ") != 0 {
		t.Errorf("%v, %s", err, md.String())
	}
}
