package small

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const blockName = "block-radix"

// blockGeometry is the kernel that sorts n keys: the smallest block that holds
// them, since fewer threads wait less for each other.
func blockGeometry(pol tune.SmallCuda, n uint64) (stage string, threads, items uint32) {
	if n <= uint64(pol.FewThreads*pol.FewItems) {
		return "few", pol.FewThreads, pol.FewItems
	}
	return "many", pol.ManyThreads, pol.ManyItems
}

// tileShared is TileShared<G>::kBytes in kernels/cuda/block/tile.cuh: scalars and
// tables, counters of bins or of warps' digits, totals of digits of so many
// blocks, keys, values and 16-bit positions; of a cluster also its split, a sample and a model,
// or all keys, values and positions of one a thread. A small tile has two rows of keys and positions instead, to merge.
func tileShared(p plan.Problem, threads, items, blocks uint32) uint32 {
	tile, key, value := threads*items, uint32(p.Type.Bytes()), uint32(p.ValueBytes)
	position := uint32(0)
	if value != 0 {
		position = 2
	}
	scalars := uint32(8*16 + 8*32 + 128 + 4*256)
	if blocks > 1 {
		scalars += 4*256 + 16*16
	}
	n := scalars + max(4*(tile+4), 16*threads) + 2*256*blocks + tile*(key+value+position)
	if blocks > 1 && key == 8 {
		n += 8*threads + modelShared(p)
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
	return 4*(64+2+256*8) + 4*8*8 + 4*256 + 4*4
}

func blockShared(p plan.Problem, threads, items uint32) uint32 {
	return tileShared(p, threads, items, 1)
}

func supportsBlock(p plan.Problem, c driver.Caps) error {
	pol, ok := policy(p, c)
	if !ok {
		return algo.Unsupported("%s has no kernels for %d-bit keys with values of %d bytes on %s", blockName, p.Type.Bits(), p.ValueBytes, c.Name)
	}
	if most := uint64(pol.ManyThreads * pol.ManyItems); p.Items > most {
		return algo.Unsupported("%s sorts up to %d keys of %d bits with values of %d bytes, not %d; onesweep sorts any number",
			blockName, most, p.Type.Bits(), p.ValueBytes, p.Items)
	}
	_, threads, items := blockGeometry(pol, p.Items)
	return check(blockName, c, threads, blockShared(p, threads, items))
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
	stage, threads, items := blockGeometry(pol, p.Items)
	return launch(blockName, "sort in one block", stage, p, 1, threads, blockShared(p, threads, items)), nil
}
