package catalog

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/counting"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/msd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
)

// algorithms holds one line per device algorithm, fastest first.
var algorithms = []algo.Algorithm{
	msd.Algorithm(),
	onesweep.Algorithm(),
	lsd.Algorithm,
	counting.Algorithm(),
	counting.RangeAlgorithm(),
}
