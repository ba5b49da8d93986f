package engine

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

const (
	// stringRate is how many strings a core orders in a second: 10^7 random lines of 24 bytes
	// (docs/benchmarks/operations.md, "On the processor").
	stringRate = 8.5e6
	// packString and packByte are what a core takes to read the headers of a string three times and to
	// copy it and its offset, and for each byte of it.
	packString, packByte seconds = 12e-9, 0.1e-9
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

// stringsSpec is the order of byte strings, but for how many there are.
func stringsSpec(desc bool) op.Spec {
	return op.Spec{Kind: op.Strings, Type: key.U64, Mode: op.Argsort, Order: key.Order{Desc: desc}}
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

// estimateStrings completes t, of an order of strings in host memory on the device.
func (d *device) estimateStrings(t estimate, launch seconds, memoryGBps float64) (estimate, error) {
	c, p := d.Caps(), t.plan.Problem
	t.moved = p.Bytes + (p.Items+1)*uint64(p.Width) + p.ValuesBytes()
	limit := d.e.cfg.MemoryLimit
	if !d.e.auto {
		limit = 0 // it is raised
	}
	need, err := d.mostStringsBytes(t, limit != 0)
	if err != nil {
		return estimate{}, err
	}
	for _, most := range []uint64{limit, c.GlobalBytes} {
		if most != 0 && need > most {
			return estimate{}, fmt.Errorf("%s: %w: an order of %d strings may take %d bytes, and %d may be taken", d.ID(), driver.ErrOutOfMemory, p.Items, need, most)
		}
	}
	t.transfer = broughtStrings(p, d.e.exec.HostWorkers(), linkGBps(c)) + 4*launch
	t.sort = stringsSort(p, memoryGBps, launch)
	return t, nil
}

// mostStringsBytes is the device memory that the first plan of an order of strings takes, or the most that the
// whole order may: where all strings go on behind their first words.
func (d *device) mostStringsBytes(t estimate, whole bool) (uint64, error) {
	need, _ := t.plan.Bytes()
	if !whole {
		return need, nil
	}
	p := t.plan.Problem
	p.Kind, p.All, p.Room, p.Other = op.StringsNext, p.Items, p.Items, p.Items/2
	a, err := d.Choose(p)
	if err != nil {
		return 0, err
	}
	next, err := d.Plan(a, p)
	if err != nil {
		return 0, err
	}
	all, _ := next.Bytes()
	return max(need, all), nil
}
