package onesweep

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// MaxPackedItems is how many items PackedPasses sort: places have kPlaceBits of
// kernels/cuda/block/packed.cuh.
const MaxPackedItems = 1 << 24

// PackedPasses is an argsort of 64-bit keys that another algorithm appends to its
// steps: see kernels/cuda/block/packed.cuh. It fills two control blocks itself: which
// passes run, by which digit, and between which places. A pass that they do not ask
// for returns at once.
type PackedPasses struct {
	// Label, Gate, Items and ValueBytes are as for GatedPasses, ValueBytes the
	// indices'. Codec is applied by the pass that packs.
	Label      string
	Gate       plan.Ref
	Items      uint64
	ValueBytes int
	Codec      key.Codec
	// Control is two control blocks, one behind the other. The first: pass 0 packs,
	// 1 and 2 sort whole middles, digits 1 to 4 of the keys, by their digits 0 and 1.
	// The second: passes 0 and 1 sort the middles' upper halves, 3 words by their
	// upper digit, 4 gathers, 5 unpacks.
	Control plan.Ref
	// Words is scratch of WordsBytes, aligned to 16 bytes.
	Words plan.Ref
	// Keys are the caller's, Indices those that the sort writes; before, they hold
	// Items numbers of 4 bytes. Room is scratch of 12 bytes per item, Top of 2.
	Keys, Indices, Room, Top plan.Ref
}

// packedPass is a launch of one of the passes.
type packedPass struct {
	label, stage string
	// The instance's widths in its name, and those of the policy.
	bits, valueBytes             int
	policyBits, policyValueBytes int
	// What a tile holds in shared memory per item.
	tileBits, tileValueBytes int
	control, row             uint64
	packed                   bool // parameters as GS_PACKED in kernels/cuda/stage/onesweep.cu
	keysIO, keysA, keysB     plan.Ref
	valuesIO, valuesA        plan.Ref
}

// passes lists them in order. Middles go by A and B, words by the last third of Room
// and Indices; words alone start in the former, and go by A and B.
func (g PackedPasses) passes() []packedPass {
	a, b, words := g.Room, g.Room.Add(4*g.Items), g.Room.Add(8*g.Items)
	v := g.ValueBytes
	return []packedPass{
		{"pack, digit pass 0", "pack", 64, 0, 64, 0, 64, 4, 0, 0, true, g.Keys, a, a, g.Indices, words},
		{"digit pass 1", "upper", 32, 4, 32, 4, 32, 4, 0, 1, false, a, a, b, g.Indices, words},
		{"digit pass 2", "upper", 32, 4, 32, 4, 32, 4, 0, 2, false, a, a, b, g.Indices, words},
		{"digit pass 3", "pass", 16, 4, 16, 4, 16, 4, 1, 0, false, a, a, b, g.Indices, words},
		{"digit pass 4", "pass", 16, 4, 16, 4, 16, 4, 1, 1, false, a, a, b, g.Indices, words},
		{"digit pass 5", "pass", 32, 0, 32, 0, 32, 0, 1, 3, false, words, a, b, words, words},
		{"gather, digit pass 6", "gather", 64, 0, 64, 0, 16, 4, 1, 4, true, words, a, a, b, b},
		{"unpack, digit pass 7", "unpack", 32, v, 32, 0, 32, 0, 1, 5, true, words, g.Indices, b, words, words},
	}
}

// geometry returns the pass's policy and its shared memory.
func (s packedPass) geometry(c driver.Caps) (threads, items, blocks, shared uint32) {
	of := func(bits, valueBytes int) plan.Problem {
		t := map[int]key.Type{16: key.U16, 32: key.U32, 64: key.U64}[bits]
		return plan.Problem{Type: t, ValueBytes: valueBytes}
	}
	pol, _ := policy(of(s.policyBits, s.policyValueBytes), c)
	return pol.Threads, pol.Items, pol.Blocks, sharedBytes(pol.Threads, Skewed(pol.Threads*pol.Items), of(s.tileBits, s.tileValueBytes))
}

// tiles returns the number of the pass's tiles.
func (g PackedPasses) tiles(s packedPass, c driver.Caps) uint64 {
	threads, items, _, _ := s.geometry(c)
	tile := uint64(threads * items)
	return (g.Items + tile - 1) / tile
}

// WordsBytes returns the size of Words, which serve all passes at once, or why the
// problem cannot be sorted that way.
func (g PackedPasses) WordsBytes(c driver.Caps) (bytes uint64, err error) {
	if g.Items > MaxPackedItems {
		return 0, algo.Unsupported("packed passes of onesweep sort up to %d keys", MaxPackedItems)
	}
	for _, t := range []key.Type{key.U16, key.U32, key.U64} {
		if err := supports(plan.Problem{Type: t, Mode: plan.Pairs, Items: g.Items, ValueBytes: 4}, c); err != nil {
			return 0, err
		}
	}
	for _, s := range g.passes() {
		if _, _, _, need := s.geometry(c); uint64(need) > max(c.SharedPerBlock, c.SharedPerBlockMax) {
			return 0, algo.Unsupported("packed passes of onesweep need %d bytes of shared memory per block, %s has %d",
				need, c.Name, max(c.SharedPerBlock, c.SharedPerBlockMax))
		}
		bytes += g.tiles(s, c) * rowBytes
	}
	return bytes, nil
}

// Append adds the passes to b. Their least traffic is 0: they are not expected to
// run.
func (g PackedPasses) Append(b *plan.Builder, c driver.Caps) error {
	bytes, err := g.WordsBytes(c)
	if err != nil {
		return err
	}
	clearGated(b, c, g.Label, g.Words, bytes, g.Gate)
	words := g.Words
	for _, s := range g.passes() {
		g.append(b, c, s, words)
		words = words.Add(g.tiles(s, c) * rowBytes)
	}
	return nil
}

func (g PackedPasses) append(b *plan.Builder, c driver.Caps, s packedPass, words plan.Ref) {
	threads, _, blocks, shared := s.geometry(c)
	tiles := g.tiles(s, c)
	args := []plan.Arg{plan.At(s.keysIO), plan.At(s.keysA), plan.At(s.keysB), plan.At(s.valuesIO), plan.At(s.valuesA)}
	control, n, row := plan.At(g.Control.Add(s.control*ControlBytes)), plan.U64(g.Items), plan.U32(uint32(s.row))
	codec, count := plan.U32(uint32(g.Codec)), plan.U32(uint32(tiles))
	if s.packed {
		args = append(args, plan.At(g.Top), control, plan.At(words), n, row, count, codec)
	} else {
		zero := plan.U32(0) // portion, first tile; tickets; stall
		args = append(args, control, plan.At(words), n, row, zero, zero, count, zero, codec, zero)
	}
	grid := min(tiles, uint64(max(c.ComputeUnits, 1))*uint64(blocks))
	b.Launch(g.Label+": "+s.label, kernel.Entry("onesweep", s.stage, s.bits, s.valueBytes), uint32(grid), threads, 0, args...).SharedBytes = shared
}
