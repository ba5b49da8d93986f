package msd

import (
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// half is the number of keys in the first half of a 32-bit argsort's fallback.
func (a *argsort) half() uint64 { return a.p.Items - a.p.Items/2 }

// lookBackBytes returns the bytes of look-back words of one pass of the fallback,
// and for how many passes there is room.
func (a *argsort) lookBackBytes() (words, sets uint64, err error) {
	switch {
	case a.useUpper && a.p.Type.Bits() == 64: // of all passes
		words, err = a.packedPasses().WordsBytes(a.c)
		return words, 1, err
	case a.useUpper: // of all passes, or of one
		all := a.upperPasses()
		if words, err = all.WordsBytes(a.c); err == nil && words > a.atOnce {
			a.eachPass, all.Each = true, true
			words, err = all.WordsBytes(a.c)
		}
		return words, 1, err
	}
	g := onesweep.GatedPasses{Items: a.p.Items, ValueBytes: a.p.ValueBytes}
	if a.p.Type.Bits() == 32 {
		g.Items = a.half()
	}
	words, err = g.WordsBytes(a.c)
	if err != nil {
		return 0, 0, err
	}
	return words, min(max(maxWordsBytes/words, 1), 4), nil
}

// fallback appends the steps for input that the splits cannot take, behind the
// gate: see kernels/cuda/block/msd_stable.cuh.
func (a *argsort) fallback() error {
	if a.useUpper {
		return a.fallbackUpper()
	}
	if a.p.Type.Bits() == 32 {
		return a.fallback32()
	}
	return a.fallback64()
}

// passes is what the sorts of either fallback share.
func (a *argsort) passes(label string, control uint64) onesweep.GatedPasses {
	return onesweep.GatedPasses{
		Label: label, Gate: a.state, Control: a.controls.Add(control * onesweep.ControlBytes),
		Words: a.lookBack, Sets: a.sets, ValueBytes: a.p.ValueBytes,
	}
}

// upperPasses are the passes of fallbackUpper. Keys go by the first half of the
// room, places by the second one and the caller's indices.
func (a *argsort) upperPasses() onesweep.UpperPasses {
	return onesweep.UpperPasses{
		Label: "fallback", Gate: a.state, Control: a.controls, Words: a.lookBack, Each: a.eachPass,
		Items: a.p.Items, ValueBytes: a.p.ValueBytes, Codec: a.p.Codec(),
		Keys: a.keys, Alt: a.room, Upper: a.upper, ValuesIO: a.indices, ValuesA: a.places(),
	}
}

// places is where places go behind 32-bit keys in the room.
func (a *argsort) places() plan.Ref { return a.room.Add((4*a.p.Items + 7) / 8 * 8) }

// packedPasses are those of 64-bit keys.
func (a *argsort) packedPasses() onesweep.PackedPasses {
	return onesweep.PackedPasses{
		Label: "fallback", Gate: a.state, Control: a.controls, Words: a.lookBack,
		Items: a.p.Items, ValueBytes: a.p.ValueBytes, Codec: a.p.Codec(),
		Keys: a.keys, Indices: a.indices, Room: a.room, Top: a.upper,
	}
}

// fallbackUpper sorts with the upper 16 bits of the keys kept apart. 32-bit keys: by
// the lower two digits, whose last pass leaves only those bits for the passes by the
// upper two. 64-bit keys: as packed words, which gather those bits at the end.
func (a *argsort) fallbackUpper() error {
	b, n := a.b, a.p.Items
	if err := onesweep.GatedHistogram(b, "fallback: histogram", a.p, a.c, a.keys, n, a.controls, a.state); err != nil {
		return err
	}
	stage, appendPasses := "replanupper", a.upperPasses().Append
	if a.p.Type.Bits() == 64 {
		stage, appendPasses = "replanpacked", a.packedPasses().Append
	}
	b.Launch("fallback: plan passes", kernel.Plain("msd", stage), 1, replanThreads, 0,
		plan.At(a.controls), plan.At(a.state), plan.U32(uint32(n)))
	return appendPasses(b, a.c)
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
		g := a.passes([]string{"fallback, first half", "fallback, second half"}[i], uint64(i))
		g.Items, g.Codec = h.items, a.p.Codec()
		g.KeysIO, g.KeysA, g.KeysB = a.keys.Add(4*h.first), a.room.Add(4*h.first), by[i]
		g.ValuesIO, g.ValuesA = a.indices, places.Add(v*h.first)
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

// fallback64 sorts by the lower 32 bits and then by the upper ones, between
// scratch (twice n half keys, n places) and the caller's indices.
func (a *argsort) fallback64() error {
	b, n := a.b, a.p.Items
	if err := onesweep.GatedHistogram(b, "fallback: histogram", a.p, a.c, a.keys, n, a.controls, a.state); err != nil {
		return err
	}
	items := plan.U32(uint32(n))
	b.Launch("fallback: plan passes", kernel.Entry("msd", "replan", 64, 0), 1, replanThreads, 0,
		plan.At(a.controls), plan.At(a.state), items)
	places := a.room.Add(8 * n)
	for i, name := range []string{"lower", "upper"} {
		b.Launch("fallback: take "+name+" bits", kernel.Entry("msd", "take", 64, a.p.ValueBytes), uint32(max(a.c.ComputeUnits, 1))*4, takeThreads, 0,
			plan.At(a.keys), plan.At(a.indices), plan.At(places), plan.At(a.room), items, plan.At(a.state), plan.U32(uint32(i)), plan.U32(uint32(a.p.Codec())))
		g := a.passes("fallback, "+name+" bits", uint64(i))
		g.Items, g.Codec = n, key.CodecUnsigned
		g.KeysIO, g.KeysA, g.KeysB = a.room, a.room.Add(4*n), a.room
		g.ValuesIO, g.ValuesA = a.indices, places
		if err := g.Append(b, a.c); err != nil {
			return err
		}
	}
	return nil
}
