package engine

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/rows"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// randomLines are n random strings of 24 bytes, behind each other in memory.
func randomLines(n int) []string {
	const size = 24
	b, r := make([]byte, n*size), rand.New(rand.NewPCG(1, uint64(n)))
	for i := range b {
		b[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[r.Uint32()>>26]
	}
	all, x := string(b), make([]string, n)
	for i := range x {
		x[i] = all[i*size : (i+1)*size]
	}
	return x
}

// BenchmarkTexts tells what each stage of a sort of random lines takes on a device, $GPUSORT_DEVICE or cuda:0, in
// milliseconds: the lengths and memory, packing and the upload, the plans, the download, and moving the headers. There
// are 2^20 lines, or those of $GPUSORT_BENCH_LOG2N.
func BenchmarkTexts(b *testing.B) {
	name := DefaultDevice()
	if name == "auto" {
		name = "cuda:0"
	}
	e, err := New(Config{Device: name})
	if err != nil {
		absent.Skip(b, name, "%v", err)
	}
	defer e.Close()
	n := 1 << linkBits()
	x, in := make([]string, n), randomLines(n)
	type mark struct {
		stage string
		at    time.Time
	}
	var marks []mark
	e.exec.Watch = func(stage string) { marks = append(marks, mark{stage, time.Now()}) }
	t := TextSort{
		Host: func(h cpu.Options, desc bool) error { return rows.SortStrings(h, x, desc) },
		By: func(h cpu.Options, order func([]uint32) error) error {
			return rows.ArrangeBy(h, x, func(places []uint32) error {
				defer e.exec.Watch("headers")
				return order(places)
			})
		},
	}
	took := map[string][]float64{}
	turn := func() {
		copy(x, in)
		marks = nil
		e.exec.Watch("lengths")
		if _, err := e.SortTexts(b.Context(), stringsOf(x, false), t); err != nil {
			b.Fatal(err)
		}
		e.exec.Watch("end")
	}
	for range 3 { // memory is made, code is loaded
		turn()
	}
	for b.Loop() {
		turn()
		for i, m := range marks[:len(marks)-1] {
			took[m.stage] = append(took[m.stage], 1e3*marks[i+1].at.Sub(m.at).Seconds())
		}
	}
	for stage, all := range took {
		slices.Sort(all)
		b.ReportMetric(all[len(all)/2], stage+"-ms")
	}
}
