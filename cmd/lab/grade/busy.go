package grade

import (
	"runtime"

	"github.com/gpusort/gpusort/cmd/lab/load"
)

// busyShare of the processors is more than other programs may use: beyond it the
// best of many runs differs from minute to minute.
const busyShare = 0.2

// busySince is the share of the processors that other programs than the grader and its
// children have used; 0 where the system does not tell.
func busySince(from load.Mark) float64 {
	now, ok := load.Now()
	if !ok {
		return 0
	}
	return from.Others(now) / float64(runtime.NumCPU())
}
