package msd

import (
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

// rows is how many tiles' look-back words there may be at once.
func (a *argsort) rows() uint64 { return a.atOnce / rowBytes }

// controlBlocks is how many the fallback takes: one for passes over whole 64-bit keys,
// two for those that may write upper halves.
func (a *argsort) controlBlocks() uint64 {
	if a.p.Type.Bits() == 64 {
		return wideControls
	}
	return 2
}

// lookBackBytes returns the bytes of look-back words of the fallback: of all passes, of one,
// or of a portion of one.
func (a *argsort) lookBackBytes() (words uint64, err error) {
	n, v := a.p.Items, a.p.ValueBytes
	passes := func() (uint64, error) {
		sort := onesweep.Argsort{Items: n, ValueBytes: v, Each: a.eachPass, Rows: a.rows()}
		if a.p.Type.Bits() == 64 {
			return onesweep.WidePasses{Argsort: sort}.WordsBytes(a.c)
		}
		return onesweep.UpperPasses{Argsort: sort}.WordsBytes(a.c)
	}
	if words, err = passes(); err != nil || words > a.atOnce {
		a.eachPass = true
		words, err = passes()
	}
	return words, err
}

// fallback appends the steps for input that the splits cannot take, behind the
// gate.
func (a *argsort) fallback() error {
	if a.p.Type.Bits() == 64 {
		return sortWide(a.b, a.p, a.c, a.widePasses())
	}
	return a.fallbackUpper()
}

// passes are those of the fallback, with the given place for the values' A.
func (a *argsort) passes(places plan.Ref) onesweep.Argsort {
	return onesweep.Argsort{
		Label: "fallback", Gate: a.state, Control: a.controls, Words: a.lookBack, Each: a.eachPass, Rows: a.rows(),
		Items: a.p.Items, ValueBytes: a.p.ValueBytes, Codec: a.p.Codec(), Keys: a.keys, ValuesIO: a.indices, ValuesA: places,
	}
}

// upperPasses are the passes of fallbackUpper. Keys go by the first half of the
// room, places by the second one and the caller's indices.
func (a *argsort) upperPasses() onesweep.UpperPasses {
	return onesweep.UpperPasses{Argsort: a.passes(a.places()), Alt: a.room, Upper: a.upper}
}

// places is where places go behind 32-bit keys in the room.
func (a *argsort) places() plan.Ref { return a.room.Add((4*a.p.Items + 7) / 8 * 8) }

// fallbackUpper sorts 32-bit keys by the lower two digits, whose last pass leaves only the
// upper 16 bits, which lie apart, for the passes by the upper two.
func (a *argsort) fallbackUpper() error {
	b, n := a.b, a.p.Items
	if err := onesweep.GatedHistogram(b, "fallback: histogram", a.p, a.c, a.keys, n, a.controls, a.state); err != nil {
		return err
	}
	b.Launch("fallback: plan passes", kernel.Plain("msd", "replanupper"), 1, layout.MsdReplanThreads, 0,
		plan.At(a.controls), plan.At(a.state), plan.U32(uint32(n)))
	return a.upperPasses().Append(b, a.c)
}

// wideControls is how many control blocks widePasses take.
const wideControls = 3

// widePasses are those of 64-bit keys. Keys go by the room and a second one, places by the
// end of the room and the caller's indices.
func (a *argsort) widePasses() onesweep.WidePasses {
	return onesweep.WidePasses{Argsort: a.passes(a.room.Add(8 * a.p.Items)), A: a.room, B: a.second}
}

// sortWide appends a gated argsort of 64-bit keys: histogram, plan and passes.
func sortWide(b *plan.Builder, p plan.Problem, c driver.Caps, w onesweep.WidePasses) error {
	if err := onesweep.GatedHistogram(b, w.Label+": histogram", p, c, w.Keys, p.Items, w.Control, w.Gate); err != nil {
		return err
	}
	b.Launch(w.Label+": plan passes", kernel.Plain("msd", "replanwide"), 1, layout.MsdReplanThreads, 0,
		plan.At(w.Control), plan.At(w.Gate), plan.U64(p.Items))
	return w.Append(b, c)
}
