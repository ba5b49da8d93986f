package engine

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine/crossover"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	// stringRate is how many strings a core orders in a second: 10^7 random lines of 24 bytes
	// (docs/benchmarks/operations.md, "On the processor").
	stringRate = 8.5e6
	// packString and packByte are what a core takes to read the headers of a string three times and to
	// copy it and its offset, and for each byte of it: BenchmarkPackTexts of internal/exec, strings of 8, 24
	// and 100 bytes in order of memory, the least of 25, an AMD EPYC. In another order it is 4 times as much.
	packString, packByte seconds = 8e-9, 0.1e-9
	// furtherPlans is how many times as long as the first plan all take: 1 for random lines, 4 for URLs
	// on an H200 (docs/benchmarks/operations.md, "Strings").
	furtherPlans = 4
	// stringLaunches are those of three plans.
	stringLaunches = 60
	// firstPlanBytes is the least traffic of a string's words in the first plan: a sort of pairs of 12
	// bytes in 8 passes, and reading them before.
	firstPlanBytes = 8*2*12 + 2*12
)

// StringsFloor is the number of strings below which "auto" sorts on the CPU without a look at devices:
// one core takes 2 ms for so many, an H200 half a millisecond for the launches of three plans and the copies.
const StringsFloor = 1 << 14

// stringsSpec is the order of n byte strings of so many bytes in all, as positions of 4 bytes. Offsets have 4 bytes
// where those suffice. Strings without any bytes are given one, since a device has no memory of none.
func stringsSpec(n, bytes uint64, desc bool) op.Spec {
	p := op.Spec{
		Kind: op.Strings, Type: key.U64, Mode: op.Argsort, Order: key.Order{Desc: desc},
		Items: n, ValueBytes: 4, Width: 4, Texts: op.Texts{Bytes: max(bytes, 1)},
	}
	if bytes>>32 != 0 {
		p.Width = 8
	}
	return p
}

// cpuStrings predicts an order of strings on the processor.
func cpuStrings(p op.Spec, workers int) seconds {
	return seconds(float64(p.Items) / (stringRate * scale(workers)))
}

// broughtStrings predicts how long strings take to a device, where they are packed while the link copies,
// and their positions back.
func broughtStrings(p op.Spec, workers int, linkGBps float64) seconds {
	pack := (seconds(p.Items)*packString + seconds(p.Bytes)*packByte) / seconds(scale(workers))
	up := seconds(float64(p.Bytes+p.Items*uint64(p.Width)) / (linkGBps * 1e9))
	return max(pack, up) + seconds(float64(p.ValuesBytes())/(linkGBps*1e9))
}

// stringsSort predicts the plans of an order of strings.
func stringsSort(p op.Spec, memoryGBps float64, launch seconds) seconds {
	moved := float64(p.Items*firstPlanBytes + p.Bytes)
	return furtherPlans*seconds(moved/(memoryGBps*bandwidthShare*1e9)) + stringLaunches*launch
}

// estimateStrings completes t, of an order of strings in host memory on the device. Under "auto" one that runs on the
// processor is refused, which has a faster sort of its own.
func (d *device) estimateStrings(t estimate, launch seconds, memoryGBps float64) (estimate, error) {
	c, p := d.Caps(), t.plan.Problem
	if d.e.auto && c.CPU {
		return estimate{}, algo.Unsupported("%s: it runs on the processor, which sorts strings faster itself", d.ID())
	}
	t.moved = p.Bytes + (p.Items+1)*uint64(p.Width) + p.ValuesBytes()
	if err := d.fitsStrings(t.plan); err != nil {
		return estimate{}, err
	}
	t.transfer = broughtStrings(p, d.e.exec.HostWorkers(), linkGBps(c)) + 4*launch
	t.sort = stringsSort(p, memoryGBps, launch)
	if m, ok := d.e.measured(measuredDevice(c), p); ok {
		// Longer strings than were measured take longer to get there, on either way.
		more := max(p.Bytes, p.Items*crossover.TextBytes) - p.Items*crossover.TextBytes
		t.measured = m + seconds(float64(more)/(linkGBps(c)*1e9))
	}
	return t, nil
}

// fitsStrings returns an error if the first plan of an order of strings does not fit the device, or if "auto" might
// not keep a memory limit, where all strings go on behind their first words. For a named device it is raised.
func (d *device) fitsStrings(first plan.Plan) error {
	c, limit := d.Caps(), d.e.cfg.MemoryLimit
	need, largest := first.Bytes()
	if c.GlobalBytes != 0 && need > c.GlobalBytes || c.MaxAllocBytes != 0 && largest > c.MaxAllocBytes {
		return fmt.Errorf("%s: %w: %d strings take %d bytes there, up to %d in one piece", d.ID(), driver.ErrOutOfMemory, first.Problem.Items, need, largest)
	}
	if limit == 0 || !d.e.auto {
		return nil
	}
	p := first.Problem
	p.Kind, p.All, p.Room, p.Other = op.StringsNext, p.Items, p.Items, p.Items/2
	a, err := d.Choose(p)
	if err != nil {
		return err
	}
	next, err := d.Plan(a, p)
	if err != nil {
		return err
	}
	if most, _ := next.Bytes(); max(most, need) > limit {
		return fmt.Errorf("%s: %w: %d strings may take %d bytes there, beyond the memory limit of %d", d.ID(), driver.ErrOutOfMemory, p.Items, max(most, need), limit)
	}
	return nil
}
