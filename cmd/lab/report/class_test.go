package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/grade"
	"github.com/gpusort/gpusort/cmd/lab/grade/class"
)

func aClass() class.Class {
	items := func(a, b float64, s grade.Status) []grade.Item {
		return []grade.Item{{Name: "sorts 1,000 keys", Points: a, Max: 4, Status: grade.Full}, {Name: "speed at 2^20 keys, uniform", Points: b, Max: 6, Status: s}}
	}
	whole := grade.Confinement{Whole: true}
	return class.Class{Title: "Lab <2>", Rows: []class.Row{
		{Name: "ann/sort.cl", File: "ann_sort.cl-1", Rank: 1, Reruns: 2, Report: grade.Report{Score: 9.5, Max: 10, Unstable: true, Confinement: whole, Items: items(4, 5.5, grade.Partial)}},
		{Name: "<script>.cl", File: "_script_.cl-2", Rank: 2, Report: grade.Report{Score: 4, Max: 4, Confinement: whole, Items: items(4, 0, grade.Skipped)}},
		{Name: "cid.cl", File: "cid.cl", Rank: 3, Report: grade.Report{Max: 10, Confinement: whole, Refused: "does not compile:\ncid.cl:3:7: error", Items: items(0, 0, grade.None)}},
		{Name: "dot.cl", File: "dot.cl", Rank: 3, Err: "no device"},
	}, Alike: []class.Pair{{A: "ann/sort.cl", B: "cid.cl", Share: 0.834}}}
}

func TestClassPage(t *testing.T) {
	var b bytes.Buffer
	if err := WriteClass(&b, aClass()); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"<h1>Lab &lt;2&gt;</h1>", "4 submissions · 1 could not be graded · 1 not measurable here in part", `<a href="ann_sort.cl-1.html">ann/sort.cl</a>`,
		"<b>9.5</b> ≈", "5.5", "&lt;script&gt;.cl", "✗ no points: does not compile: cid.cl:3:7: error", "✗ not graded: no device", "graded again", "9 to 10", "0 to less than 1",
		"width:100%", "83 %", "–"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"http:", "https:", "<script", "ZgotmplZ", "NOT CONFINED"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	c := aClass()
	c.Rows[0].Report.Confinement = grade.Confinement{Lacks: []string{"namespaces"}}
	b.Reset()
	if err := WriteClass(&b, c); err != nil || !strings.Contains(b.String(), "NOT CONFINED: this machine lacks namespaces") {
		t.Errorf("%v: a class that was not confined does not say so", err)
	}
}
