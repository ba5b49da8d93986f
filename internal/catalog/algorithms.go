package catalog

import "github.com/gpusort/gpusort/internal/algo"

// algorithms holds one line per device algorithm, fastest first.
var algorithms = []algo.Algorithm{}
