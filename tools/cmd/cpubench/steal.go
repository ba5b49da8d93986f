package main

import (
	"fmt"
	"os"
)

// stolen is how long other machines on the same host have kept the processors of this
// one from running, in hundredths of a second: the eighth figure of /proc/stat. It is
// 0 on a machine of its own, and where there is no such file.
//
// Wall times of a round in which it grew are those of the host, not of the sort: a
// worker that is not run for 20 ms holds up the others.
func stolen() uint64 {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	var user, nice, system, idle, wait, irq, soft, steal uint64
	if n, _ := fmt.Sscanf(string(text), "cpu %d %d %d %d %d %d %d %d", &user, &nice, &system, &idle, &wait, &irq, &soft, &steal); n < 8 {
		return 0
	}
	return steal
}
