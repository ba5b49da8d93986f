package grade

import (
	"debug/elf"
	"fmt"
	"slices"
)

// clockNames are functions by which this process, the C library or a driver
// tells or measures time. A library that brings its own puts them in the place
// of the real ones.
var clockNames = []string{
	"clock", "clock_gettime", "__clock_gettime", "clock_getres", "gettimeofday", "__gettimeofday", "time", "times", "ftime", "timespec_get",
	"getrusage", "__vdso_clock_gettime", "__vdso_gettimeofday", "__vdso_time",
	"clGetEventProfilingInfo", "cuEventRecord", "cuEventElapsedTime", "cudaEventRecord", "cudaEventElapsedTime",
}

// checkLibrary looks at a library without loading it.
func checkLibrary(path string) error {
	f, err := elf.Open(path)
	if err != nil {
		return refusal{fmt.Errorf("not a shared library: %w", err)}
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return refusal{fmt.Errorf("not a shared library: %w", err)}
	}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF && slices.Contains(clockNames, s.Name) {
			return refusal{Cheat{fmt.Sprintf("patches the timer: it defines %s", s.Name)}}
		}
	}
	return nil
}
