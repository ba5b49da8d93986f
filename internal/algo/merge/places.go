package merge

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// PlacesName is the Algorithm of a plan of PlanPlaces.
const PlacesName = "places"

// PlanPlaces plans values of so many bytes that count the items from the first-th on:
// first, first + 1, …, what an argsort of several runs moves with the keys. It takes the
// kernel that makes such pairs of 64-bit keys: plan.KeysIO is n words of any contents, which
// it copies to TwoKeysOut.
func PlanPlaces(n uint64, valueBytes int, first uint64, c driver.Caps) (plan.Plan, error) {
	if most := c.MaxThreadsPerBlock; most != 0 && most < layout.ElementsThreads {
		return plan.Plan{}, algo.Unsupported("places: %d threads per block, %s has %d", layout.ElementsThreads, c.ID, most)
	}
	p := plan.Problem{Type: key.U64, Mode: plan.Pairs, Items: n, ValueBytes: valueBytes}
	b := plan.NewBuilder(PlacesName, p)
	b.Launch("places", kernel.Entry("elements", "pairs", 64, valueBytes), layout.ElementsBlocks*uint32(max(c.ComputeUnits, 1)), layout.ElementsThreads,
		2*p.KeyBytes()+p.ValuesBytes(), plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(plan.Ref{Region: TwoKeysOut}), plan.At(plan.Ref{Region: plan.ValuesIO}),
		plan.U64(first), plan.U64(n), plan.U32(0), noGate)
	return b.Plan(), nil
}
