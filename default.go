package gpusort

import (
	"context"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/engine"
)

// preferred is the Sorter of SetDefault; nil: the automatic choice.
var preferred atomic.Pointer[Sorter]

// SetDefault makes Sort, SortPairs, Argsort and their kind sort with s: on its
// device, with its limits and workers, but for a few keys, which are sorted where
// they are. The order stays that of the function. What s
// cannot sort, or fails to, the processor sorts. SetDefault(nil), or of a zero Sorter, brings the
// automatic choice back. The caller closes s after that.
func SetDefault(s *Sorter) {
	if s.check("SetDefault") != nil {
		s = nil
	}
	preferred.Store(s)
}

func sortDefaultJob(j engine.Job) {
	s := preferred.Load()
	if s == nil {
		engine.SortDefault(j)
		return
	}
	// After an error the slices hold all their elements.
	if _, err := s.engine.Sort(context.Background(), j); err != nil {
		engine.SortHost(j)
	}
}
