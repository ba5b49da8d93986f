//go:build amd64 || arm64

package child

import (
	"time"

	"golang.org/x/sys/unix"
)

// clock is set before a submission is loaded.
var clock clocks

// clocks are two clocks that must agree: the one that programs read in their
// own memory (the vDSO, through the Go runtime), and the kernel's, asked by a
// system call, which a submission cannot put something else in place of.
type clocks struct {
	base          time.Time
	before, after int64 // the kernel's on both sides of base
}

// clockSlack covers the rounding of two ways to the same counter.
const clockSlack = int64(time.Millisecond)

func kernelClock() int64 {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0
	}
	return t.Nano()
}

func newClocks() (c clocks) {
	c.before = kernelClock()
	c.base = time.Now()
	c.after = kernelClock()
	return c
}

// sound reports whether the clocks still agree.
func (c clocks) sound() bool {
	before := kernelClock()
	d := int64(time.Since(c.base))
	after := kernelClock()
	return before-c.after-clockSlack <= d && d <= after-c.before+clockSlack
}
