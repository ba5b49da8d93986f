package grade

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/internal/lazy"
)

// busyShare of the time is more than other programs may keep processes waiting
// for a processor: beyond it the best of many runs differs from minute to minute.
const busyShare = 0.2

// contention is how long processes of this machine have waited for a processor.
type contention struct {
	at     time.Time
	waited time.Duration
	known  bool
}

var stallTotal = lazy.Regexp(`(?m)^some .*total=(\d+)`)

func readContention() contention {
	c := contention{at: time.Now()}
	text, err := os.ReadFile("/proc/pressure/cpu")
	if m := stallTotal().FindStringSubmatch(string(text)); err == nil && m != nil {
		us, err := strconv.ParseInt(m[1], 10, 64)
		c.waited, c.known = time.Duration(us)*time.Microsecond, err == nil
	}
	return c
}

// share is the part of the time since c in which some process waited. Where the
// kernel does not tell, it is 1 if there is more to run than processors.
func (c contention) share() float64 {
	now := readContention()
	if c.known && now.known && now.at.After(c.at) {
		return float64(now.waited-c.waited) / float64(now.at.Sub(c.at))
	}
	text, err := os.ReadFile("/proc/loadavg")
	if load, _, _ := strings.Cut(string(text), " "); err == nil {
		if v, err := strconv.ParseFloat(load, 64); err == nil && v > float64(runtime.NumCPU()+1) {
			return 1
		}
	}
	return 0
}
