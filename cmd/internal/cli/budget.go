package cli

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/cmd/internal/units"
)

const (
	// leastScratch is the least that a sort of pairs or positions on the CPU takes
	// besides them: 8 MiB of buffers, and what its workers have each.
	leastScratch = 16 << 20
	// itemScratch is the most that it takes for each of them.
	itemScratch = 32
)

// spareDevices leaves devices alone where the address space is limited: their drivers
// end the process when they get none. A device that was named is used all the same.
func (s *sortCmd) spareDevices() {
	if limit := addressSpace(); withGPU && s.device == "auto" && limit < ampleSpace {
		s.device = "cpu"
		fmt.Fprintf(s.err, "gpusort: the address space is limited to %s (ulimit -v): sorting on the CPU\n", units.Bytes(limit))
	}
}

// budget settles what a sort on the CPU may take, now that its data are in memory: what
// -S leaves of the process, and what the system gives. Of the latter too little is an
// error, of the former the least that works is taken. The sorter is replaced if it
// would take more.
func (s *sortCmd) budget(w *work, sorter **gpusort.Sorter) error {
	need := uint64(w.keys.Len()) * w.scratch()
	if s.memory == 0 && (need <= leastScratch || room.For(need, 1) == nil) {
		return nil
	}
	if device := strings.ToLower(s.device); device != "auto" && device != "" && device != "cpu" {
		return nil // the device's memory is counted elsewhere
	}
	allowed, least := need, min(need, leastScratch)+w.positions()
	if err := room.For(least, 1); err != nil {
		return err
	}
	if s.memory != 0 {
		debug.FreeOSMemory() // text that is understood, buffers that were outgrown
		held := room.Used() + w.positions()
		if w.index != nil {
			held += uint64(len(w.index.Data)) // not yet written, and so not yet in memory
		}
		least = held + min(need, leastScratch)
		if uint64(s.memory) < least && s.verbose {
			fmt.Fprintf(s.err, "gpusort: -S %s is raised to %s, the least that works\n", units.Bytes(uint64(s.memory)), units.Bytes(least))
		}
		debug.SetMemoryLimit(int64(min(max(uint64(s.memory), least), 1<<62)))
		allowed = min(need, uint64(s.memory)-min(uint64(s.memory), held))
	}
	if room.For(allowed, 1) != nil {
		allowed = room.Largest(allowed) / 4 * 3 // threads and the runtime need some
	}
	w.limited = true
	f := s.deviceFlags
	f.scratch = max(allowed, 1)
	limited, err := f.open(s.order())
	if err != nil {
		return err
	}
	(*sorter).Close()
	*sorter = limited
	return nil
}

// scratch is the most bytes that a sort takes for each item besides the data.
func (w *work) scratch() uint64 {
	switch {
	case w.index != nil:
		return itemScratch
	case w.values == nil:
		return uint64(w.keys.Bytes)
	case w.moves():
		return itemScratch
	}
	return itemScratch + 8 + uint64(w.values.Bytes) // positions, and values that move by them
}

// moves reports whether a sort of pairs takes the values along, which else are moved
// by the positions of their keys.
func (w *work) moves() bool { return w.values.Bytes == 4 || w.values.Bytes == 8 }

// positions is the bytes of those that a sort with little memory needs.
func (w *work) positions() uint64 {
	if w.values == nil || w.moves() {
		return 0
	}
	n := uint64(w.keys.Len())
	if n > 1<<32 {
		return 8 * n
	}
	return 4 * n
}
