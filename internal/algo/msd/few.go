package msd

import (
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	// fewMost is how many different keys the dictionary holds.
	fewMost = layout.MsdFewMost
	// fewPad is what vectors may need before the first item.
	fewPad = 16
	// The launch.
	fewThreads, fewBlocks = layout.MsdFewThreads, layout.MsdFewBlocks
	// fewUnlisted: one in so many items may have another key. Their encoded keys and values are
	// there twice, behind the items' ranks in memory for n keys.
	fewUnlisted = 9
)

// fewKeys is the cooperative launch that sorts pairs or places of at most fewMost
// different keys, which the sample has listed, and a few unlisted ones. Keys alone go along with
// large.
type fewKeys struct {
	offered    bool     // the device can make the launch
	dictionary plan.Ref // zero before the sample
	counts     plan.Ref
	blocks     uint32
}

// fewKeysOf returns the launch, without places. Where it is not offered, the methods
// that add to a plan add nothing.
func fewKeysOf(p plan.Problem, c driver.Caps) fewKeys {
	f := fewKeys{blocks: uint32(max(c.ComputeUnits, 1)) * fewBlocks}
	f.offered = takesCooperative(c) && fitsShared(c, f.shared(p))
	return f
}

// passItems is a tile's number of items per thread in a pass over unlisted keys.
func (f fewKeys) passItems(p plan.Problem) uint32 {
	return map[int]uint32{
		8: layout.MsdFewPassItems8, 12: layout.MsdFewPassItems12, 16: layout.MsdFewPassItems16,
	}[p.Type.Bytes()+p.ValueBytes]
}

// module is where the kernel is.
func (f fewKeys) module(p plan.Problem) string {
	if p.Mode == plan.Pairs {
		return "msdpairs"
	}
	return "msd"
}

// shared is the shared memory, which only machine code needs.
func (f fewKeys) shared(p plan.Problem) uint32 {
	return layout.Shared("sm_90", f.module(p), "few", p.Type.Bits(), p.ValueBytes)
}

// unlisted is how many keys that the dictionary lacks there may be, with two sets of so many
// bytes of look-back words, and where they, encoded, and their values go, twice each, behind
// the ranks in memory for n keys of the
// problem's type.
func (f fewKeys) unlisted(p plan.Problem, ranks plan.Ref, words uint64) (most uint64, at [4]plan.Ref) {
	most = min(p.Items/fewUnlisted, words/rowBytes/2*fewThreads*uint64(f.passItems(p)))
	keys, values := most*uint64(p.Type.Bytes()), most*uint64(p.ValueBytes)
	off := p.Items + fewPad
	for i, bytes := range []uint64{keys, keys, values, values} {
		off = (off + 15) / 16 * 16
		at[i] = ranks.Add(off)
		off += bytes
	}
	return most, at
}

// clear takes scratch that is zeroed before the sample, and returns what the sample
// gets of it: 0 if the launch is not offered.
func (f *fewKeys) clear(b *plan.Builder) plan.Arg {
	if !f.offered {
		return plan.U64(0)
	}
	f.dictionary = b.Scratch("few keys", layout.MsdFewBytes)
	return plan.At(f.dictionary)
}

// room takes the rest.
func (f *fewKeys) room(b *plan.Builder) {
	if f.offered {
		f.counts = b.Scratch("few keys' counts", 4*fewMost*uint64(f.blocks))
	}
}

// append appends the launch. ranks is room for n keys, values, for pairs, for n
// values and fewPad bytes more; control is a control block and words wordsBytes of look-back
// words of the fallback, which does nothing if the launch sorts. The launch's least traffic is 0: it
// is not expected to run.
func (f fewKeys) append(b *plan.Builder, p plan.Problem, state, ranks, values, control, words plan.Ref, wordsBytes uint64) {
	if !f.offered {
		return
	}
	args := []plan.Arg{
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(f.dictionary), plan.At(state), plan.U32(uint32(p.Items)),
		plan.At(plan.Ref{Region: plan.ValuesIO}), plan.At(ranks), plan.At(f.counts),
	}
	if p.Mode == plan.Pairs {
		args = append(args, plan.At(values))
	}
	most, at := f.unlisted(p, ranks, wordsBytes)
	args = append(args, plan.U32(uint32(p.Codec())), plan.At(at[0]), plan.At(at[1]), plan.At(at[2]), plan.At(at[3]),
		plan.At(control), plan.At(words), plan.U32(uint32(most)))
	s := b.Launch("sort few different keys", kernel.Entry(f.module(p), "few", p.Type.Bits(), p.ValueBytes), f.blocks, fewThreads, 0, args...)
	s.SharedBytes, s.Cooperative = f.shared(p), true
}
