package report

import (
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
)

// TestSeveral: devices that sort together stand beside the fastest one alone of their
// backend, by either clock.
func TestSeveral(t *testing.T) {
	in := Input{}
	add := func(algo, device string, n uint64, perKey float64, shares ...result.Share) {
		in.Records = append(in.Records, measured(algo, device, "u64", "uniform", n, 100, perKey, func(r *result.Record) { r.Shares = shares }))
	}
	for _, n := range []uint64{1 << 20, 1 << 28} {
		add("auto", "cuda:0", n, 1)
		add("auto", "cuda:1", n, 0.8)
		add("auto", "opencl:0", n, 0.1)
		add("cpu", "cpu", n, 0.1)
	}
	add("auto", "cuda:all", 1<<20, 0.8)
	add("auto", "cuda:all", 1<<28, 0.4, result.Share{Device: "cuda:0", Items: 1 << 27}, result.Share{Device: "cuda:1", Items: 1 << 27})
	in.tidy()
	s := several(newData(in))
	if len(s.Figures) != 2 {
		t.Fatalf("%d figures, want one for each clock", len(s.Figures))
	}
	for _, want := range []string{"2.0", "≈ ", "shares: cuda:0 2^27, cuda:1 2^27", "auto · cuda:all, u64 keys, uniform", "sorted by one of them"} {
		if svg := string(s.Figures[0].SVG()); !strings.Contains(svg, want) {
			t.Errorf("no %q in %s", want, svg)
		}
	}
	// Of a machine with one there is nothing to say.
	in.Only("Device", []string{"cuda:0", "cpu"})
	if s := several(newData(in)); len(s.Figures) != 0 || strings.Contains(pageOf(t, in), "Several devices") {
		t.Error("a section on several devices without any")
	}
}
