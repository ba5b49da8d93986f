package main

import (
	"slices"
	"strings"
)

var allTypes = []string{"u32", "u64", "f32", "f64"}

// barCells are the cells that a bar is set for, with the bars.
func barCells() []cell {
	var cells []cell
	add := func(name, op string, types []string, dist string, ns []int, level string, workers int, peers []string, bars []float64) {
		for _, n := range ns {
			for _, t := range types {
				cells = append(cells, cell{op: op, typ: t, dist: dist, n: n, level: level, workers: workers, peers: peers, bars: bars, name: name})
			}
		}
	}
	ints := allTypes[:2]
	big := []int{1e7}
	one := []float64{1}
	add("keys", "keys", allTypes, "uniform", []int{1e5, 1e6, 1e7, 1e8}, "", 1, []string{"vqsort", "numpy"}, []float64{1, 1})
	add("keys-avx2", "keys", allTypes, "uniform", []int{1e5, 1e6, 1e7, 1e8}, "avx2", 1, []string{"vqsort"}, one)
	for _, d := range []string{"zipf", "constant", "sorted", "few", "two"} {
		add("skew", "keys", allTypes, d, big, "", 1, []string{"vqsort"}, one)
	}
	// No worse than 1.3 × the time of uniform keys.
	for _, d := range []string{"zipf", "constant", "sorted", "reverse", "two", "few", "organ", "almost"} {
		add("hard", "keys", ints, d, big, "", 1, []string{"uniform"}, []float64{1 / 1.3})
	}
	add("slices", "keys", ints[:1], "uniform", big, "", 1, []string{"slices"}, []float64{25})
	add("slices", "keys", ints[1:], "uniform", big, "", 1, []string{"slices"}, []float64{14})
	add("plain", "keys", ints[:1], "uniform", big, "plain", 1, []string{"slices"}, []float64{13})
	add("plain", "keys", ints[1:], "uniform", big, "plain", 1, []string{"slices"}, []float64{7})
	add("argsort", "argsort", ints[:1], "uniform", big, "", 1, []string{"slices", "numpy"}, []float64{35, 3})
	add("pairs", "pairs", ints[:1], "uniform", big, "", 1, []string{"slices"}, []float64{20})
	add("pairs", "pairs", ints[1:], "uniform", big, "", 1, []string{"slices"}, []float64{10})
	add("small", "keys", ints, "uniform", []int{8, 10, 12, 16, 24, 32, 48}, "", 1, []string{"slices"}, one)
	add("small", "keys", ints, "uniform", []int{64, 100, 128, 200, 256, 400, 512, 1000, 1024}, "", 1, []string{"slices"}, []float64{4})
	add("tiny", "keys", ints, "uniform", []int{2, 3, 4, 5, 6, 7}, "", 1, []string{"slices"}, one)
	add("two-workers", "keys", allTypes, "uniform", []int{1e7, 1e8}, "", 2, []string{"one"}, []float64{1.75})
	// A cancelled sort returns within cancelBar.
	for _, op := range []string{"keys", "pairs", "argsort"} {
		for _, d := range []string{"uniform", "two", "few", "sorted", "reverse"} {
			add("cancel", op, ints, d, []int{1e7, 5e7, 2e8}, "", 2, nil, nil)
		}
	}
	add("cancel", "keys", []string{"f64"}, "uniform", []int{5e7, 2e8}, "", 2, nil, nil)
	add("cancel", "keys", []string{"u64", "f64"}, "uniform", []int{5e7, 2e8}, "", 1, nil, nil)
	add("cancel", "keys", ints, "uniform", []int{5e7}, "plain", 2, nil, nil)
	add("cancel", "pairs", ints, "uniform", []int{5e7}, "plain", 2, nil, nil)
	add("cancel", "pairs", ints, "uniform", []int{1e8}, "", 1, nil, nil)
	add("cancel", "pairs", ints[1:], "uniform", []int{1e8}, "", 2, nil, nil)
	add("cancel", "pairs", ints, "zipf", []int{5e7}, "", 2, nil, nil)
	return cells
}

// selected are the cells whose bar has one of the names, or all.
func selected(cells []cell, names string) []cell {
	if names == "" {
		return cells
	}
	want := strings.Split(names, ",")
	return slices.DeleteFunc(cells, func(c cell) bool { return !slices.Contains(want, c.name) })
}

// curveCells are keys of one type over n.
func curveCells(t string) []cell {
	var cells []cell
	for _, n := range []int{10, 30, 100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7} {
		p := []string{"vqsort", "numpy", "slices", "sorty"}
		cells = append(cells, cell{op: "keys", typ: t, dist: "uniform", n: n, workers: 1, peers: p, name: "curve"})
	}
	return cells
}
