// Package ranges plans the steps by which devices that share a sort exchange keys before
// they sort them: a sample of a share, and its split by ranges that the host has chosen from
// all samples. Each step is a plan of its own, since the host reads what the first leaves
// before it plans the second (internal/exec/ranges.go).
//
// The split does not count keys first: each range has room for as many as the sample makes
// likely, and some more. Where one has more still, the split is void, and its input whole.
//
// A range is given by its last key: keys go to the first range whose last key is not below
// them. Keys are compared encoded.
package ranges

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// Most is the largest number of ranges.
const Most = layout.MostRanges

// Out is the region that a split writes.
const Out plan.Region = 2

// Places in the scratch memory, in bytes, which both plans share. The host writes Lasts, the
// last keys as PadLasts has them, and RoomWords at Rooms. It reads these again, and Sample.
const (
	Lasts     = 0
	Rooms     = Lasts + 8*Most
	RoomBytes = layout.RangeRoomBytes
	Sample    = (Rooms + RoomBytes*Most + plan.ScratchAlign - 1) / plan.ScratchAlign * plan.ScratchAlign
)

// mostItems bounds the keys of a split. The sum of them and of the places that rooms take, which
// are more, is below MostPlaces: a number of 32 bits that counts up from a place.
const (
	mostItems  = 2_000_000_000
	MostPlaces = 1<<32 - 1
)

// Supports reports why keys like p's are not split on a device.
func Supports(p plan.Problem, c driver.Caps) error {
	_, _, err := geometry(p, c)
	return err
}

// geometry is that of a split.
func geometry(p plan.Problem, c driver.Caps) (threads uint32, tile uint64, err error) {
	if p.Mode != plan.Keys || c.Backend == "opencl" {
		return 0, 0, algo.Unsupported("ranges: only keys alone are split, not by OpenCL")
	}
	items := uint32(layout.RangesSplitItems32)
	switch threads = layout.RangesSplitThreads32; p.Type.Bits() {
	case 32:
	case 64:
		threads, items = layout.RangesSplitThreads64, layout.RangesSplitItems64
	default:
		return 0, 0, algo.Unsupported("ranges: keys of 32 and 64 bits are split, not of %d", p.Type.Bits())
	}
	if most := uint32(c.MaxThreadsPerBlock); threads > most {
		return 0, 0, algo.Unsupported("ranges need blocks of %d threads, %s has %d", threads, c.Name, most)
	}
	if p.Items > mostItems {
		return 0, 0, algo.Unsupported("ranges: up to %d keys are split, not %d", mostItems, p.Items)
	}
	if need, limit := shared(p, c), max(c.SharedPerBlock, c.SharedPerBlockMax); uint64(need) > limit {
		return 0, 0, algo.Unsupported("ranges need %d bytes of shared memory per block, %s has %d", need, c.Name, limit)
	}
	return threads, uint64(threads) * uint64(items), nil
}

func shared(p plan.Problem, c driver.Caps) uint32 {
	return layout.Shared(tune.CUDATarget(c), "ranges", "split", p.Type.Bits(), 0)
}

func builder(name string, p plan.Problem, scratch uint64) *plan.Builder {
	b := plan.NewBuilder(name, p)
	b.Scratch(name, scratch)
	return b
}

func entry(stage string, p plan.Problem) kernel.ID {
	return kernel.Entry("ranges", stage, p.Type.Bits(), 0)
}

func scratch(off uint64) plan.Arg { return plan.At(plan.Ref{Region: plan.Scratch, Off: off}) }

var keysIO = plan.At(plan.Ref{Region: plan.KeysIO})

// PlanSample plans the sample: 1 << log encoded keys as words of 64 bits, from places by
// chance in as many equal stretches of the keys, in their order. There are at least so many
// keys.
func PlanSample(p plan.Problem, log uint32, c driver.Caps) (plan.Plan, error) {
	if err := Supports(p, c); err != nil {
		return plan.Plan{}, err
	}
	n := uint64(1) << log
	if p.Items < n {
		return plan.Plan{}, algo.Unsupported("ranges: a sample of %d of %d keys", n, p.Items)
	}
	b := builder("sample of keys", p, Sample+8*n)
	b.Launch("sample", entry("sample", p), uint32((n+layout.RangesSampleThreads-1)/layout.RangesSampleThreads), layout.RangesSampleThreads,
		n*uint64(p.Type.Bytes()+8), keysIO, plan.U64(p.Items), plan.U32(log), plan.U32(uint32(p.Codec())), scratch(Sample))
	b.Passes(1)
	return b.Plan(), nil
}

// Spare is how many keys of room a split of p needs behind all rooms, for a range whose room
// does not suffice.
func Spare(p plan.Problem, c driver.Caps) (uint64, error) {
	_, tile, err := geometry(p, c)
	return tile, err
}

// PlanSplit plans the split to region Out, where the keys of each range lie in its room, in
// any order. That of Spare keys begins at key number spare.
func PlanSplit(p plan.Problem, spare uint32, c driver.Caps) (plan.Plan, error) {
	threads, tile, err := geometry(p, c)
	if err != nil {
		return plan.Plan{}, err
	}
	b := builder("split of keys by ranges", p, Sample)
	b.Launch("split", entry("split", p), uint32((p.Items+tile-1)/tile), threads, 2*p.KeyBytes(),
		keysIO, plan.At(plan.Ref{Region: Out}), plan.U32(uint32(p.Items)), plan.U32(uint32(p.Codec())), scratch(Lasts), scratch(Rooms), plan.U32(spare)).
		SharedBytes = shared(p, c)
	b.Passes(1)
	return b.Plan(), nil
}

// PadLasts are the words at Lasts for ranges with such last keys, all but the last one's. The
// last range takes all keys above.
func PadLasts(lasts []uint64) []uint64 {
	out := append([]uint64(nil), lasts...)
	for len(out) < Most-1 {
		out = append(out, ^uint64(0))
	}
	return out
}

// RoomWords are the words at Rooms. Range k's is from key number starts[k] of Out to before
// starts[k+1].
func RoomWords(starts []uint64) []uint32 {
	out := make([]uint32, Most*RoomBytes/4)
	for k, end := range starts[1:] {
		out[k*RoomBytes/4], out[k*RoomBytes/4+1] = uint32(starts[k]), uint32(end)
	}
	return out
}

// Used is how many keys each of so many ranges has after a split, by the words at Rooms, and
// whether all have had room.
func Used(words []uint32, starts []uint64) (counts []uint64, ok bool) {
	ok = true
	for k := range starts[1:] {
		next := uint64(words[k*RoomBytes/4])
		counts, ok = append(counts, next-starts[k]), ok && next <= starts[k+1]
	}
	return counts, ok
}
