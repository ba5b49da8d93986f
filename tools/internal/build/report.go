package build

import (
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Usage is what ptxas says of one kernel.
type Usage struct {
	Kernel     string `json:"kernel"`
	Registers  int    `json:"registers"`
	Shared     int    `json:"shared,omitempty"` // static, bytes
	Stack      int    `json:"stack,omitempty"`  // bytes, as all below
	SpillStore int    `json:"spill_store,omitempty"`
	SpillLoad  int    `json:"spill_load,omitempty"`
	// Called is what the functions spill, stores and loads, that are not inlined.
	Called int `json:"called,omitempty"`
}

// Spills is what a thread moves to and from memory for want of registers, in bytes, in the
// kernel and the functions that it calls.
func (u Usage) Spills() int { return u.SpillStore + u.SpillLoad + u.Called }

var (
	aboutLine = regexp.MustCompile(`Function properties for (\S+)`)
	entryLine = regexp.MustCompile(`Compiling entry function '([^']+)'`)
	spillLine = regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	usedLine  = regexp.MustCompile(`Used (\d+) registers`)
	smemLine  = regexp.MustCompile(`(\d+) bytes smem`)
)

// usages reads the output of ptxas -v. Behind a kernel's properties stand those of the
// functions that it calls.
func usages(report string) []Usage {
	var out []Usage
	about := ""
	for _, line := range strings.Split(report, "\n") {
		if m := entryLine.FindStringSubmatch(line); m != nil {
			out = append(out, Usage{Kernel: m[1]})
		}
		if len(out) == 0 {
			continue
		}
		u := &out[len(out)-1]
		if m := aboutLine.FindStringSubmatch(line); m != nil {
			about = m[1]
		}
		if m := spillLine.FindStringSubmatch(line); m != nil {
			var stack, store, load int
			fmt.Sscan(m[1]+" "+m[2]+" "+m[3], &stack, &store, &load)
			if about == u.Kernel {
				u.Stack, u.SpillStore, u.SpillLoad = stack, store, load
			} else {
				u.Called += store + load
			}
		}
		if m := usedLine.FindStringSubmatch(line); m != nil {
			fmt.Sscan(m[1], &u.Registers)
		}
		if m := smemLine.FindStringSubmatch(line); m != nil {
			fmt.Sscan(m[1], &u.Shared)
		}
	}
	return out
}

// print writes a table of one image's kernels and returns how many use local
// memory.
func print(w io.Writer, title, report string) (local int) {
	fmt.Fprintf(w, "%s\n  %-40s %9s %7s %6s %6s %6s\n", title, "kernel", "registers", "shared", "stack", "spills", "called")
	for _, u := range usages(report) {
		fmt.Fprintf(w, "  %-40s %9d %7d %6d %6d %6d\n", u.Kernel, u.Registers, u.Shared, u.Stack, u.SpillStore+u.SpillLoad, u.Called)
		if u.Stack != 0 || u.Called != 0 {
			local++
		}
	}
	return local
}
