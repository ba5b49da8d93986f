package run

import (
	"testing"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/load"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestOthersTakesASecond: ticks are too coarse for less.
func TestOthersTakesASecond(t *testing.T) {
	m, ok := load.Now()
	if !ok {
		absent.Skip(t, "/proc/stat", "this system does not tell what other programs use")
	}
	j := &Job{}
	if j.see(); j.others() != nil {
		t.Error("a figure after no time")
	}
	time.Sleep(leastSpan)
	j.marks = []load.Mark{m, j.marks[0]}
	if v := j.others(); v == nil || *v < 0 {
		t.Errorf("no figure after a second: %v", v)
	}
}
