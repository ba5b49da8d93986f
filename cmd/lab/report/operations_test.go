package report

import (
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// TestOperations: operations have a section of their own, and are in none of the sorts'.
func TestOperations(t *testing.T) {
	in := full()
	before := newVerdict(newData(in))
	for _, o := range ops.All() {
		for _, n := range []uint64{1 << 12, 1 << 16} {
			for by, perKey := range map[string]float64{ops.Ours: 1, ops.Go: 20} {
				in.Records = append(in.Records, measured(by, "cpu", "u32", "uniform", n, 100, perKey, func(r *result.Record) {
					s, err := ops.Spec{Op: o.Name, Items: n}.Complete()
					if err != nil {
						t.Fatal(err)
					}
					r.Op, r.Segments, r.K, r.StringLen = o.Name, s.Segments, s.K, s.StringLen
				}))
			}
		}
	}
	in.tidy()
	d := newData(in)
	if after := newVerdict(d); len(after.Tables) != len(before.Tables) || len(after.Headlines) != len(before.Headlines) || len(after.Tables[0].Rows) != len(before.Tables[0].Rows) {
		t.Errorf("operations are in the verdict on sorts")
	}
	s := operations(d)
	if len(s.Figures) != 1+len(ops.All()) {
		t.Fatalf("%d figures", len(s.Figures))
	}
	text := pageOf(t, in)
	for _, want := range []string{
		`<section id="operations">`, "select of the middle, u32, uniform", "merge of 8 runs, u32, uniform", "Go: slices.Compact.",
		"gpusort&#39;s rate over Go&#39;s", "20.0×", "89 measured cells",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on the page", want)
		}
	}
	if n := strings.Count(text, "<tr data-s="); n != len(d.measured()) {
		t.Errorf("%d rows for %d cells", n, len(d.measured()))
	}
}
