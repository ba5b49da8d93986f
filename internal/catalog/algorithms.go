package catalog

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/hostscatter"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/msd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/algo/radix4"
	"github.com/gpusort/gpusort/internal/algo/small"
)

// algorithms holds one line per device algorithm, fastest first.
var algorithms = []algo.Algorithm{
	small.Block(),
	small.Cluster(),
	small.Grid(),
	msd.Algorithm(),
	onesweep.Algorithm(),
	lsd.Algorithm,
	radix4.Algorithm(),
	hostscatter.Algorithm(),
}
