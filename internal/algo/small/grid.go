package small

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

const gridName = "grid-radix"

// Grid returns the catalogue entry of the sort in one cooperative launch.
func Grid() algo.Algorithm {
	return algo.Algorithm{
		Name:     gridName,
		Doc:      "one cooperative launch, a share of the keys in each multiprocessor: a split through the L2, then each block alone by bins; unevenly spread keys pass by the 8-bit digits that vary, or, where they are of 64 bits and at most 1,024 a block, are split by a sample and merged",
		Source:   "docs/rfcs/0005-small.md",
		Backends: []string{"cuda"},
		Supports: supportsGrid,
		Plan:     planGrid,
	}
}

func supportsGrid(p plan.Problem, c driver.Caps) error {
	pol, ok := policy(p, c)
	if !ok || pol.GridThreads == 0 || !c.Cooperative {
		return algo.Unsupported("%s needs cooperative launches and machine code for compute capability 9.0, %s has %d.%d", gridName, c.Name, c.Arch/10, c.Arch%10)
	}
	if most := uint64(max(c.ComputeUnits, 1)) * uint64(pol.GridThreads*pol.GridItems); p.Items > most {
		return algo.Unsupported("%s sorts up to %d keys of %d bits with values of %d bytes on %s, not %d; auto chooses a sort that takes more, onesweep takes any number",
			gridName, most, p.Type.Bits(), p.ValueBytes, c.Name, p.Items)
	}
	return check(gridName, c, pol.GridThreads, shared(p, c, "grid"))
}

// planGrid returns one cooperative launch. Scratch is a row of counts per block, for keys alone their sums by digit, the
// blocks' bounds, a sample, a word that says which path was taken, and, under argsort, which leaves the keys alone, a
// second buffer of keys.
func planGrid(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	if err := supportsGrid(p, c); err != nil {
		return plan.Plan{}, err
	}
	if err := fixed(gridName, l); err != nil {
		return plan.Plan{}, err
	}
	b := plan.NewBuilder(gridName, p)
	if p.Items == 0 || p.Items == 1 && p.Mode != plan.Argsort {
		return b.Plan(), nil
	}
	pol, _ := policy(p, c)
	// Twice the blocks that one key a thread would fill, up to all multiprocessors: a block that has no keys of its own
	// sorts digits after the split.
	blocks := min(uint64(max(c.ComputeUnits, 1)), (p.Items+uint64(pol.GridThreads)-1)/uint64(pol.GridThreads)*2)
	keys, alt, values := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
	if p.ValueBytes == 0 {
		values = keys
	}
	sums := uint64(0)
	if p.ValueBytes == 0 {
		sums = layout.GridSplits
	}
	totals := b.Scratch("totals", 2*256*blocks+4*256*sums)
	left := uint64(0) // keys that a block leaves for a sample
	if p.Type.Bits() >= 32 {
		left = layout.GridLeftOfBlock
	}
	bounds := b.Scratch("bounds", 8*blocks*(3+left)+8)
	// Evenly spread keys move twice: by the split, and when blocks have sorted their digits. Unevenly spread ones move
	// once for every digit that varies, or, where they are merged, twice, too. Keys of 8 bits have one digit.
	passes := uint64(min(p.Type.Bytes(), 2))
	if p.Mode == plan.Argsort && passes > 1 {
		alt = b.Scratch("keys", p.KeyBytes())
	}
	moved := passes * 2 * (p.KeyBytes() + p.ValuesBytes())
	if p.Mode == plan.Argsort {
		moved -= p.KeyBytes() + p.ValuesBytes()
	}
	s := b.Launch("sort in one grid", kernel.Entry(module, "grid", p.Type.Bits(), p.ValueBytes), uint32(blocks), pol.GridThreads, moved,
		plan.At(keys), plan.At(alt), plan.At(values), plan.At(totals), plan.At(bounds),
		plan.U32(uint32(p.Items)), plan.U32(uint32(p.Codec())), plan.U32(uint32(p.Mode)))
	s.SharedBytes, s.Cooperative = shared(p, c, "grid"), true
	b.Passes(int(passes))
	return b.Plan(), nil
}
