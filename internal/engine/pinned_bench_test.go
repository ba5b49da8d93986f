package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/driver/trace"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// pinnedWay is one way to sort that BenchmarkPinned times.
type pinnedWay struct {
	name    string
	halve   bool   // the link works while the device does
	unsaved bool   // no safety copy
	by      [2]int // goroutines that make it, on the way up and down; 0: as usual
}

var pinnedWays = []pinnedWay{
	{name: "link", unsaved: true}, // no sort: bytes in, then bytes out, which is the limit
	{name: "whole-unsaved", unsaved: true},
	{name: "whole-8-8", by: [2]int{8, 8}}, // how it was
	{name: "halves-unsaved", halve: true, unsaved: true},
	{name: "halves", halve: true},
	{name: "halves-4-12", halve: true, by: [2]int{4, 12}},
	{name: "halves-6-12", halve: true, by: [2]int{6, 12}},
	{name: "halves-8-8", halve: true, by: [2]int{8, 8}},
	{name: "halves-12-6", halve: true, by: [2]int{12, 6}},
	{name: "halves-16-4", halve: true, by: [2]int{16, 4}},
}

func (w pinnedWay) run(r *linkRig) error {
	r.e.exec.Sizes = exec.DefaultSizes
	r.e.exec.Sizes.HalveFrom, r.e.exec.Unsaved = 0, w.unsaved
	if w.halve {
		r.e.exec.Sizes.HalveFrom = 1
	}
	if w.by[0] != 0 {
		r.e.exec.Sizes.SaveUp, r.e.exec.Sizes.SaveDown = w.by[0], w.by[1]
	}
	if w.name == "link" {
		return errors.Join(r.up(), r.down())
	}
	_, err := r.e.Sort(context.Background(), r.job)
	return err
}

// BenchmarkPinned sorts page-locked memory in all ways in turn, so that what the
// machine does besides falls on all alike, and tells the medians in milliseconds.
// Then it writes a time line of a sort as a whole and of one in halves.
// $GPUSORT_BENCH_LOG2N is the number of keys, 2^20 if it is not set. An iteration is
// one turn of all ways:
//
//	engine.test -test.run '^$' -test.bench 'Pinned/u32' -test.benchtime 7x
func BenchmarkPinned(b *testing.B) {
	for _, t := range []key.Type{key.U32, key.U64} {
		b.Run(fmt.Sprintf("%v/n=2^%d", t, linkBits()), func(b *testing.B) {
			p := plan.Problem{Type: t, Items: 1 << linkBits()}
			times := pinnedTurns(b, newLinkRig(b, linkDriver(), p))
			link := times["link"].Seconds()
			// Not by b.Log, which keeps ten lines.
			fmt.Printf("\n%v, 2^%d keys\n", t, linkBits())
			for _, w := range pinnedWays {
				took := times[w.name].Seconds()
				b.ReportMetric(took*1e3, w.name+"-ms")
				fmt.Printf("%-20s %8.2f ms, %5.1f %% of the link\n", w.name, took*1e3, 100*link/took)
			}
			for _, halve := range []bool{false, true} {
				fmt.Print(timeLine(b, p, halve))
			}
		})
	}
}

// pinnedTurns returns the median time of each way.
func pinnedTurns(b *testing.B, r *linkRig) map[string]time.Duration {
	b.Helper()
	all := map[string][]time.Duration{}
	once := func(w pinnedWay) time.Duration {
		r.fill()
		start := time.Now()
		if err := w.run(r); err != nil {
			b.Fatalf("%s: %v", w.name, err)
		}
		return time.Since(start)
	}
	for range 2 { // load the code, grow the memory
		for _, w := range pinnedWays {
			once(w)
		}
	}
	for b.Loop() {
		for _, w := range pinnedWays {
			all[w.name] = append(all[w.name], once(w))
		}
	}
	median := map[string]time.Duration{}
	for name, t := range all {
		slices.Sort(t)
		median[name] = t[len(t)/2]
	}
	return median
}

// timeLine sorts twice with every command of the device between two events and
// writes down the second sort: host stages by the host's clock, then commands by the
// device's, which begins with the first command. The events keep commands apart, so
// that the whole takes a little longer than without.
func timeLine(b *testing.B, p plan.Problem, halve bool) string {
	tr := trace.Timed(linkDriver())
	r := newLinkRig(b, tr, p)
	if r.e.exec.Sizes.HalveFrom = 0; halve {
		r.e.exec.Sizes.HalveFrom = 1
	}
	var out strings.Builder
	for turn := range 2 {
		r.fill()
		tr.Reset()
		var mu sync.Mutex
		var stages []string
		start := time.Now()
		r.e.exec.Watch = func(stage string) {
			mu.Lock()
			defer mu.Unlock()
			stages = append(stages, fmt.Sprintf("  host %9.3f ms %s", time.Since(start).Seconds()*1e3, stage))
		}
		report, err := r.e.Sort(context.Background(), r.job)
		if err != nil {
			b.Fatal(err)
		}
		if turn == 0 {
			continue
		}
		fmt.Fprintf(&out, "time line, %v, in halves: %v: %.2f ms, %.2f on the device\n%s\n", p.Type, halve,
			report.Elapsed.Seconds()*1e3, report.DeviceTime.Seconds()*1e3, strings.Join(stages, "\n"))
		writeCommands(&out, tr.Entries())
	}
	return out.String()
}

// writeCommands lists the commands that took long, and the others in numbers.
func writeCommands(out *strings.Builder, calls []trace.Entry) {
	var short int
	var sum int64
	for _, c := range calls {
		switch {
		case c.Nanos < 0:
		case c.Nanos < 20_000:
			short++
			sum += c.Nanos
		default:
			args, _, _ := strings.Cut(c.Args, " args=")
			fmt.Fprintf(out, "  %-5s %9.3f … %9.3f ms %s %s\n", c.On, float64(c.Start)/1e6, float64(c.Start+c.Nanos)/1e6, c.Method, args)
		}
	}
	fmt.Fprintf(out, "  and %d commands of less than 0.02 ms, %.3f ms together\n", short, float64(sum)/1e6)
}
