package study

import (
	"errors"
	"math"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/algo/cpu/counting"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

func countHost(j op.Job, o catalog.HostOptions) error {
	return countAny(j, o, false)
}

func countHostRange(j op.Job, o catalog.HostOptions) error {
	return countAny(j, o, true)
}

func countAny(j op.Job, o catalog.HostOptions, ranged bool) error {
	return key.ByWidths(j.Type.Bytes(), j.ValueBytes,
		countWords[uint8, uint32], countWords[uint16, uint32], countWords[uint32, uint32], countWords[uint64, uint32],
		countWords[uint8, uint64], countWords[uint16, uint64], countWords[uint32, uint64], countWords[uint64, uint64],
	)(j, o, ranged)
}

func countWords[U key.Word, V uint32 | uint64](j op.Job, o catalog.HostOptions, ranged bool) error {
	if j.Items == 0 {
		return nil
	}
	d := counting.Data[U, V]{Keys: unsafe.Slice((*U)(j.At[op.KeysIO]), j.Items)}
	switch j.Mode {
	case op.Pairs:
		d.Values = unsafe.Slice((*V)(j.At[op.ValuesIO]), j.Items)
	case op.Argsort:
		d.Indices = unsafe.Slice((*V)(j.At[op.ValuesIO]), j.Items)
	}
	opt := counting.Options{Ctx: o.Ctx, MemoryCap: o.MemoryCap, Workers: o.Workers}
	if ranged {
		return counting.Range(d, j.Codec(), opt)
	}
	lo, bins, err := hostSpan[U](j.Spec, o.MaxValue)
	if err != nil {
		return err
	}
	err = counting.Max(d, j.Codec(), lo, bins, opt)
	var out counting.OutOfRange
	var large counting.TooLarge
	switch {
	case errors.As(err, &out):
		refusal := plan.Plan{Algorithm: "counting", Problem: j.Spec, Status: &plan.Status{Refusals: []string{
			"the key %s is outside the range 0 to the maximum that was given; nothing was moved. Give a greater maximum, or use counting-range"}}}
		return refusal.Refusal(1, out.Bits)
	case errors.As(err, &large):
		return algo.Unsupported("counting: %v: give a smaller maximum or a larger memory limit", err)
	}
	return err
}

// hostSpan turns the maximum into the encoded key of the first counter and their
// number: as internal/algo/counting does, for up to 2^32 counters.
func hostSpan[U key.Word](p op.Spec, max uint64) (lo U, bins uint64, err error) {
	row := p.Type.Row()
	switch {
	case row.Kind == key.Float:
		return 0, 0, algo.Unsupported("counting sorts integers, not %v: counting-range sorts those", p.Type)
	case max == 0 && row.Bits <= 16:
		return 0, 1 << row.Bits, nil
	case max == 0:
		return 0, 0, algo.Unsupported("counting of %v needs the greatest key, which 'gpusort run --max-value' gives, or the lab's axis MaxValue; counting-range finds it out", p.Type)
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
