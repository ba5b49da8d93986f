// Package counting plans counting sorts of keys alone: equal keys are the same
// bits, so that it is enough to know how many there are of each and to write
// them out.
//
//	count   a block's counters in shared memory, added to those of the device
//	sum     prefix sum of the counters (a scan of choice)
//	fill    every place finds the run that it lies in and writes its key
//
// counting is told a maximum. counting-range finds the range out, goes past
// shared memory where it must, compacts sparse ranges to their distinct keys,
// and leaves what has too many of them to a radix sort. Every choice is made on
// the device. docs/algorithms/counting.md draws both.
package counting

import (
	"math"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/scan"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	kernels "github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	// stateBytes is the size of the sort's state, whose first bytes are the status record.
	stateBytes = kernels.CountingStateBytes
	// routeOff and binsOff are its fields route, the gate of the radix sort, and
	// bins, the limit of the prefix sum.
	routeOff, binsOff = kernels.CountingRouteAt, kernels.CountingBinsAt
	// maxItems: places are 32-bit numbers, with room for a last vector.
	maxItems = 1<<32 - 1<<16
	// copies of a counter, one per lane of a warp.
	copies = 32
)

// Algorithm returns counting, for keys up to a maximum.
func Algorithm() algo.Algorithm {
	return algo.Algorithm{
		Name:     "counting",
		Doc:      "counting sort of integers from 0 to a maximum: counters in shared memory, runs written out",
		Source:   "report 001; docs/algorithms/counting.md",
		Study:    true,
		Scans:    true,
		Backends: []string{"cuda", "opencl"},
		Supports: func(p plan.Problem, c driver.Caps) error { return supports(p, c, algo.Params{}) },
		Plan:     makePlan, SupportsWith: supports,
	}
}

// span is what counting counts: bins counters, the first for the key with encoded key
// lo.
type span struct {
	lo   uint64
	bins uint64
}

// spanOf turns the maximum into encoded keys. Without one, types of 8 and 16 bits are
// counted whole. Keys of signed types run from 0, too.
func spanOf(p plan.Problem, max uint64) (span, error) {
	row := p.Type.Row()
	if row.Kind == key.Float {
		return span{}, algo.Unsupported("counting sorts integers, not %v: counting-range sorts those", p.Type)
	}
	if max == 0 {
		if row.Bits > 16 {
			return span{}, algo.Unsupported("counting of %v needs the greatest key, which 'gpusort run --max-value' gives, or the lab's axis MaxValue; counting-range finds it out", p.Type)
		}
		return span{0, 1 << row.Bits}, nil
	}
	greatest := uint64(math.MaxUint64) >> (64 - row.Bits)
	if row.Kind == key.Signed {
		greatest >>= 1
	}
	max = min(max, greatest) // no key is above that anyway
	first := uint64(0)
	if p.Order.Desc {
		first = max
	}
	s := span{lo: encoded(p, first), bins: max + 1}
	if s.bins == 0 { // all 2^64 values
		s.bins = math.MaxUint64
	}
	return s, nil
}

// encoded encodes a key's bits.
func encoded(p plan.Problem, bits uint64) uint64 {
	return key.ByWidth(p.Type.Bytes(), encode[uint8], encode[uint16], encode[uint32], encode[uint64])(p.Codec(), bits)
}

func encode[U key.Word](c key.Codec, bits uint64) uint64 { return uint64(key.Encode(c, U(bits))) }

// common are the conditions of both algorithms.
func common(name string, p plan.Problem, c driver.Caps, l algo.Params) error {
	if p.Mode != plan.Keys {
		return algo.Unsupported("%s writes keys out by their counts and moves no values: %v need another algorithm: onesweep on CUDA devices, radix-lsd on others", name, p.Mode)
	}
	if p.Items > maxItems {
		return algo.Unsupported("%s sorts up to %d keys, not %d", name, uint64(maxItems), p.Items)
	}
	g, err := layoutOf(p, c, l)
	if err != nil {
		return err
	}
	return g.check(name, c)
}

func supports(p plan.Problem, c driver.Caps, l algo.Params) error {
	if err := common("counting", p, c, l); err != nil {
		return err
	}
	s, err := spanOf(p, l.MaxValue)
	if err != nil {
		return err
	}
	if most := sharedLimit(c) / 4; s.bins > most {
		return algo.Unsupported("counting with a maximum of %d needs %d counters in shared memory, a block of %s has room for %d: counting-range goes past it", s.bins-1, s.bins, c.Name, most)
	}
	_, err = prefixSum(c, l, s.bins)
	return err
}

// sharedLimit is the shared memory that a block can have in bytes. A device that
// does not tell has the least that OpenCL promises.
func sharedLimit(c driver.Caps) uint64 {
	if limit := max(c.SharedPerBlock, c.SharedPerBlockMax); limit != 0 {
		return limit
	}
	return 32 << 10
}

// prefixSum finds the scan that l names, or the device's default.
func prefixSum(c driver.Caps, l algo.Params, counters uint64) (algo.Scan, error) {
	s := algo.Sum{Items: counters, Bits: 32}
	if l.Scan != "" {
		return scan.Named(l.Scan, s, c)
	}
	a := scan.Default(c)
	return a, a.Check(s, c, algo.Params{})
}

func makePlan(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	if err := supports(p, c, l); err != nil {
		return plan.Plan{}, err
	}
	b := plan.NewBuilder("counting", p)
	if p.Items == 0 {
		return b.Plan(), nil
	}
	s, err := spanOf(p, l.MaxValue)
	if err != nil {
		return plan.Plan{}, err
	}
	sum, err := prefixSum(c, l, s.bins)
	if err != nil {
		return plan.Plan{}, err
	}
	g, err := layoutOf(p, c, l)
	if err != nil {
		return plan.Plan{}, err
	}
	state := b.Scratch("state", stateBytes)
	counts := b.Scratch("counters", 4*s.bins)
	b.Memset("clear state and counters", state, 0, counts.Off+4*s.bins-state.Off)
	g.count(b, p, c, state, counts, s, false)
	// The layout that was asked for is the sort's; the sum keeps its own.
	sum.Append(b, algo.Sum{Data: counts, Items: s.bins, Bits: 32}, c, algo.Params{})
	g.fill(b, p, c, state, counts, counts, s, false)
	b.Refuses(state, "the key %s is outside the range 0 to the maximum that was given; nothing was moved. Give a greater maximum, or use counting-range")
	b.Passes(1)
	return b.Plan(), nil
}

func entry(stage string, p plan.Problem, c driver.Caps) kernel.ID {
	return variant(kernel.Entry("counting", stage, p.Type.Bits(), 0), p, c)
}

func plain(stage string, p plan.Problem, c driver.Caps) kernel.ID {
	return variant(kernel.Plain("counting", stage), p, c)
}
