// Package perfstat counts what the processor does during parts of this
// process, through Linux's `perf stat`: cycles, instructions, branches, misses.
package perfstat

import (
	"fmt"
	"strconv"
	"strings"
)

// Events are counted, in this order. The first five are the table of the
// Russian report; the others need no hardware counters.
var Events = []string{"cycles", "instructions", "branches", "branch-misses", "cache-misses", "task-clock", "page-faults"}

// Count is one event's total.
type Count struct {
	Event string  `json:"event"`
	Value float64 `json:"value"` // task-clock: milliseconds
	// Share is the part of the time that the event was counted, when there are
	// more events than counters; Value is scaled up for the rest.
	Share float64 `json:"share"`
	// Missing says why there is no value: "not supported", "not counted".
	Missing string `json:"missing,omitempty"`
}

// parse reads the output of perf stat -x, (one event a line: value, unit,
// event, time counted, per cent of the time counted, …). Comments and empty
// lines are skipped.
func parse(text string) ([]Count, error) {
	var out []Count
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, ",")
		if len(f) < 5 {
			return nil, fmt.Errorf("perf stat: line %d has %d fields: %q", i+1, len(f), line)
		}
		// A modifier that perf had to add, as in "cycles:u", says that the kernel
		// was not counted; the event is the same.
		name, _, _ := strings.Cut(f[2], ":")
		c := Count{Event: name}
		if strings.HasPrefix(f[0], "<") {
			c.Missing = strings.Trim(f[0], "<>")
			out = append(out, c)
			continue
		}
		var err error
		if c.Value, err = strconv.ParseFloat(f[0], 64); err != nil {
			return nil, fmt.Errorf("perf stat: line %d: %q is no number", i+1, f[0])
		}
		if share, err := strconv.ParseFloat(f[4], 64); err == nil {
			c.Share = share / 100
		}
		out = append(out, c)
	}
	return out, nil
}
