package onesweep

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
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
	// Words is scratch of Sets, 1 or 2, times WordsBytes or PortionBytes, of any content,
	// aligned to 16 bytes. With two sets a pass clears what the next one needs.
	Words plan.Ref
	Sets  uint32
	// Keys is scratch of the keys' size, Values, for pairs, of the values'.
	Keys, Values plan.Ref
}

// GateOpen is what an open gate holds, ControlBytes the size of a control block.
const (
	GateOpen     = layout.GateOpen
	ControlBytes = layout.ControlBytes
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
// sorted that way with every pass in one launch.
func WordsBytes(p plan.Problem, c driver.Caps) (uint64, error) {
	t, err := gatedTiles(p, c, maxRows)
	if err == nil && t.portion < t.tiles {
		tile := uint64(t.Threads * t.Items)
		err = algo.Unsupported("gated onesweep sorts up to %d keys, alone or with values", min(maxRows, maxPortionItems/tile)*tile)
	}
	return t.portion * rowBytes, err
}

// PortionBytes is WordsBytes for any number of keys. If they are more than WordsBytes
// accepts, a pass goes in portions, each two launches: so the gate is not for free.
func PortionBytes(p plan.Problem, c driver.Caps) (uint64, error) {
	t, err := gatedTiles(p, c, maxRows)
	return t.portion * rowBytes, err
}

// tiling is the geometry of the passes of a gated sort, the number of their tiles, and of
// those of a portion: all, or equal parts. sweeps: the passes are one cooperative launch.
type tiling struct {
	tune.OnesweepCuda
	tiles, portion uint64
	sweeps         bool
}

func tilingOf(pol tune.OnesweepCuda, items, limit uint64) tiling {
	tile := uint64(pol.Threads * pol.Items)
	tiles := (items + tile - 1) / tile
	portions := max((tiles-1)/min(limit, maxPortionItems/tile)+1, 1)
	return tiling{pol, tiles, (tiles + portions - 1) / portions, false}
}

// gatedTiles is the tiling of a gated sort of keys or pairs with portions of at most
// `limit` tiles. It sweeps where the device can, if all tiles are one portion.
func gatedTiles(p plan.Problem, c driver.Caps, limit uint64) (tiling, error) {
	if err := supports(p, c); err != nil {
		return tiling{}, err
	}
	if p.Mode == plan.Argsort {
		return tiling{}, algo.Unsupported("gated onesweep sorts keys, alone or with values, no indices")
	}
	pol, _ := policy(p, c)
	if c.Cooperative && tune.SM90(c) && p.Type.Bits() >= 32 {
		if t := tilingOf(sweepPolicy(p, c), p.Items, limit); t.portion == t.tiles {
			t.sweeps = true
			return t, nil
		}
	}
	return tilingOf(pol, p.Items, limit), nil
}

// Append adds the sort's steps to b. Their least traffic is 0: they are not
// expected to run. It needs a problem that PortionBytes accepts.
func (g Gated) Append(b *plan.Builder, p plan.Problem, c driver.Caps) error {
	return g.append(b, p, c, maxRows)
}

// append is Append with at most `limit` rows of look-back words.
func (g Gated) append(b *plan.Builder, p plan.Problem, c driver.Caps, limit uint64) error {
	t, err := gatedTiles(p, c, limit)
	if err != nil {
		return err
	}
	low := t.sweeps && p.Type.Bits() == 64
	histogram{"fallback: histogram", plan.Ref{Region: plan.KeysIO}, p.Items, g.Control, p.Mode, plan.At(g.Gate), low, 0}.append(b, p, c, units(c)*t.HistBlocks)
	g.passes(b, p, c, t)
	return nil
}

func units(c driver.Caps) uint32 { return uint32(max(c.ComputeUnits, 1)) }

// passes appends the passes that the control block asks for, and what finish does.
func (g Gated) passes(b *plan.Builder, p plan.Problem, c driver.Caps, t tiling) {
	keys, codec := plan.At(plan.Ref{Region: plan.KeysIO}), plan.U32(uint32(p.Codec()))
	io, alt := plan.At(values(p)), keys // keys alone: named, not used
	if p.ValueBytes != 0 {
		alt = plan.At(g.Values)
	}
	if t.sweeps {
		s := b.Launch("fallback: digit passes", entry("sweep", p), uint32(min(t.tiles, uint64(units(c)*t.Blocks))), t.Threads, 0,
			keys, plan.At(g.Keys), io, alt, plan.At(g.Control), plan.At(g.Words), plan.U64(p.Items), plan.U32(uint32(t.tiles)), codec, plan.At(g.Gate), plan.U32(g.Sets))
		s.SharedBytes, s.Cooperative = shared("sweep", p, c), true
		return
	}
	passes := gatedPasses{
		label: "fallback", gate: g.Gate, control: g.Control, codec: p.Codec(),
		keysIO: keys.Ref, keysA: g.Keys, keysB: g.Keys, valuesIO: io.Ref, valuesA: alt.Ref,
	}
	for digit := range uint64(p.Type.Bytes()) {
		passes.inPortions(b, c, p, "pass", fmt.Sprintf("digit pass %d", digit), digit, g.Words, t)
	}
	b.Launch("fallback: finish", entry("finish", p), units(c)*8, finishThreads, 0,
		keys, plan.At(g.Keys), io, alt, plan.U64(p.Items), plan.At(g.Control), codec)
}
