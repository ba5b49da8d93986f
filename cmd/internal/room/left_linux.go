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
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return math.MaxUint64
	}
	_, rest, found := bytes.Cut(b, []byte(field))
	f := bytes.Fields(rest)
	if !found || len(f) == 0 {
		return math.MaxUint64
	}
	kib, err := strconv.ParseUint(string(f[0]), 10, 54)
	if err != nil {
		return math.MaxUint64
	}
	return kib << 10
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
