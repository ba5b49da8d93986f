package catalog

import (
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/msd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/algo/small"
)

// algorithms holds one line per device algorithm that may be chosen without being
// named, and behind them what Add added. The first that supports a problem is the
// default: those of few keys come first.
var algorithms = wrapped(
	small.Block(),
	small.Grid(),
	msd.Algorithm(),
	onesweep.Algorithm(),
	lsd.Algorithm,
)
