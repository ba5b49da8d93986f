package run

import (
	"math"
	"os"
	"syscall"

	"github.com/gpusort/gpusort/cmd/internal/room"
)

// peakBytes is the most memory that an ended process, or a child of it that it waited for, had at a
// time; 0 if that cannot be told from floor, what peakFloor said before its start.
func peakBytes(s *os.ProcessState, floor uint64) uint64 {
	if u, ok := s.SysUsage().(*syscall.Rusage); ok && uint64(u.Maxrss)<<10 > floor {
		return uint64(u.Maxrss) << 10
	}
	return 0
}

// peakFloor is the least that a process's peak can be which this one starts: Linux begins to count
// before the program is loaded, in a copy of this process, and takes over this one's own peak. That is
// set back to what it has now, where the kernel lets it (proc(5), clear_refs).
func peakFloor() uint64 {
	// If it cannot be set back, the floor is higher.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	if peak := room.Peak(); peak != 0 {
		return peak
	}
	return math.MaxUint64 // nothing is known
}
