package cpu_test

import (
	"time"

	"golang.org/x/sys/unix"
)

// spent is the processor time of this program so far: what one worker takes, whoever else is at
// work on the machine.
func spent() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
