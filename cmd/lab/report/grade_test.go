package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/grade"
)

func TestGradePage(t *testing.T) {
	r := grade.Report{
		Title: "Lab <2>", Submission: "mine.cu", Key: "i32", Device: "cuda:0", DeviceName: "A card", Seed: 7, Score: 4.5, Max: 9,
		Items: []grade.Item{{Name: "n = 1000", Points: 2, Max: 2, Status: grade.Full, Detail: "right"}, {Name: "occupancy", Max: 3, Status: grade.Skipped, Detail: "not known"}},
		Cases: []grade.Case{
			{N: 1000, Dist: "uniform", Passed: true, NS: []int64{5000, 4000, 6000}},
			{N: 1 << 20, Dist: "uniform", Passed: true, NS: []int64{500000, 400000}},
			{N: 1 << 20, Dist: "zipf", Reason: "position 3 is out of order <script>"},
		},
		Printed: "FUNCTIONAL SUCCESS",
	}
	var b bytes.Buffer
	if err := WriteGrade(&b, r); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, want := range []string{"<h1>Lab &lt;2&gt;</h1>", "4.5 of 9 points", "1 of 3 inputs were not sorted right", "position 3 is out of order &lt;script&gt;",
		"2<sup>20</sup>", "4 µs", "450 µs", "FUNCTIONAL SUCCESS", "<svg", "seed 7"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, bad := range []string{"http:", "https:", "<script", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page holds %q", bad)
		}
	}
	b.Reset()
	if err := WriteGrade(&b, grade.Report{Title: "x", Refused: "it does not compile", Items: []grade.Item{{Name: "sorts", Detail: "no points: it does not compile"}}}); err != nil || !strings.Contains(b.String(), "No points: it does not compile") {
		t.Errorf("a refused submission: %v", err)
	}
	if n := strings.Count(b.String(), "does not compile"); n != 1 {
		t.Errorf("the reason stands there %d times", n)
	}
}
