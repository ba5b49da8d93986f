package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	public "github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/few"
	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// cell is one input and the contestants that sort it.
type cell struct {
	op, typ, dist string
	n             int
	level         string // "" is the best
	workers       int
	peers         []string
	bars          []float64 // the least ratio to each peer; nil: none is set
	name          string    // of the bar
}

// bench is one invocation.
type bench struct {
	rounds int
	limit  time.Duration
	best   bool
	peers  *peers
	out    *report
}

// run measures the cells in turn and prints a row for each peer of each.
func (b *bench) run(cells []cell) error {
	for _, c := range cells {
		measure := b.cell
		if c.name == "cancel" {
			measure = b.cancel
		}
		if err := measure(c); err != nil {
			return err
		}
	}
	b.out.summary()
	return nil
}

// steadyItems is how many keys a cell sorts at least, if its time allows.
const steadyItems = 2e7

// learned is the size from which on no processor learns an input by heart.
const learned = 1 << 13

// contestant sorts a fresh copy of the input each time it is called and
// returns how long the sort took.
type contestant func() (time.Duration, error)

func (b *bench) cell(c cell) error {
	in, err := newInput(c)
	if err != nil {
		return err
	}
	if err := b.peers.setLevel(c.level); err != nil {
		return err
	}
	defer simd.Force(levelOf(c.level))()
	runtime.GOMAXPROCS(max(2, c.workers))
	all := []contestant{in.timed(c.workers, ours(c, c.workers))}
	names := []string{"gpusort"}
	for _, p := range c.peers {
		f, err := b.peers.contestant(p, c, in)
		if err != nil {
			// A peer that is not there costs its rows, not the others'.
			fmt.Fprintf(os.Stderr, "cpubench: %s: %v\n", p, err)
		}
		all, names = append(all, f), append(names, p)
	}
	items := float64(c.n * in.copies)
	// Rounds of a millisecond see what is in the way of the first few.
	rounds := max(b.rounds, int(steadyItems/items))
	times := make([][]time.Duration, len(all))
	var whole []bool // by round: nothing of it was stolen
	runtime.GC()
	start := time.Now()
	// The first round warms up, but where rounds are few it counts.
	least := 2
	if c.paired() {
		least = pairedRounds + 1
	}
	for r := 0; r <= max(rounds, least-1) && (r < least || time.Since(start) < b.limit); r++ {
		// Keys that come back are learned by branch predictors, where they are few.
		if r > 0 && c.n < learned {
			in.draw()
		}
		before := stolen()
		for i := range all {
			if c.paired() && r%2 == 1 {
				i = len(all) - 1 - i // whoever is second finds the caches as the first left them
			}
			f := all[i]
			if f == nil {
				continue
			}
			d, err := f()
			if err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
			times[i] = append(times[i], d)
		}
		whole = append(whole, stolen() == before)
	}
	rate := func(i int) float64 {
		t := times[i]
		if len(t) > 3 {
			t = t[1:]
		}
		if b.best {
			return items / slices.Min(t).Seconds() / 1e6
		}
		return items / median(t).Seconds() / 1e6
	}
	for i := 1; i < len(all); i++ {
		if all[i] == nil {
			continue
		}
		row := result{Name: c.name, Op: c.op, Type: c.typ, Dist: c.dist, N: c.n, Level: simd.Current().String(),
			Workers: c.workers, Rounds: len(times[i]), Ours: rate(0), Peer: names[i], Theirs: rate(i)}
		row.Ratio = row.Ours / row.Theirs
		if c.paired() && !b.best {
			row.Ratio, row.Low, row.High, row.Stolen = ratios(times[i][1:], times[0][1:], whole[1:])
		}
		if i <= len(c.bars) {
			row.Bar = c.bars[i-1]
		}
		b.out.row(row)
	}
	return nil
}

// pairedRounds is how many rounds a paired cell has at least, after the first,
// whatever the limit on its time.
const pairedRounds = 11

// paired reports whether the ratio of c is that of rounds, not of medians: its wall
// times, of two runs of ours one after the other, share what slows the machine for
// a second, and few of them, as there are of 10^8 keys, make a poor median.
func (c cell) paired() bool { return slices.Contains(c.peers, "one") }

// ratios returns the median of a[i] / b[i], and the quartiles, of whole rounds if
// there are pairedRounds of them, and how many others it has left out.
func ratios(a, b []time.Duration, whole []bool) (mid, low, high float64, left int) {
	var r []float64
	for i := range a {
		if whole[i] {
			r = append(r, a[i].Seconds()/b[i].Seconds())
		}
	}
	if left = len(a) - len(r); len(r) < pairedRounds {
		r, left = r[:0], 0
		for i := range a {
			r = append(r, a[i].Seconds()/b[i].Seconds())
		}
	}
	slices.Sort(r)
	return r[(len(r)-1)/2], r[(len(r)-1)/4], r[len(r)-1-(len(r)-1)/4], left
}

// ours returns our sort of the copy of the input at p, values or indices at v.
func ours(c cell, workers int) func(p, v unsafe.Pointer) {
	ty, err := key.Parse(c.typ)
	if err != nil {
		panic(err) // newInput has checked it
	}
	if c.op == "keys" && c.n <= few.Most && c.level == "" {
		return fewKeys(c)
	}
	codec := key.CodecOf(ty, key.Order{})
	o := cpu.Options{Workers: workers}
	if ty.Bytes() == 4 {
		return oursOf[uint32](c.op, c.n, codec, o)
	}
	return oursOf[uint64](c.op, c.n, codec, o)
}

// fewKeys is the sort that users call. Below it there is none that they reach with few keys.
func fewKeys(c cell) func(p, v unsafe.Pointer) {
	switch c.typ {
	case "u32":
		return func(p, _ unsafe.Pointer) { public.Sort(unsafe.Slice((*uint32)(p), c.n)) }
	case "u64":
		return func(p, _ unsafe.Pointer) { public.Sort(unsafe.Slice((*uint64)(p), c.n)) }
	case "f32":
		return func(p, _ unsafe.Pointer) { public.Sort(unsafe.Slice((*float32)(p), c.n)) }
	default:
		return func(p, _ unsafe.Pointer) { public.Sort(unsafe.Slice((*float64)(p), c.n)) }
	}
}

func oursOf[U uint32 | uint64](op string, n int, c key.Codec, o cpu.Options) func(p, v unsafe.Pointer) {
	switch op {
	case "keys":
		return func(p, _ unsafe.Pointer) { _ = cpu.Keys(unsafe.Slice((*U)(p), n), c, o) }
	case "pairs":
		return func(p, v unsafe.Pointer) {
			_ = cpu.Pairs(unsafe.Slice((*U)(p), n), unsafe.Slice((*U)(v), n), c, o)
		}
	default:
		return func(p, v unsafe.Pointer) {
			_ = cpu.Argsort(unsafe.Slice((*U)(p), n), unsafe.Slice((*U)(v), n), c, o)
		}
	}
}

// clock is thread CPU time, or wall time if the sort has several workers.
func clock(workers int) time.Duration {
	id := int32(unix.CLOCK_THREAD_CPUTIME_ID)
	if workers > 1 {
		id = unix.CLOCK_MONOTONIC
	}
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

func median(d []time.Duration) time.Duration {
	d = slices.Clone(d)
	slices.Sort(d)
	return d[(len(d)-1)/2]
}

func levelOf(name string) simd.Level {
	for _, l := range []simd.Level{simd.Plain, simd.AVX2, simd.AVX512} {
		if l.String() == name {
			return l
		}
	}
	return simd.Best()
}
