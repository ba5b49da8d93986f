package opencl

import (
	"testing"

	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

// Times that come late are waited for, up to a bound; events that have none
// are not.
func TestLateTimes(t *testing.T) {
	for _, x := range []struct {
		name    string
		late    int // reads that find no time
		code    cl.Code
		settles bool
		want    cl.Code
		reads   int
	}{
		{"at once", 0, cl.Success, true, cl.Success, 1},
		{"after the wait", 1, cl.Success, true, cl.Success, 2},
		{"late", 5, cl.Success, true, cl.Success, 6},
		{"never", 1 << 20, cl.Success, true, cl.ProfilingInfoNotAvailable, timeTries + 2},
		{"failed command", 1 << 20, cl.Success, false, cl.ProfilingInfoNotAvailable, 1},
		{"other error", 0, cl.InvalidEvent, true, cl.InvalidEvent, 1},
		{"other error, late", 3, cl.InvalidEvent, true, cl.InvalidEvent, 4},
	} {
		reads := 0
		got, c := patient(func() (uint64, cl.Code) {
			if reads++; reads <= x.late {
				return 0, cl.ProfilingInfoNotAvailable
			}
			return 42, x.code
		}, func() bool { return x.settles })
		if c != x.want || c == cl.Success && got != 42 {
			t.Errorf("%s: time %d, %s", x.name, got, c.Name())
		}
		if reads != x.reads {
			t.Errorf("%s: %d reads, want %d", x.name, reads, x.reads)
		}
	}
}
