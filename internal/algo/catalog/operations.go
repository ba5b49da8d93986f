package catalog

import (
	"sync"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/equalzeros"
	"github.com/gpusort/gpusort/internal/algo/gather"
	"github.com/gpusort/gpusort/internal/algo/groups"
	"github.com/gpusort/gpusort/internal/algo/least"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/mergeruns"
	"github.com/gpusort/gpusort/internal/algo/msd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/algo/search"
	"github.com/gpusort/gpusort/internal/algo/segments"
	"github.com/gpusort/gpusort/internal/algo/small"
	"github.com/gpusort/gpusort/internal/algo/strings"
)

// operations holds one line per device algorithm that carries out another operation than
// a sort, of each kind the preferred first.
var operations = sync.OnceValue(func() []algo.Algorithm {
	return []algo.Algorithm{
		gather.Algorithm(),
		search.Algorithm(),
		mergeruns.Algorithm(),
		equalzeros.Wrap(segments.Algorithm()),
		groups.Algorithm(),
		least.Least(small.Block(), small.Grid(), msd.Algorithm(), onesweep.Algorithm(), lsd.Algorithm),
		least.Select(),
		strings.First(small.Block(), small.Grid(), msd.Algorithm(), onesweep.Algorithm(), lsd.Algorithm),
		strings.Next(segments.Algorithm()),
		strings.Gather(),
	}
})

// Operations returns the device algorithms of all operations besides sorts, in order of
// preference; Algorithm.Kind says which is whose.
func Operations() []algo.Algorithm { return append([]algo.Algorithm(nil), operations()...) }
