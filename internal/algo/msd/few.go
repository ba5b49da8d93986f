package msd

import (
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const (
	// fewMost is how many different keys the dictionary holds.
	fewMost = layout.MsdFewMost
	// fewPad is what vectors may need before the first item.
	fewPad = 16
	// The launch.
	fewThreads, fewBlocks = layout.MsdFewThreads, layout.MsdFewBlocks
)

// fewKeys is the cooperative launch that sorts input of at most fewMost different keys, which the sample has listed.
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

// append appends the launch. ranks, not of keys alone, is room for n keys, values, for pairs, for n
// values and fewPad bytes more. The launch's least traffic is 0: it is not expected to run.
func (f fewKeys) append(b *plan.Builder, p plan.Problem, state, ranks, values plan.Ref) {
	if !f.offered {
		return
	}
	io := plan.Ref{Region: plan.KeysIO} // keys alone: named, not used
	if p.Mode != plan.Keys {
		io = plan.Ref{Region: plan.ValuesIO}
	}
	args := []plan.Arg{
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(f.dictionary), plan.At(state), plan.U32(uint32(p.Items)),
		plan.At(io), plan.At(ranks), plan.At(f.counts),
	}
	if p.Mode == plan.Pairs {
		args = append(args, plan.At(values))
	}
	s := b.Launch("sort few different keys", kernel.Entry(f.module(p), "few", p.Type.Bits(), p.ValueBytes), f.blocks, fewThreads, 0, args...)
	s.SharedBytes, s.Cooperative = f.shared(p), true
}

// takesCooperative reports whether the device has cooperative launches, and the
// kernels for them.
func takesCooperative(c driver.Caps) bool { return c.Cooperative && tune.SM90(c) }

// fitsShared reports whether a block can have so much shared memory.
func fitsShared(c driver.Caps, shared uint32) bool {
	return uint64(shared) <= max(c.SharedPerBlock, c.SharedPerBlockMax)
}
