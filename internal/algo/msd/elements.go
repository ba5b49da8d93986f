package msd

import (
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

// elementsGrid is as many blocks as run at once; each takes tiles in turns.
func elementsGrid(c driver.Caps) uint32 {
	return layout.ElementsBlocks * uint32(max(c.ComputeUnits, 1))
}

// encode appends the launch that puts the encoded keys of the caller's keys in their place,
// unless the gate is open.
func encode(b *plan.Builder, p plan.Problem, c driver.Caps, gate plan.Arg) {
	b.Launch("encode", kernel.Entry("elements", "encode", p.Type.Bits(), 0), elementsGrid(c), layout.ElementsThreads, 2*p.KeyBytes(),
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.U64(p.Items), plan.U32(uint32(p.Codec())), gate)
}

// encodePairs appends the launch that makes pairs of p.Items of the caller's keys, from the
// first-th on, unless the gate is open: their encoded keys and their places among all keys.
func encodePairs(b *plan.Builder, p plan.Problem, c driver.Caps, label string, first uint64, encodedKeys, places plan.Ref, gate plan.Arg) {
	b.Launch(label, kernel.Entry("elements", "pairs", p.Type.Bits(), p.ValueBytes), elementsGrid(c), layout.ElementsThreads, 2*p.KeyBytes()+p.ValuesBytes(),
		plan.At(plan.Ref{Region: plan.KeysIO, Off: first * uint64(p.Type.Bytes())}), plan.At(encodedKeys), plan.At(places),
		plan.U64(first), plan.U64(p.Items), plan.U32(uint32(p.Codec())), gate)
}
