package gpusort_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/gpusort/gpusort"
)

// BenchmarkStringSlices sorts slices of strings end to end by the CPU, by every device and by auto, in turns, and reports
// the median milliseconds of each, and of devices what the kernels took: sorts of the slice, and positions of 4 bytes.
// There are 10^7 strings, or $GPUSORT_BENCH_LOG2N, in memory in the order of the slice, and in another one ("apart").
// With GPUSORT_LINES=FILE:FILE it takes lines of files. GPUSORT_DEVICE leaves one device beside the CPU and auto.
//
//	go test -run xxx -bench StringSlices -benchtime 7x .
func BenchmarkStringSlices(b *testing.B) {
	sorters := benchSorters(b)
	each := func(name string, x []string) {
		for _, apart := range []bool{false, true} {
			where := "together"
			if apart {
				x, where = slices.Clone(x), "apart"
				rand.New(rand.NewPCG(1, 2)).Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
			}
			b.Run(fmt.Sprintf("%s/n=%d/%s/sort", name, len(x), where), func(b *testing.B) {
				y := make([]string, len(x))
				inTurns(b, sorters, func() { copy(y, x) }, func(s *gpusort.Sorter) error { return gpusort.SortStringsWith(b.Context(), s, y) })
				if !slices.IsSorted(y) {
					b.Fatal("not sorted")
				}
			})
			b.Run(fmt.Sprintf("%s/n=%d/%s/argsort", name, len(x), where), func(b *testing.B) {
				idx := make([]uint32, len(x))
				inTurns(b, sorters, func() {}, func(s *gpusort.Sorter) error { return gpusort.ArgsortStringsWith(b.Context(), s, idx, x) })
			})
		}
	}
	eachBenchTexts(b, benchKinds[:5], func(name string, texts [][]byte) { each(name, stringsOn(texts)) })
}

// stringsOn are texts as strings behind each other.
func stringsOn(texts [][]byte) []string {
	all, x := string(bytes.Join(texts, nil)), make([]string, len(texts))
	for i, t := range texts {
		x[i], all = all[:len(t)], all[len(t):]
	}
	return x
}

// benchSorter is a Sorter with its device's name.
type benchSorter struct {
	*gpusort.Sorter
	name string
}

// benchSorters are Sorters of the CPU, of each device or that of GPUSORT_DEVICE, and of auto.
func benchSorters(b *testing.B) (all []benchSorter) {
	names, only := []string{"cpu"}, os.Getenv("GPUSORT_DEVICE")
	list, err := gpusort.Devices()
	if err != nil {
		b.Log(err)
	}
	for _, d := range list {
		if d.ID != "cpu" && (only == "" || only == d.ID) {
			names = append(names, d.ID)
		}
	}
	for _, name := range append(names, "auto") {
		s, err := gpusort.New(gpusort.WithDevice(name))
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { s.Close() })
		all = append(all, benchSorter{s, name})
	}
	return all
}

// inTurns times do by each Sorter, behind again, in turns.
func inTurns(b *testing.B, sorters []benchSorter, again func(), do func(*gpusort.Sorter) error) {
	took, device := make([][]float64, len(sorters)), make([][]float64, len(sorters))
	turn := func(counts bool) {
		for i, s := range sorters {
			again()
			start := time.Now()
			if err := do(s.Sorter); err != nil {
				b.Fatalf("%s: %v", s.name, err)
			}
			if counts {
				took[i] = append(took[i], 1e3*time.Since(start).Seconds())
				device[i] = append(device[i], 1e3*s.Last().DeviceTime.Seconds())
			}
		}
	}
	for range 2 { // contexts, code and memory are made
		turn(false)
	}
	for b.Loop() {
		turn(true)
	}
	for i, s := range sorters {
		slices.Sort(took[i])
		slices.Sort(device[i])
		b.ReportMetric(took[i][len(took[i])/2], s.name+"-ms")
		if d := device[i][len(device[i])/2]; d > 0 {
			b.ReportMetric(d, s.name+"-device-ms")
		}
		if s.name == "auto" && s.Last().Device != "cpu" {
			b.ReportMetric(1, "auto-on-"+s.Last().Device)
		}
	}
}
