package run

import (
	"os"
	"syscall"

	"github.com/gpusort/gpusort/cmd/internal/room"
)

// forgetPeak sets the peak of this process's memory back to what it has now, where the kernel lets it
// (proc(5), clear_refs). It comes before the start of a process whose peak is asked for.
func forgetPeak() {
	// If it cannot be set back, less can be told.
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakBlur is by how much two looks at one peak may differ: each processor counts pages by itself, and
// Linux adds them up now and then. Up to 70 KiB were seen on two processors (6.18).
const peakBlur = 1 << 20

// peakBytes is the most memory that an ended process, or a child of it that it waited for, had at a
// time; 0 if that is not told. Linux begins to count before the program is loaded, in this process's
// memory, and so takes over this one's own peak at that time: what is not above it is not the
// program's.
func peakBytes(s *os.ProcessState) uint64 {
	own := room.Peak()
	if u, ok := s.SysUsage().(*syscall.Rusage); ok && own != 0 && uint64(u.Maxrss)<<10 > own+peakBlur {
		return uint64(u.Maxrss) << 10
	}
	return 0
}
