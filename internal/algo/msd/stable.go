package msd

import (
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

// half is the number of keys in the first half of a 32-bit argsort's fallback.
func (a *argsort) half() uint64 { return a.p.Items - a.p.Items/2 }

// leastWords is the least that the look-back words of an argsort's fallback take: of one
// pass, over a half of 32-bit keys.
func leastWords(p plan.Problem, c driver.Caps) (uint64, error) {
	if p.Type.Bits() == 32 {
		return onesweep.GatedPasses{Items: p.Items - p.Items/2, ValueBytes: p.ValueBytes}.WordsBytes(c)
	}
	return onesweep.WidePasses{Items: p.Items, ValueBytes: p.ValueBytes, Each: true}.WordsBytes(c)
}

// rows is how many tiles' look-back words there may be at once.
func (a *argsort) rows() uint64 { return a.atOnce / rowBytes }

// controlBlocks is how many the fallback takes: one for passes over whole 64-bit keys,
// two for those that may write upper halves, or one for each half of the input.
func (a *argsort) controlBlocks() uint64 {
	if a.p.Type.Bits() == 64 {
		return wideControls
	}
	return 2
}

// lookBackBytes returns the bytes of look-back words of one pass of the fallback,
// and for how many passes there is room.
func (a *argsort) lookBackBytes() (words, sets uint64, err error) {
	n, v := a.p.Items, a.p.ValueBytes
	var passes func() (uint64, error)
	switch {
	case a.p.Type.Bits() == 64:
		passes = func() (uint64, error) {
			return onesweep.WidePasses{Items: n, ValueBytes: v, Each: a.eachPass, Rows: a.rows()}.WordsBytes(a.c)
		}
	case a.useUpper:
		passes = func() (uint64, error) {
			return onesweep.UpperPasses{Items: n, ValueBytes: v, Each: a.eachPass, Rows: a.rows()}.WordsBytes(a.c)
		}
	}
	if passes != nil { // of all passes, or of one, or of a portion
		if words, err = passes(); err != nil || words > a.atOnce {
			a.eachPass = true
			words, err = passes()
		}
		return words, 1, err
	}
	words, err = onesweep.GatedPasses{Items: a.half(), ValueBytes: a.p.ValueBytes}.WordsBytes(a.c)
	if err != nil {
		return 0, 0, err
	}
	return words, min(max(maxWordsBytes/words, 1), 4), nil
}

// fallback appends the steps for input that the splits cannot take, behind the
// gate: see kernels/cuda/block/msd_stable.cuh.
func (a *argsort) fallback() error {
	switch {
	case a.p.Type.Bits() == 64:
		return sortWide(a.b, a.p, a.c, a.widePasses())
	case a.useUpper:
		return a.fallbackUpper()
	}
	return a.fallback32()
}

// upperPasses are the passes of fallbackUpper. Keys go by the first half of the
// room, places by the second one and the caller's indices.
func (a *argsort) upperPasses() onesweep.UpperPasses {
	return onesweep.UpperPasses{
		Label: "fallback", Gate: a.state, Control: a.controls, Words: a.lookBack, Each: a.eachPass, Rows: a.rows(),
		Items: a.p.Items, ValueBytes: a.p.ValueBytes, Codec: a.p.Codec(),
		Keys: a.keys, Alt: a.room, Upper: a.upper, ValuesIO: a.indices, ValuesA: a.places(),
	}
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
	b.Launch("fallback: plan passes", kernel.Plain("msd", "replanupper"), 1, replanThreads, 0,
		plan.At(a.controls), plan.At(a.state), plan.U32(uint32(n)))
	return a.upperPasses().Append(b, a.c)
}

// fallback32 sorts each half into scratch, which holds n keys and then n places,
// and merges. On the way places go by the caller's indices; keys of the first half
// by the second half's places, keys of the second half by the upper end of the
// indices.
func (a *argsort) fallback32() error {
	b, n, half := a.b, a.p.Items, a.half()
	v := uint64(a.p.ValueBytes)
	halves := []struct{ first, items uint64 }{{0, half}, {half, n - half}}
	for i, h := range halves {
		err := onesweep.GatedHistogram(b, "fallback: histogram", a.p, a.c, a.keys.Add(4*h.first), h.items,
			a.controls.Add(uint64(i)*onesweep.ControlBytes), a.state)
		if err != nil {
			return err
		}
	}
	items, split := plan.U32(uint32(n)), plan.U32(uint32(half))
	b.Launch("fallback: plan passes", kernel.Entry("msd", "replan", 32, 0), 2, replanThreads, 0,
		plan.At(a.controls), plan.At(a.state), items, split)
	places := a.places()
	by := []plan.Ref{places.Add(v * half), a.indices.Add(v * (n - half))}
	for i, h := range halves {
		g := onesweep.GatedPasses{
			Label: []string{"fallback, first half", "fallback, second half"}[i], Gate: a.state, Control: a.controls.Add(uint64(i) * onesweep.ControlBytes),
			Words: a.lookBack, Sets: a.sets, Items: h.items, ValueBytes: a.p.ValueBytes, Codec: a.p.Codec(),
			KeysIO: a.keys.Add(4 * h.first), KeysA: a.room.Add(4 * h.first), KeysB: by[i],
			ValuesIO: a.indices, ValuesA: places.Add(v * h.first),
		}
		if err := g.Append(b, a.c); err != nil {
			return err
		}
	}
	units := uint32(max(a.c.ComputeUnits, 1))
	b.Launch("fallback: cut halves into tiles", kernel.Plain("msd", "diagonals"), units, mergeThreads, 0,
		plan.At(a.room), plan.At(a.diagonals), items, split, plan.At(a.state))
	b.Launch("fallback: merge halves", kernel.Entry("msd", "merge", 32, a.p.ValueBytes), units*8, mergeThreads, 0,
		plan.At(a.room), plan.At(places), plan.At(a.indices), items, split, plan.At(a.diagonals), plan.At(a.state))
	return nil
}

// wideControls is how many control blocks widePasses take.
const wideControls = 3

// widePasses are those of 64-bit keys. Keys go by the room and a second one, places by the
// end of the room and the caller's indices.
func (a *argsort) widePasses() onesweep.WidePasses {
	return onesweep.WidePasses{
		Label: "fallback", Gate: a.state, Control: a.controls, Words: a.lookBack, Each: a.eachPass, Rows: a.rows(),
		Items: a.p.Items, ValueBytes: a.p.ValueBytes, Codec: a.p.Codec(),
		Keys: a.keys, A: a.room, B: a.second, ValuesIO: a.indices, ValuesA: a.room.Add(8 * a.p.Items),
	}
}

// sortWide appends a gated argsort of 64-bit keys: histogram, plan and passes.
func sortWide(b *plan.Builder, p plan.Problem, c driver.Caps, w onesweep.WidePasses) error {
	if err := onesweep.GatedHistogram(b, w.Label+": histogram", p, c, w.Keys, p.Items, w.Control, w.Gate); err != nil {
		return err
	}
	b.Launch(w.Label+": plan passes", kernel.Plain("msd", "replanwide"), 1, replanThreads, 0,
		plan.At(w.Control), plan.At(w.Gate), plan.U64(p.Items))
	return w.Append(b, c)
}
