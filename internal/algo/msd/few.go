package msd

import (
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// fewThreads and fewBlocks are the launch's.
const fewThreads, fewBlocks = layout.MsdFewThreads, layout.MsdFewBlocks

// fewKeys is the cooperative launch that sorts input of at most layout.MsdFewMost different keys, which the sample has
// listed, and for pairs and argsort the pass by their ranks behind it.
type fewKeys struct {
	offered    bool     // the device can make the launch
	dictionary plan.Ref // zero before the sample; its first word is the gate of the pass
	control    plan.Ref // of the pass; zero before the launch
}

// fewKeysOf returns the launch, without places. Where it is not offered, the methods
// that add to a plan add nothing.
func fewKeysOf(c driver.Caps) fewKeys { return fewKeys{offered: c.Cooperative && tune.SM90(c)} }

// clear takes scratch that is zeroed before the sample, and returns what the sample
// gets of it: 0 if the launch is not offered.
func (f *fewKeys) clear(b *plan.Builder) plan.Arg {
	if !f.offered {
		return plan.U64(0)
	}
	f.dictionary = b.Scratch("few keys", layout.MsdFewBytes)
	return plan.At(f.dictionary)
}

// clearPass takes scratch that is zeroed before the launch.
func (f *fewKeys) clearPass(b *plan.Builder, p plan.Problem) {
	if f.offered && p.Mode != plan.Keys {
		f.control = b.Scratch("control of the pass by ranks", onesweep.ControlBytes)
	}
}

// fewRoom is scratch of pairs and argsorts: ranks has room for n bytes, values, of pairs, for n
// values, words for rows tiles' look-back words.
type fewRoom struct {
	ranks, values, words plan.Ref
	rows                 uint64
}

// append appends the launch, and the pass if the problem has values. Their least traffic is 0: they are not expected to
// run.
func (f fewKeys) append(b *plan.Builder, p plan.Problem, c driver.Caps, state plan.Ref, room fewRoom) error {
	if !f.offered {
		return nil
	}
	keys, io := plan.At(plan.Ref{Region: plan.KeysIO}), plan.Ref{Region: plan.ValuesIO}
	ranks, values, copied, control := plan.U64(0), plan.U64(0), plan.U64(0), plan.U64(0)
	if p.Mode != plan.Keys {
		ranks, control = plan.At(room.ranks), plan.At(f.control)
	}
	if p.Mode == plan.Pairs {
		values, copied = plan.At(io), plan.At(room.values)
	}
	s := b.Launch("sort few different keys", entry("few", p), uint32(max(c.ComputeUnits, 1))*fewBlocks, fewThreads, 0,
		keys, plan.At(f.dictionary), plan.At(state), plan.U32(uint32(p.Items)), ranks, values, copied, plan.U64(p.ValuesBytes()/4), control)
	s.Cooperative = true
	if p.Mode == plan.Keys {
		return nil
	}
	return onesweep.RankPass{Argsort: onesweep.Argsort{
		Label: "few different keys", Gate: f.dictionary, Control: f.control, Words: room.words, Rows: room.rows,
		Items: p.Items, ValueBytes: p.ValueBytes, Keys: room.ranks, ValuesIO: io, ValuesA: room.values,
	}}.Append(b, c)
}
