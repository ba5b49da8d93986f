package study

import (
	"errors"
	"math"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/cpu/counting"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

func countHost(p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions) error {
	return countAny(p, keys, values, o, false)
}

func countHostRange(p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions) error {
	return countAny(p, keys, values, o, true)
}

func countAny(p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions, ranged bool) error {
	return key.ByWidths(p.Type.Bytes(), p.ValueBytes,
		countWords[uint8, uint32], countWords[uint16, uint32], countWords[uint32, uint32], countWords[uint64, uint32],
		countWords[uint8, uint64], countWords[uint16, uint64], countWords[uint32, uint64], countWords[uint64, uint64],
	)(p, keys, values, o, ranged)
}

func countWords[U key.Word, V uint32 | uint64](p plan.Problem, keys, values unsafe.Pointer, o catalog.HostOptions, ranged bool) error {
	if p.Items == 0 {
		return nil
	}
	d := counting.Data[U, V]{Keys: unsafe.Slice((*U)(keys), p.Items)}
	switch p.Mode {
	case plan.Pairs:
		d.Values = unsafe.Slice((*V)(values), p.Items)
	case plan.Argsort:
		d.Indices = unsafe.Slice((*V)(values), p.Items)
	}
	opt := counting.Options{Ctx: o.Ctx, MemoryCap: o.MemoryCap, Workers: o.Workers}
	if ranged {
		return counting.Range(d, p.Codec(), opt)
	}
	lo, bins, err := hostSpan[U](p, o.MaxValue)
	if err != nil {
		return err
	}
	err = counting.Max(d, p.Codec(), lo, bins, opt)
	var out counting.OutOfRange
	var large counting.TooLarge
	switch {
	case errors.As(err, &out):
		refusal := plan.Plan{Algorithm: "counting", Problem: p, Status: &plan.Status{Refusals: []string{
			"the key %s is outside the range 0 to the maximum that was given; nothing was moved. Give a greater maximum, or use counting-range"}}}
		return refusal.Refusal(1, out.Bits)
	case errors.As(err, &large):
		return algo.Unsupported("counting: %v: give a smaller maximum or a larger memory limit", err)
	}
	return err
}

// hostSpan turns the maximum into the image of the first counter and their
// number: as internal/algo/counting does, for up to 2^32 counters.
func hostSpan[U key.Word](p plan.Problem, max uint64) (lo U, bins uint64, err error) {
	row := p.Type.Row()
	switch {
	case row.Kind == key.Float:
		return 0, 0, algo.Unsupported("counting sorts integers, not %v: counting-range sorts those", p.Type)
	case max == 0 && row.Bits <= 16:
		return 0, 1 << row.Bits, nil
	case max == 0:
		return 0, 0, algo.Unsupported("counting of %v needs the greatest key (--max-value, the axis MaxValue); counting-range finds it out", p.Type)
	}
	greatest := uint64(math.MaxUint64) >> (64 - row.Bits)
	if row.Kind == key.Signed {
		greatest >>= 1
	}
	if max = min(max, greatest); max >= 1<<32 {
		return 0, 0, algo.Unsupported("counting with a maximum of %d needs as many counters: counting-range does without", max)
	}
	first := uint64(0)
	if p.Order.Desc {
		first = max
	}
	return key.Encode(p.Codec(), U(first)), max + 1, nil
}
