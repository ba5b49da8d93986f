package small

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
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

// more is a kernel that machine code has besides those of the policy.
var more = geometry{"more", layout.SmallMoreThreads, layout.SmallMoreItems}

// blockGeometries are the kernels for p's kind of items, the smallest first. Keys of 32 and 64 bits, alone or with
// values of 32, go a little beyond the policy's two (measured).
func blockGeometries(pol tune.SmallCuda, p plan.Problem, c driver.Caps) []geometry {
	few, many := geometry{"few", pol.FewThreads, pol.FewItems}, geometry{"many", pol.ManyThreads, pol.ManyItems}
	if tune.SM90(c) && p.Type.Bits() >= 32 && p.ValueBytes <= 4 {
		return []geometry{few, many, more}
	}
	return []geometry{few, many}
}

// blockGeometry is the kernel that sorts p's items: the smallest block that holds
// them, since fewer threads wait less for each other. If none does it is the largest.
func blockGeometry(pol tune.SmallCuda, p plan.Problem, c driver.Caps) geometry {
	all := blockGeometries(pol, p, c)
	for _, g := range all {
		if p.Items <= g.most() {
			return g
		}
	}
	return all[len(all)-1]
}

func supportsBlock(p plan.Problem, c driver.Caps) error {
	pol, ok := policy(p, c)
	if !ok {
		return algo.Unsupported("%s has no kernels for %d-bit keys with values of %d bytes on %s", blockName, p.Type.Bits(), p.ValueBytes, c.Name)
	}
	g := blockGeometry(pol, p, c)
	if p.Items > g.most() {
		return algo.Unsupported("%s sorts up to %d keys of %d bits with values of %d bytes, not %d; auto chooses a sort that takes more, onesweep takes any number",
			blockName, g.most(), p.Type.Bits(), p.ValueBytes, p.Items)
	}
	return check(blockName, c, g.threads, shared(p, c, g.stage))
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
	return launch(g, p, shared(p, c, g.stage)), nil
}
