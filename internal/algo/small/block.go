package small

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const blockName = "block-radix"

// geometry is a kernel of one block.
type geometry struct {
	stage          string
	threads, items uint32
}

// most is how many keys it holds.
func (g geometry) most() uint64 { return uint64(g.threads * g.items) }

// Kernels that machine code has besides those of the policy: more and counted in kernels/cuda/stage/small.cu.
var (
	more    = geometry{"more", 1024, 5}
	counted = geometry{"counted", 1024, 8}
)

// blockGeometries are the kernels for p's kind of items, the smallest first. Keys of 32 bits, alone or with values of
// as many, and of 64 bits alone go a little beyond the policy's two, and narrow keys alone are counted (measured: docs/rfcs/0005).
func blockGeometries(pol tune.SmallCuda, p plan.Problem, c driver.Caps) []geometry {
	few, many := geometry{"few", pol.FewThreads, pol.FewItems}, geometry{"many", pol.ManyThreads, pol.ManyItems}
	switch bits := p.Type.Bits(); {
	case tune.SM90(c) && bits < 32 && p.ValueBytes == 0:
		return []geometry{few, counted}
	case tune.SM90(c) && (bits == 32 && p.ValueBytes <= 4 || bits == 64 && p.ValueBytes == 0):
		return []geometry{few, many, more}
	}
	return []geometry{few, many}
}

// fewFloats is the most 64-bit floats that the smallest block sorts: beyond, the models of the larger one take less time
// than merging, and uniform keys as long (measured: docs/rfcs/0005).
const fewFloats = 512

// blockGeometry is the kernel that sorts p's items: the smallest block that holds
// them, since fewer threads wait less for each other. If none does it is the largest.
func blockGeometry(pol tune.SmallCuda, p plan.Problem, c driver.Caps) geometry {
	all := blockGeometries(pol, p, c)
	if tune.SM90(c) && p.Type == key.F64 && p.Items > fewFloats {
		all = all[1:]
	}
	for _, g := range all {
		if p.Items <= g.most() {
			return g
		}
	}
	return all[len(all)-1]
}

// tileShared is TileShared<G>::kBytes in kernels/cuda/block/tile.cuh: scalars and
// tables, counters of bins or of warps' digits, totals of digits of so many
// blocks, keys, values and 16-bit positions; of a cluster also its split, a sample and a model,
// or all keys, values and positions of one a thread. A small tile has two rows of keys and positions instead, to merge.
// Machine code has, for pairs with keys of up to 32 bits, words of a key and its position besides.
func tileShared(p plan.Problem, c driver.Caps, threads, items, blocks uint32) uint32 {
	tile, key, value := threads*items, uint32(p.Type.Bytes()), uint32(p.ValueBytes)
	position := uint32(0)
	if value != 0 {
		position = 2
	}
	scalars := uint32(8*16 + 8*32 + 128 + 4*256)
	if blocks > 1 {
		scalars += 4*256 + 16*16
	}
	n := scalars + max(4*(threads*((items+3)/4*4)+4), 16*threads) + 2*256*blocks + tile*(key+value+position)
	if blocks > 1 && key == 8 {
		n += 8*threads + modelShared(p)
	}
	if tune.SM90(c) && value != 0 {
		switch key {
		case 4:
			n += 8 * tile
		case 1, 2:
			n += 4 * tile
		}
	}
	if blocks == 1 && key >= 4 && tile <= 1024 {
		n = max(n, scalars+tile*(2*key+value+2*position))
	}
	if blocks > 1 && key >= 4 {
		n = max(n, scalars+threads*((blocks+1)*key+value+2*position)+blocks*key)
	}
	return n
}

// modelShared is FoldedModel<K>::kAllBytes in kernels/cuda/block/folded.cuh, where a
// large sort may model keys of 64 bits: counts of bits and of the sample, rows and sums of
// digits, the sample's digits, and what floats are.
func modelShared(p plan.Problem) uint32 {
	if p.Type.Bytes() != 8 {
		return 0
	}
	return 4*(64+2+8+256*8) + 4*8*8 + 4*256 + 4*4
}

// blockShared is a block's shared memory, of counted that of CountedShared in kernels/cuda/block/counted.cuh.
func blockShared(p plan.Problem, c driver.Caps, g geometry) uint32 {
	switch {
	case g == counted && p.Type.Bits() == 8:
		return 128 + 4<<8 + g.threads*g.items
	case g == counted:
		return 128 + 2<<16 + 2*g.threads*g.items
	}
	return tileShared(p, c, g.threads, g.items, 1)
}

func supportsBlock(p plan.Problem, c driver.Caps) error {
	pol, ok := policy(p, c)
	if !ok {
		return algo.Unsupported("%s has no kernels for %d-bit keys with values of %d bytes on %s", blockName, p.Type.Bits(), p.ValueBytes, c.Name)
	}
	g := blockGeometry(pol, p, c)
	if p.Items > g.most() {
		return algo.Unsupported("%s sorts up to %d keys of %d bits with values of %d bytes, not %d; onesweep sorts any number",
			blockName, g.most(), p.Type.Bits(), p.ValueBytes, p.Items)
	}
	return check(blockName, c, g.threads, blockShared(p, c, g))
}

// planBlock returns one launch of one block, without scratch memory.
func planBlock(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	if err := supportsBlock(p, c); err != nil {
		return plan.Plan{}, err
	}
	if err := fixed(blockName, l); err != nil {
		return plan.Plan{}, err
	}
	pol, _ := policy(p, c)
	g := blockGeometry(pol, p, c)
	return launch(blockName, "sort in one block", g.stage, p, 1, g.threads, blockShared(p, c, g)), nil
}
