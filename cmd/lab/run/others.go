package run

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// mark is a moment and what processors had done until then.
type mark struct {
	at        time.Time
	all, mine float64 // ticks of all programs, the hypervisor's theft included, and of this process
}

// tick is the unit of Linux's counters of processor time.
const tick = 10 * time.Millisecond

// leastSpan is how long the use by others is averaged over: ticks are coarse.
const leastSpan = time.Second

// newMark reads the system's counters; ok is false where it has none.
func newMark() (m mark, ok bool) {
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
func parseMark(at time.Time, all, mine []byte) (m mark, ok bool) {
	m.at = at
	first, _, _ := bytes.Cut(all, []byte("\n"))
	f := strings.Fields(string(first))
	// The name of the program, in brackets, may hold blanks.
	g := strings.Fields(string(mine[bytes.LastIndexByte(mine, ')')+1:]))
	if len(f) < 9 || f[0] != "cpu" || len(g) < 13 {
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
	m.mine = number(g[11]) + number(g[12])
	return m, ok && m.all > 0
}

// others is the number of processors that other programs used between two marks.
func others(from, to mark) float64 {
	span := float64(to.at.Sub(from.at)) / float64(tick)
	if span <= 0 {
		return 0
	}
	return max(0, (to.all-from.all-(to.mine-from.mine))/span)
}

// see notes the moment at which a group of cells begins.
func (j *Job) see() {
	if m, ok := newMark(); ok {
		j.marks = append(j.marks, m)
	}
}

// others is what other programs used since the group began, or since the last group
// that began at least leastSpan ago; nil while there is none.
func (j *Job) others() *float64 {
	now, ok := newMark()
	if !ok {
		return nil
	}
	for _, m := range slices.Backward(j.marks) {
		if now.at.Sub(m.at) >= leastSpan {
			v := others(m, now)
			return &v
		}
	}
	return nil
}
