package run

import (
	"slices"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/load"
)

// leastSpan is how long the use by others is averaged over: ticks are coarse.
const leastSpan = time.Second

// see notes the moment at which a group of cells begins.
func (j *Job) see() {
	if m, ok := load.Now(); ok {
		j.marks = append(j.marks, m)
	}
}

// others is what other programs used since the group began, or since the last group
// that began at least leastSpan ago; nil while there is none.
func (j *Job) others() *float64 {
	now, ok := load.Now()
	if !ok {
		return nil
	}
	for _, m := range slices.Backward(j.marks) {
		if m.Until(now) >= leastSpan {
			v := m.Others(now)
			return &v
		}
	}
	return nil
}
