// Cpubench compares the host sorts with their peers: slices.Sort and
// slices.SortFunc, sorty, NumPy in a child process and, through a shared
// library of ours (bench/peers/vqsort.cc), Highway's vqsort.
//
//	go run ./cmd/cpubench [-op keys|pairs|argsort] [-types u32,u64,f32,f64]
//	    [-n 1e5,1e6] [-dist uniform] [-with slices,vqsort] [-rounds 9]
//	    [-workers 1] [-level avx512] [-json FILE]
//	go run ./cmd/cpubench -bars [-only avx2,argsort] [-json FILE]
//	go run ./cmd/cpubench -curve u64 -json FILE; go run ./cmd/cpubench -plot FILE -svg FILE
//
// Runs are interleaved, one of each contestant per round; the table gives
// medians of thread CPU time (wall time for more than one worker), which other
// load on the machine disturbs least, and the ratios of medians. Small inputs
// are sorted many at a time, each a fresh part of one array, whose keys are new in
// every round. Two workers against
// one: the median of the ratios of at least eleven rounds, with quartiles, who is
// first by turns. -bars measures every cell that a bar is set for and says which
// are met; those of -only cancel are how long sorts take to return from the moment
// at which their context is cancelled.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	op := flag.String("op", "keys", "keys, pairs or argsort")
	types := flag.String("types", "u32,u64,f32,f64", "key types")
	ns := flag.String("n", "1e5,1e6,1e7,1e8", "numbers of keys")
	dists := flag.String("dist", "uniform", "distributions: "+strings.Join(distNames(), ","))
	with := flag.String("with", "vqsort", "peers: slices, sorty, vqsort, numpy, one (worker), uniform (keys)")
	rounds := flag.Int("rounds", 9, "rounds of each contestant")
	limit := flag.Duration("limit", time.Hour, "no new round of a cell after that time, once it has two")
	best := flag.Bool("best", false, "compare the best rounds, not the medians: for a machine busy with other work")
	workers := flag.Int("workers", 1, "workers of our sort")
	level := flag.String("level", "", "force avx512, avx2 or plain; vqsort follows")
	bars := flag.Bool("bars", false, "measure all cells that have a bar")
	only := flag.String("only", "", "of the bars, those whose name holds one of these words")
	curve := flag.String("curve", "", "measure keys of this type over n")
	jsonPath := flag.String("json", "", "append a line of JSON per comparison to this file")
	plotPath := flag.String("plot", "", "draw the curves of this file instead")
	svgPath := flag.String("svg", "cpu.svg", "where the drawing goes")
	p := &peers{}
	flag.StringVar(&p.lib, "vqsort", "", "path of libvqsort.so; built from bench/peers if empty")
	flag.StringVar(&p.script, "numpy", "../bench/peers/numpy_sort.py", "the script that serves NumPy's sorts")
	flag.StringVar(&p.python, "python", "python3", "a Python that has NumPy")
	flag.Parse()
	runtime.LockOSThread()

	err := func() error {
		if *plotPath != "" {
			return plotCurve(*plotPath, *svgPath)
		}
		out, err := newReport(*jsonPath)
		if err != nil {
			return err
		}
		defer out.close()
		defer p.close()
		b := &bench{rounds: *rounds, limit: *limit, best: *best, peers: p, out: out}
		switch {
		case *bars:
			return b.run(selected(barCells(), *only))
		case *curve != "":
			return b.run(curveCells(*curve))
		}
		var cells []cell
		for _, d := range strings.Split(*dists, ",") {
			for _, n := range strings.Split(*ns, ",") {
				for _, t := range strings.Split(*types, ",") {
					f, err := strconv.ParseFloat(n, 64)
					if err != nil {
						return err
					}
					cells = append(cells, cell{op: *op, typ: t, dist: d, n: int(f), level: *level,
						workers: *workers, peers: strings.Split(*with, ",")})
				}
			}
		}
		return b.run(cells)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "cpubench:", err)
		os.Exit(1)
	}
}
