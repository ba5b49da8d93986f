package catalog

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/bitonic"
	"github.com/gpusort/gpusort/internal/algo/counting"
	"github.com/gpusort/gpusort/internal/algo/hostscatter"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/algo/msd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/algo/radix4"
)

// algorithms holds one line per device algorithm, fastest first.
var algorithms = []algo.Algorithm{
	msd.Algorithm(),
	onesweep.Algorithm(),
	lsd.Algorithm,
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
