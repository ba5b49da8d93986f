package merge

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TwoName is the Algorithm of a plan of PlanTwo.
const TwoName = "merge of two runs"

// The regions that a plan of PlanTwo writes: keys, and values of pairs.
const (
	TwoKeysOut   plan.Region = 2
	TwoValuesOut plan.Region = 3
)

// PlanTwo plans the stable merge of two sorted runs into other memory by one pass of
// merge-path. The first run has `first` items of keys and values, the second begins gap
// items behind its end; p.Items counts the items of both. The gap holds the largest key,
// which the second run then has not. Keys are compared as their bits: unsigned ascending
// keys alone. They are written as they are, or the complements of their bits: so falling keys
// are turned by a merge with an empty second run, and turned back by their last merge.
// Scratch is 8 bytes a tile.
//
// A pass needs a first run at least as long as the second, gap included. The items of the
// gap come last, so that none of them is among the p.Items first. With a gap the pass
// fills its last tile, writing up to TwoRoom items behind its output.
func PlanTwo(p plan.Problem, first, gap uint64, complement bool, c driver.Caps) (plan.Plan, error) {
	second := p.Items - first
	switch {
	case p.Mode == plan.Argsort || p.Codec() != 0:
		return plan.Plan{}, algo.Unsupported("two runs: unsigned ascending keys and pairs alone are merged, not %v of %v", p.Mode, p.Type)
	case first > p.Items || second > first+gap:
		return plan.Plan{}, algo.Unsupported("two runs: a first one of %d + %d of %d items is shorter than the second", first, gap, p.Items)
	}
	g, err := pathGeometry(p, c, algo.Params{})
	if err != nil {
		return plan.Plan{}, err
	}
	bits, value := p.Type.Bits(), p.ValueBytes
	run, tile := first+gap, g.tile(g.passThreads)
	n, tiles := run+second, (p.Items+tile-1)/tile
	if tiles >= 1<<32-1 {
		return plan.Plan{}, algo.Unsupported("two runs of %d items in tiles of %d", p.Items, tile)
	}
	// Where a tile ends before both runs do, the next one's split says where.
	ends := tiles
	if tiles*tile < n {
		ends++
	}
	b := plan.NewBuilder(TwoName, p)
	splits := b.Scratch("splits", 8*ends)
	in, out := plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: TwoKeysOut}
	onePair := plan.U32(uint32(tiles + 1))
	perBlock := uint64(g.passThreads / g.partitionLanes())
	b.Launch("partition", g.search("partition", bits, value), g.grid((ends+perBlock-1)/perBlock), g.passThreads, 8*ends,
		g.behind(noGate, []plan.Arg{plan.At(in), plan.At(splits), plan.U64(n), plan.U64(run), onePair, plan.U32(uint32(ends)), plan.U32(uint32(tile))})...)
	args := []plan.Arg{plan.At(in), plan.At(out)}
	if value != 0 {
		args = append(args, plan.At(plan.Ref{Region: plan.ValuesIO}), plan.At(plan.Ref{Region: TwoValuesOut}))
	}
	codecOut := key.CodecUnsigned
	if complement {
		codecOut = key.CodecDesc
	}
	args = append(args, plan.At(splits), plan.U64(n), plan.U64(run), onePair, plan.U32(uint32(tiles)), plan.U32(uint32(codecOut)), plan.U32(0), plan.U32(0))
	b.Launch("merge", g.entry("pass", bits, value), g.grid(tiles), g.passThreads, 2*(p.KeyBytes()+p.ValuesBytes()), g.behind(noGate, args)...).
		SharedBytes = uint32(pathShared(p, g.passThreads, g.items))
	b.Passes(1)
	return b.Plan(), nil
}

// TwoRoom is the number of items behind its output that a merge of p by PlanTwo may
// write, or why there is none.
func TwoRoom(p plan.Problem, c driver.Caps) (uint64, error) {
	g, err := pathGeometry(p, c, algo.Params{})
	return g.tile(g.passThreads), err
}
