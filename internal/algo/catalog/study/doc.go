// Package study lists what is here to be measured and learnt from: sorts of the
// reports and papers that are never chosen unless they are named, and prefix sums.
// Importing it adds the sorts to internal/algo/catalog and links their device code. The
// command and the lab do; the library does not, so that its importers go without.
package study

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/bitonic"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/counting"
	cpubitonic "github.com/gpusort/gpusort/internal/algo/cpu/bitonic"
	"github.com/gpusort/gpusort/internal/algo/hostscatter"
	"github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/algo/radix4"

	_ "github.com/gpusort/gpusort/internal/kernel/study" // their device code
)

func init() {
	catalog.Add(func() ([]algo.Algorithm, []catalog.Host) { return algorithms(), tied(hosts()) })
}

// algorithms holds one line per device algorithm.
func algorithms() []algo.Algorithm {
	return []algo.Algorithm{
		radix4.Algorithm(),
		hostscatter.Algorithm(),
		merge.Path,
		merge.Separators,
		bitonic.Algorithm(bitonic.Best),
		bitonic.Algorithm(bitonic.Shared),
		bitonic.Algorithm(bitonic.SharedStep),
		bitonic.Algorithm(bitonic.Presort),
		bitonic.Algorithm(bitonic.Pairs),
		bitonic.Algorithm(bitonic.Div),
		bitonic.Algorithm(bitonic.Grid),
		bitonic.Algorithm(bitonic.Naive),
		counting.Algorithm(),
		counting.RangeAlgorithm(),
	}
}

// hosts holds one line per host algorithm.
func hosts() []catalog.Host {
	return []catalog.Host{
		{Name: "radix-lsd", Doc: "parallel LSD radix sort, 8-bit digits", Source: "Knuth, TAOCP 3, 5.2.5; report 001", Run: sortLSD},
		{Name: "radix-msd", Doc: "parallel MSD radix sort, 8-bit digits, stable", Source: "McIlroy, Bostic and McIlroy 1993; report 001's wish", Run: sortMSD},
		{Name: "merge-path", Doc: "parallel merge sort on the processor, passes cut by merge path", Source: "Green, Odeh and Birk 2014; report 002's wish", Run: sortMerge},
		hostBitonic(cpubitonic.Recursive, "bitonic network by recursion, one thread"),
		hostBitonic(cpubitonic.Iter0, "bitonic network by loops, partner test at every position"),
		hostBitonic(cpubitonic.Iter1, "bitonic network by loops over blocks and their lower halves"),
		hostBitonic(cpubitonic.Iter2, "bitonic network by one loop over pairs, position by division"),
		hostBitonic(cpubitonic.Iter3, "bitonic network by one loop over pairs, position by shifts"),
		{Name: "counting", Doc: "counting sort of integers from 0 to a maximum on one core, stable", Source: "report 001", Run: countHost},
		{Name: "counting-range", Doc: "counting sort of any range on one core, sparse by distinct keys, else radix sort", Source: "report 001's wish", Run: countHostRange},
	}
}
