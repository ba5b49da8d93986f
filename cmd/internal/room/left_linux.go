package room

import (
	"bytes"
	"math"
	"os"
	"strconv"
)

// free is the memory in bytes that the machine could give now: what is unused, and
// caches that it would drop. Where it does not tell, it is unbounded.
var free = func() uint64 { return memInfo("MemAvailable:") }

// total is the machine's memory in bytes, or MaxUint64.
func total() uint64 { return memInfo("MemTotal:") }

func memInfo(field string) uint64 {
	if n, found := inProc("/proc/meminfo", field); found {
		return n
	}
	return math.MaxUint64
}

// peak is the most memory in bytes that the process held, or 0.
func peak() uint64 {
	n, _ := inProc("/proc/self/status", "VmHWM:")
	return n
}

// space is the address space in bytes that the process maps, or 0.
func space() uint64 {
	n, _ := inProc("/proc/self/status", "VmSize:")
	return n
}

// inProc is a field of a file of /proc that is written in kB, in bytes.
func inProc(path, field string) (n uint64, found bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	_, rest, found := bytes.Cut(b, []byte(field))
	f := bytes.Fields(rest)
	if !found || len(f) == 0 {
		return 0, false
	}
	kib, err := strconv.ParseUint(string(f[0]), 10, 54)
	return kib << 10, err == nil
}

// used is the memory in bytes that the process holds.
var used = func() uint64 {
	b, err := os.ReadFile("/proc/self/statm")
	if f := bytes.Fields(b); err == nil && len(f) > 1 {
		if pages, err := strconv.ParseUint(string(f[1]), 10, 40); err == nil {
			return pages * uint64(os.Getpagesize())
		}
	}
	return 0
}
