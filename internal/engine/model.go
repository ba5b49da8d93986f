package engine

import (
	"math"
	"time"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// The model predicts times well enough to choose between the CPU and a device.
// All its numbers are here with where they come from.

// seconds is a predicted time.
type seconds float64

func (s seconds) duration() time.Duration { return time.Duration(float64(s) * float64(time.Second)) }

// typical is the key type of questions that name none.
const typical = key.U32

// estimate is the prediction for one problem in one place.
type estimate struct {
	algorithm string
	plan      plan.Plan // no steps on the processor
	pieces    int
	moved     uint64 // bytes between host and device, both ways
	transfer  seconds
	sort      seconds
	merge     seconds // of pieces, on the host
	exchange  seconds // between devices, and the merges there
	shares    []Share // of several devices
	// measured is the time of such a sort as gpusort tune measured it, with all
	// of its parts; 0 if it did not.
	measured seconds
}

func (e estimate) total() seconds {
	if e.measured > 0 {
		return e.measured
	}
	return e.transfer + e.sort + e.exchange + e.merge
}

const (
	// bandwidthShare is the part of the peak memory bandwidth that a radix sort
	// reaches: CUB's u32 sort moves 36 bytes a key at 49.3 Gkeys/s on an H200,
	// 1,775 of 4,800 GB/s; u64 reaches 46 %.
	bandwidthShare = 0.37
	// unknownGBps stands for the memory bandwidth of a device that does not
	// tell: a small integrated one.
	unknownGBps = 40
	// cudaLaunch is an event-timed empty launch on an H200 (4.9 to 5.8 µs).
	// OpenCL runtimes take several times that.
	cudaLaunch, openclLaunch seconds = 5.5e-6, 25e-6
	// openTime is what the first use of a device costs: library, context and
	// code loading, 0.2 to 0.4 s with current CUDA drivers.
	openTime seconds = 0.3
	// genericLink and genericGBps describe a device before any was looked at.
	// They are those of a large card (H100, H200), so that none is overlooked; a
	// smaller one costs openTime once and is then judged by its own figures.
	genericLink, genericGBps = 40, 3300
)

// linkGBps is the expected rate of staged host copies in 10^9 bytes a second.
// An H200 copies pinned memory at 55 GB/s, 88 % of PCIe 5 ×16; the older
// generations are taken at 60 % of their rate, for slots with fewer lanes.
func linkGBps(c driver.Caps) float64 {
	switch {
	case c.OfHost():
		return 8 // one memcpy of ordinary memory
	case c.Backend == "cuda" && c.Arch >= 90:
		return 40
	case c.Backend == "cuda" && c.Arch >= 80:
		return 19
	case c.Backend == "cuda":
		return 9.5
	}
	return 6 // pageable copies through OpenCL; 9 to 16 GB/s on an H200's driver
}

// estimate predicts a sort of host memory on the device.
func (d *device) estimate(a algo.Algorithm, p plan.Problem) (estimate, error) {
	c, e := d.Caps(), d.e
	pl, err := d.Plan(a, p)
	if err != nil {
		return estimate{}, err
	}
	need, _ := pl.Bytes()
	limit := c.GlobalBytes
	if l := e.cfg.MemoryLimit; l != 0 {
		limit = min(limit, l)
	}
	t := estimate{algorithm: a.Name, plan: pl, pieces: 1, moved: p.TransferBytes()}
	launch := openclLaunch
	if c.Backend == "cuda" {
		launch = cudaLaunch
	}
	gbps := c.MemoryGBps
	if gbps == 0 {
		gbps = unknownGBps
	}
	if p.Kind == op.Strings {
		return d.estimateStrings(t, launch, gbps)
	}
	if limit != 0 && need > limit {
		if t.pieces, _, err = d.Split(a, p, c.GlobalBytes); err != nil {
			return estimate{}, err
		}
	}
	t.sort = seconds(float64(pl.MinBytes())/(gbps*bandwidthShare*1e9)) + seconds(pl.Launches()*t.pieces)*launch
	t.sort += seconds(float64(pl.HostBytes()) / (linkGBps(c) * 1e9))
	t.transfer = seconds(float64(t.moved)/(linkGBps(c)*1e9)) + 4*launch
	switch {
	case t.pieces == 1:
		t.measured, _ = e.measured(measuredDevice(c), p)
	case c.OfHost():
		t.merge = seconds(float64(p.Items) / (mergeRate * scale(e.exec.HostWorkers())))
	default: // each item goes to and fro twice, and both ways at once
		t.sort, t.moved = 2*t.sort, 2*t.moved
	}
	return t, nil
}

// mergeRate is the k-way merge's rate on one core in items a second.
const mergeRate = 60e6

// scale is the speed-up of w goroutines of memory-bound host work: two cores
// measured 1.4 times one with the plain radix sort.
func scale(w int) float64 { return math.Pow(float64(min(w, 32)), 0.6) }

// cpuTime predicts a sort on the host, from measured times where there are. Plain-Go radix on one core sorts 10^7
// u32 keys at 168 to 176 Mkeys/s, u64 at 78, u32 pairs at 131, u32 argsort at
// 149; narrow keys need proportionally fewer passes.
func (e *Engine) cpuTime(p plan.Problem) seconds {
	if t, ok := e.measuredCPU(p); ok {
		return t
	}
	if p.Kind == op.Strings {
		return cpuStrings(p, e.exec.HostWorkers())
	}
	rate := map[int]float64{8: 600e6, 16: 350e6, 32: 170e6, 64: 78e6, 128: 30e6}[p.Type.Bits()]
	switch p.Mode {
	case plan.Pairs:
		rate *= 0.76
	case plan.Argsort:
		rate *= 0.85
	}
	return seconds(float64(p.Items) / (rate * scale(e.exec.HostWorkers())))
}

// genericTime predicts a sort on a device that was not opened yet: by what was
// measured on this machine, or else as if nothing were known of it.
func (e *Engine) genericTime(p plan.Problem) seconds {
	if t, ok := e.tuning().Soonest(p); ok {
		return seconds(t)
	}
	if p.Kind == op.Strings {
		return broughtStrings(p, e.exec.HostWorkers(), genericLink) + stringsSort(p, genericGBps, openclLaunch)
	}
	passes := uint64(p.Type.Bytes())
	moved := passes*2*(p.KeyBytes()+p.ValuesBytes()) + p.KeyBytes()
	return seconds(float64(p.TransferBytes())/(genericLink*1e9)) +
		seconds(float64(moved)/(genericGBps*bandwidthShare*1e9)) + 20*openclLaunch
}
