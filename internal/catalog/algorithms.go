package catalog

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
)

// algorithms holds one line per device algorithm, fastest first.
var algorithms = []algo.Algorithm{
	onesweep.Algorithm(),
	lsd.Algorithm,
}
