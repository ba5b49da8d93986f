// Package load says how much of a machine's processors other programs use: what a
// benchmark and a grade are disturbed by. Neither the load average nor the pressure
// that the kernel tells will do, because both count the program's own threads.
package load

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// Mark is a moment and what processors had done until then.
type Mark struct {
	at        time.Time
	all, mine float64 // ticks of all programs, the hypervisor's theft included, and of this process and its ended children
}

// tick is the unit of Linux's counters of processor time.
const tick = 10 * time.Millisecond

// Now reads the system's counters; ok is false where it has none.
func Now() (m Mark, ok bool) {
	all, err := os.ReadFile("/proc/stat")
	if err != nil {
		return m, false
	}
	mine, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return m, false
	}
	return parseMark(time.Now(), all, mine)
}

// parseMark reads the first line of /proc/stat and the line of /proc/self/stat.
func parseMark(at time.Time, all, mine []byte) (m Mark, ok bool) {
	m.at = at
	first, _, _ := bytes.Cut(all, []byte("\n"))
	f := strings.Fields(string(first))
	// The name of the program, in brackets, may hold blanks.
	g := strings.Fields(string(mine[bytes.LastIndexByte(mine, ')')+1:]))
	if len(f) < 9 || f[0] != "cpu" || len(g) < 15 {
		return m, false
	}
	ok = true
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		ok = ok && err == nil
		return v
	}
	// user, nice, system; neither idle nor waiting for disks; interrupts, soft ones, stolen.
	for _, i := range []int{1, 2, 3, 6, 7, 8} {
		m.all += number(f[i])
	}
	for _, i := range []int{11, 12, 13, 14} {
		m.mine += number(g[i])
	}
	return m, ok && m.all > 0
}

// Until is the time between two marks.
func (m Mark) Until(to Mark) time.Duration { return to.at.Sub(m.at) }

// Others is the number of processors that other programs used, on average, between
// two marks.
func (m Mark) Others(to Mark) float64 {
	span := float64(m.Until(to)) / float64(tick)
	if span <= 0 {
		return 0
	}
	return max(0, (to.all-m.all-(to.mine-m.mine))/span)
}
