package cli

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/room"
	"github.com/gpusort/gpusort/cmd/internal/units"
)

// spareDevices leaves devices alone where the address space is limited: their drivers
// end the process when they get none. A device that was named is used all the same.
func (s *sortCmd) spareDevices() {
	if limit := addressSpace(); withGPU && s.device == "auto" && limit < ampleSpace {
		s.device = "cpu"
		fmt.Fprintf(s.err, "gpusort: the address space is limited to %s (ulimit -v): sorting on the CPU\n", units.Bytes(limit))
	}
}

// memoryLimit is the memory that numbers may take: what -S says, unless it speaks of a
// device that was named, else what the system has to give.
func (s *sortCmd) memoryLimit() uint64 {
	if device := strings.ToLower(s.device); s.memory != 0 && (device == "auto" || device == "" || device == "cpu") {
		return uint64(s.memory)
	}
	return math.MaxUint64
}

// itemScratch is the most that a sort of pairs or positions on the CPU takes for each.
const itemScratch = 32

// need is the bytes of memory in which f's numbers are sorted at once.
func (f *sortFiles) need() uint64 {
	n, data := items(f.keys)
	scratch := uint64(f.keys.Item.Bytes)
	if f.index.Bytes != 0 {
		scratch = itemScratch + uint64(f.index.Bytes)
	}
	if f.values != nil {
		_, more := items(f.values)
		data += more
		scratch = itemScratch + 8 + uint64(f.values.Item.Bytes) // positions, and values that move by them
	}
	return data + n*scratch
}

// items is the most items that an input may bring, and the bytes that reading it takes.
func items(in *format.Source) (n, bytes uint64) {
	size, width := uint64(in.Size()), uint64(in.Item.Bytes)
	switch {
	case in.Kind == format.Text:
		n = size / 2
		return n, size + n*width
	case in.Items >= 0:
		n = uint64(in.Items)
	default:
		n = size / width
	}
	return n, n * width
}

// tooMuch reports whether memory does not hold so many bytes more.
func (s *sortCmd) tooMuch(need uint64) bool {
	limit := s.memoryLimit()
	return need > limit-min(limit, room.Used()) || room.For(need, 1) != nil
}

// limitHeap sets the limit of Go's heap and has it collected once it is five times what is live. At
// the default, twice, a sort of Parquet takes 4 to 8 % more time.
func limitHeap(bytes int64) int64 {
	debug.SetGCPercent(400)
	return debug.SetMemoryLimit(bytes)
}

// large reports whether memory does not hold what f brings. Of a stream it reads as much
// as memory holds.
func (s *sortCmd) large(ctx context.Context, f *sortFiles) (bool, error) {
	if f.lanes != nil {
		return false, nil // the lanes of an array are not apart in a file
	}
	limit := s.memoryLimit()
	for _, in := range []*format.Source{f.keys, f.values} {
		if in == nil {
			continue
		}
		share := min(limit, 2*s.runBudget()) / 3 // with room to sort
		if in.Kind == format.Text {
			share /= uint64(in.Item.Bytes) // two bytes may be one item
		}
		if all, err := in.Gather(ctx, int64(max(min(share, math.MaxInt64), 1))); !all || err != nil {
			return !all, err
		}
	}
	if s.tooMuch(f.need()) {
		return true, nil
	}
	debug.SetMemoryLimit(int64(min(limit, math.MaxInt64)))
	return false, nil
}
