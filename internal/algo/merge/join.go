package merge

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// Join merges two sorted runs that lie one behind the other, in parts: the k-th
// step of Merges leaves the k-th part of the output as it stays, so that a copy
// to the host can begin while the next part is merged. The second run is at most
// as long as the first.
//
// The kernels are merge-path's. Its pass has no argument for a first tile, and
// needs none. Let part k begin at output D, and let the runs be A, of m items, and
// B behind it. A pass over n' = 2m' items with runs of m' = m + D, whose output and
// split table are moved on to the part's, takes for tile t the split a, which is
// the number of A's items before it, reads A from a, as it should, and reads B at
// m' + t·tile − a = m + (D + t·tile − a), which is where B's next item is. It takes
// the end of each tile from the table, too, because no tile ends at n'; so the
// table has one entry more than there are tiles, and every tile is full: the
// second run is filled up with the largest key, whose copies stay at the end.
type Join struct {
	plan.Plan
	// Room is the number of bytes that the memory of the keys must have: behind
	// them the second run is filled up to whole tiles.
	Room uint64
	// Out is where the merged keys lie, in scratch.
	Out plan.Ref
	// Before is the number of steps before the merges. Step Before+k makes part k
	// of the output, PartBytes long but for the last.
	Before    int
	PartBytes uint64
}

// JoinName is the Algorithm of a Join's plan.
const JoinName = "join"

// PlanJoin plans the merge of the sorted runs [0, head) and [head, p.Items) of
// keys in parts of at least partBytes. The keys' bits must be in their own order,
// because the merge encodes nothing: unsigned ascending keys of 32 and 64 bits.
// Scratch is the output and 8 bytes per tile.
func PlanJoin(p plan.Problem, head, partBytes uint64, c driver.Caps) (Join, error) {
	switch {
	case p.Mode != plan.Keys || p.Codec() != 0 || p.Type.Bits() < 32:
		return Join{}, algo.Unsupported("join merges unsigned ascending keys of 32 and 64 bits alone, not %v of %v", p.Mode, p.Type)
	case head >= p.Items || p.Items-head > head:
		return Join{}, algo.Unsupported("join: a first run of %d of %d items: it must be the longer one, and not all", head, p.Items)
	}
	g, err := pathGeometry(p, c, algo.Params{})
	if err != nil {
		return Join{}, err
	}
	width, tile := uint64(p.Type.Bytes()), g.tile(g.passThreads)
	tiles := (p.Items + tile - 1) / tile
	if tiles >= 1<<32-1 || tiles*tile-head > head {
		return Join{}, algo.Unsupported("join of %d and %d items in tiles of %d", head, p.Items-head, tile)
	}
	perPart := max(1, (partBytes+tile*width-1)/(tile*width))

	b := plan.NewBuilder(JoinName, p)
	j := Join{Room: tiles * tile * width, PartBytes: perPart * tile * width}
	j.Out = b.Scratch("merged keys", j.Room)
	splits := b.Scratch("splits", 8*(tiles+1))
	keys := plan.Ref{Region: plan.KeysIO}
	if fill := j.Room - p.KeyBytes(); fill != 0 {
		b.Memset("fill the last tile", keys.Add(p.KeyBytes()), ^uint32(0), fill)
		j.Before++
	}
	// One pair has all tiles, and the end of the last one.
	pair := plan.U32(uint32(tiles + 1))
	perBlock := uint64(g.passThreads / g.partitionLanes())
	b.Launch("partition", g.search("partition", p.Type.Bits(), 0), g.grid((tiles+perBlock)/perBlock), g.passThreads, 8*tiles,
		g.behind(noGate, []plan.Arg{plan.At(keys), plan.At(splits), plan.U64(tiles * tile), plan.U64(head), pair, pair, plan.U32(uint32(tile))})...)
	j.Before++
	for from := uint64(0); from < tiles; from += perPart {
		n, run := min(perPart, tiles-from), head+from*tile
		b.Launch(fmt.Sprintf("merge part %d", from/perPart+1), g.entry("pass", p.Type.Bits(), 0), g.grid(n), g.passThreads, 2*n*tile*width,
			g.behind(noGate, []plan.Arg{
				plan.At(keys), plan.At(j.Out.Add(from * tile * width)), plan.At(splits.Add(8 * from)),
				plan.U64(2 * run), plan.U64(run), pair, plan.U32(uint32(n)), plan.U32(0), plan.U32(0), plan.U32(0),
			})...).
			SharedBytes = uint32(pathShared(p, g.passThreads, g.items))
	}
	b.Passes(1)
	j.Plan = b.Plan()
	return j, nil
}

// Merges are the steps that each leave a part of the output.
func (j Join) Merges() []plan.Step { return j.Steps[j.Before:] }
