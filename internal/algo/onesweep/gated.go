package onesweep

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// Gated is a onesweep sort of keys or pairs that another algorithm appends to its
// steps, to run only if the device finds that it must: if, when its steps come,
// the 32-bit word at Gate holds GateOpen. If not, every launch returns at once;
// their grids are small, since blocks that do nothing cost time, too.
type Gated struct {
	// Gate is the word; an earlier launch writes it.
	Gate plan.Ref
	// Control is scratch of ControlBytes that earlier steps zeroed. They may set
	// the field finish to have the last launch turn the keys round.
	Control plan.Ref
	// Words is scratch of Sets, 1 or 2, times WordsBytes, of any content, aligned to
	// 16 bytes. With two sets a pass clears what the next one needs.
	Words plan.Ref
	Sets  uint32
	// Keys is scratch of the keys' size, Values, for pairs, of the values'.
	Keys, Values plan.Ref
}

// GateOpen is kGateOpen and ControlBytes sizeof(Control) in
// kernels/cuda/block/control.cuh.
const (
	GateOpen     = 2
	ControlBytes = controlBytes
)

// WordSets returns how many sets of look-back words to take: two up to 32 MiB in all.
// Beyond, in sorts of more than some 2^27 items, the barrier that a pass saves is a small
// part of it.
func WordSets(words uint64) uint32 {
	if words <= 16<<20 {
		return 2
	}
	return 1
}

// WordsBytes returns the size of one set of Gated.Words, or why the problem cannot be
// sorted that way.
func WordsBytes(p plan.Problem, c driver.Caps) (uint64, error) {
	if err := supports(p, c); err != nil {
		return 0, err
	}
	pol, _ := policy(p, c)
	tile := uint64(pol.Threads * pol.Items)
	tiles := (p.Items + tile - 1) / tile
	if most := min(maxRows, maxPortionItems/tile); p.Mode == plan.Argsort || tiles > most {
		return 0, algo.Unsupported("gated onesweep sorts up to %d keys, alone or with values", most*tile)
	}
	return tiles * rowBytes, nil
}

// Append adds the sort's steps to b. Their least traffic is 0: they are not
// expected to run. It needs a problem that WordsBytes accepts.
func (g Gated) Append(b *plan.Builder, p plan.Problem, c driver.Caps) error {
	words, err := WordsBytes(p, c)
	if err != nil {
		return err
	}
	pol, _ := policy(p, c)
	units := uint32(max(c.ComputeUnits, 1))
	tiles := uint32(words / rowBytes)
	keys, codec := plan.At(plan.Ref{Region: plan.KeysIO}), plan.U32(uint32(p.Codec()))
	io, alt := plan.At(values(p)), keys // keys alone: named, not used
	if p.ValueBytes != 0 {
		alt = plan.At(g.Values)
	}
	histogram{"fallback: histogram", plan.Ref{Region: plan.KeysIO}, p.Items, g.Control, p.Mode, plan.At(g.Gate), 0}.append(b, p, c, units*pol.HistBlocks)
	if c.Cooperative && tune.SM90(c) && p.Type.Bits() >= 32 {
		s := b.Launch("fallback: digit passes", entry("sweep", p), min(tiles, units*pol.Blocks), pol.Threads, 0,
			keys, plan.At(g.Keys), io, alt, plan.At(g.Control), plan.At(g.Words), plan.U64(p.Items), plan.U32(tiles), codec, plan.At(g.Gate), plan.U32(g.Sets))
		s.SharedBytes, s.Cooperative = passShared(pol, p), true
		return nil
	}
	for digit := range p.Type.Bytes() {
		b.Launch("fallback: clear look-back", kernel.Plain("onesweep", "clear"), units, 512, 0,
			plan.At(g.Words), plan.U64(words/16), plan.At(g.Gate))
		s := b.Launch(fmt.Sprintf("fallback: digit pass %d", digit), entry("pass", p), min(tiles, units*pol.Blocks), pol.Threads, 0,
			keys, plan.At(g.Keys), plan.At(g.Keys), io, alt, plan.At(g.Control), plan.At(g.Words),
			plan.U64(p.Items), plan.U32(uint32(digit)), plan.U32(0), plan.U32(0), plan.U32(tiles), plan.U32(0), codec, plan.U32(0))
		s.SharedBytes = passShared(pol, p)
	}
	b.Launch("fallback: finish", entry("finish", p), units*8, finishThreads, 0,
		keys, plan.At(g.Keys), io, alt, plan.U64(p.Items), plan.At(g.Control), codec)
	return nil
}
