package catalog

import (
	"sync"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/msd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/algo/small"
)

// algorithms holds one line per device algorithm that may be chosen without being
// named, and behind them what Add added. The first that supports a problem is the
// default: those of few keys come first. This list and the others are made when they are first
// asked for: a program that sorts lines starts without them.
var algorithms = sync.OnceValue(func() []algo.Algorithm {
	all := wrapped(
		small.Block(),
		small.Grid(),
		msd.Algorithm(),
		onesweep.Algorithm(),
		lsd.Algorithm,
	)
	for _, lists := range added {
		devices, _ := lists()
		all = append(all, wrapped(devices...)...)
	}
	return all
})
