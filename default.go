package gpusort

import (
	"context"
	"sync/atomic"

	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/op"
)

// preferred is the Sorter of SetDefault; nil: the automatic choice.
var preferred atomic.Pointer[Sorter]

// SetDefault makes Sort, SortPairs, Argsort and the like sort with s: on its device,
// with its limits and workers. The order stays that of the function. A few keys are
// still sorted by the calling goroutine. What s cannot sort, or fails to sort, the CPU
// sorts. SetDefault of nil, or of a zero Sorter, brings the automatic choice back; the
// caller closes s after that.
func SetDefault(s *Sorter) {
	if s.check("SetDefault") != nil {
		s = nil
	}
	preferred.Store(s)
}

func sortDefaultJob(j op.Job) {
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
