package catalog

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/lsd"
)

// algorithms holds one line per device algorithm, fastest first.
var algorithms = []algo.Algorithm{
	lsd.Algorithm,
}
