package mem

import (
	"bytes"
	"os"
	"strconv"
)

// HostFree is the host memory that can be had without swapping, in bytes, and
// whether it is known.
func HostFree() (uint64, bool) { return memInfo("MemAvailable:") }

// hostTotal is the size of the host's memory in bytes.
func hostTotal() (uint64, bool) { return memInfo("MemTotal:") }

func memInfo(field string) (uint64, bool) {
	b, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(b) {
		if rest, ok := bytes.CutPrefix(line, []byte(field)); ok {
			f := bytes.Fields(rest)
			if len(f) < 1 {
				return 0, false
			}
			kib, err := strconv.ParseUint(string(f[0]), 10, 64)
			return kib << 10, err == nil
		}
	}
	return 0, false
}
