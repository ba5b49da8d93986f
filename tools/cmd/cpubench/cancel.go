package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/key"
)

// cancelBar is how long a sort may take to return once its context is cancelled.
const cancelBar = 50 * time.Millisecond

// cancelled is one sort that was cancelled: how long it took from then on, by the
// clock and in CPU time of the whole process. On a machine that is busy with other
// work the first is too long; on a quiet one it lies between the second and the
// second divided by the number of workers.
type cancelled struct {
	wall, cpu time.Duration
	stolen    bool // the host ran others in the meantime: the times are not the sort's
}

// cancel measures how long sorts of c take to return from the moment at which
// their context is cancelled. The moments are spread over the time of a whole sort,
// the first few as evenly as all: by steps of the golden section.
func (b *bench) cancel(c cell) error {
	if free, need := availableBytes(), cancelBytes(c); free < need {
		fmt.Printf("not measured: %s %s %s %.3g needs %.1f GB, %.1f are available\n", c.op, c.typ, c.dist, float64(c.n), float64(need)/1e9, float64(free)/1e9)
		return nil
	}
	in, err := newInput(c)
	if err != nil {
		return err
	}
	defer simd.Force(levelOf(c.level))()
	runtime.GOMAXPROCS(max(2, c.workers))
	sort, reset, sum := contextSort(c, in)
	runtime.GC()
	whole := time.Hour
	for range 2 { // the first warms up
		reset()
		start := time.Now()
		if err := sort(context.Background()); err != nil {
			return err
		}
		whole = min(whole, time.Since(start))
	}
	reset()
	want := sum()
	var all, left []cancelled
	start, at := time.Now(), 0.1
	for i := 0; i < b.rounds+len(left) && (len(all) < 5 && i < 15 || time.Since(start) < b.limit); i++ {
		reset()
		after := time.Duration(at * float64(whole))
		at = math.Mod(at+math.Phi-1, 1)
		d, err := cancelAfter(after, sort)
		if err != nil {
			return err
		}
		if sum() != want {
			return fmt.Errorf("%s %s %s %d, cancelled after %v: elements were lost", c.op, c.typ, c.dist, c.n, after)
		}
		switch {
		case d == nil: // the sort was done before
		case d.stolen:
			left = append(left, *d)
		default:
			all = append(all, *d)
		}
	}
	if len(all) == 0 {
		all, left = left, nil
	}
	b.out.cancel(c, all, len(left))
	return nil
}

// cancelAfter cancels a sort after so long; it returns nil if the sort was done by
// then.
func cancelAfter(d time.Duration, sort func(context.Context) error) (*cancelled, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- sort(ctx) }()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case err := <-done:
		return nil, err
	case <-timer.C:
	}
	before, start, cpu := stolen(), time.Now(), processTime()
	cancel()
	err := <-done
	c := cancelled{wall: time.Since(start), cpu: processTime() - cpu}
	c.stolen = stolen() != before
	if err == nil {
		return nil, nil
	}
	return &c, nil
}

// contextSort is our sort of a working copy of the input, what makes that copy, and
// a sum of what it must not lose, whatever the order: keys, or keys with values.
func contextSort(c cell, in *input) (sort func(context.Context) error, reset func(), sum func() uint64) {
	ty, err := key.Parse(c.typ)
	if err != nil {
		panic(err) // newInput has checked it
	}
	codec := key.CodecOf(ty, key.Order{})
	if ty.Bytes() == 4 {
		return contextSortOf[uint32](c, in, codec)
	}
	return contextSortOf[uint64](c, in, codec)
}

func contextSortOf[U uint32 | uint64](c cell, in *input, codec key.Codec) (sort func(context.Context) error, reset func(), sum func() uint64) {
	x := unsafe.Slice((*U)(unsafe.Pointer(&in.x[0])), c.n)
	var v []U
	if in.v != nil {
		v = unsafe.Slice((*U)(unsafe.Pointer(&in.v[0])), c.n)
	}
	sort = func(ctx context.Context) error {
		o := cpu.Options{Workers: c.workers, Ctx: ctx}
		switch c.op {
		case "keys":
			return cpu.Keys(x, codec, o)
		case "pairs":
			return cpu.Pairs(x, v, codec, o)
		}
		return cpu.Argsort(x, v, codec, o)
	}
	reset = func() {
		copy(in.x, in.keys)
		for i := range v {
			v[i] = U(i)
		}
	}
	sum = func() uint64 {
		s := uint64(0)
		for i, u := range x {
			w := uint64(u)
			if c.op == "pairs" {
				w ^= uint64(v[i]) << 17
			}
			w *= 0x9e3779b97f4a7c15
			s += w ^ w>>29
		}
		return s
	}
	return sort, reset, sum
}

// cancelBytes is about what a cancelled cell takes: two copies of the keys, and
// for the others values or indices and the scratch of the sort.
func cancelBytes(c cell) uint64 {
	in := uint64(c.n) * 4
	if c.typ[1:] == "64" {
		in *= 2
	}
	switch c.op {
	case "keys":
		return 2*in + in/4 + 1<<30
	case "pairs":
		return 3*in + 5*in/2 + 1<<30
	}
	return 3*in + uint64(c.n)*10 + 1<<30
}

// availableBytes is the memory that the machine has to spare.
func availableBytes() uint64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 1 << 62 // not Linux: try
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		var kib uint64
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 1 << 62
}

// processTime is the CPU time of all threads so far.
func processTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// worst returns the median and the largest of d.
func worst(d []time.Duration) (mid, most time.Duration) {
	if len(d) == 0 {
		return 0, 0
	}
	return median(d), slices.Max(d)
}
