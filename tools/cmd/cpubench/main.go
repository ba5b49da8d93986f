// Cpubench compares the host sorts with their peers: slices.Sort and, through
// a shared library of ours (bench/peers/vqsort.cc), Highway's vqsort.
//
//	go run ./cmd/cpubench [-types u32,u64,f32,f64] [-n 1e5,1e6] [-dist uniform]
//	    [-with slices,vqsort] [-rounds 9] [-workers 1] [-level avx512]
//
// Runs are interleaved, one of each contestant per round; the table gives
// medians of thread CPU time (wall time for more than one worker), which other
// load on the machine disturbs least, and the ratios of medians. Small inputs
// are sorted many at a time, each a fresh part of one array.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	types := flag.String("types", "u32,u64,f32,f64", "key types")
	ns := flag.String("n", "1e5,1e6,1e7,1e8", "numbers of keys")
	dists := flag.String("dist", "uniform", "distributions: "+strings.Join(distNames(), ","))
	with := flag.String("with", "vqsort", "peers: slices, vqsort")
	rounds := flag.Int("rounds", 9, "rounds of each contestant")
	workers := flag.Int("workers", 1, "workers of our sort")
	level := flag.String("level", "", "force avx512, avx2 or plain; vqsort follows")
	lib := flag.String("vqsort", "", "path of libvqsort.so; built from bench/peers if empty")
	flag.Parse()
	runtime.LockOSThread()
	b := bench{rounds: *rounds, workers: *workers, peers: strings.Split(*with, ",")}
	if err := b.setUp(*level, *lib); err != nil {
		fmt.Fprintln(os.Stderr, "cpubench:", err)
		os.Exit(1)
	}
	head := []string{"type", "distribution", "n", "gpusort M/s"}
	for _, p := range b.peers {
		head = append(head, p+" M/s", "gpusort / "+p)
	}
	fmt.Println("| " + strings.Join(head, " | ") + " |")
	fmt.Println("|" + strings.Repeat("---|", len(head)))
	for _, d := range strings.Split(*dists, ",") {
		for _, n := range strings.Split(*ns, ",") {
			for _, t := range strings.Split(*types, ",") {
				f, err := strconv.ParseFloat(n, 64)
				if err == nil {
					err = b.row(t, d, int(f))
				}
				if err != nil {
					fmt.Fprintln(os.Stderr, "cpubench:", err)
					os.Exit(1)
				}
			}
		}
	}
	b.summary()
}

// clock is thread CPU time, or wall time if the sort has several workers.
func (b *bench) clock() time.Duration {
	id := int32(unix.CLOCK_THREAD_CPUTIME_ID)
	if b.workers > 1 {
		id = unix.CLOCK_MONOTONIC
	}
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
