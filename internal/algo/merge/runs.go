package merge

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// Runs are sorted runs that lie one behind the other, all of Run items but the last,
// which may be shorter. Append merges them by merge-path's passes, stably, into one.
// Keys are compared as their bits: another algorithm has encoded them.
type Runs struct {
	// Problem is what is merged: its items and the widths of keys and values; keys or
	// pairs. The last pass decodes keys with its codec.
	Problem plan.Problem
	// Run is a multiple of RunTile.
	Run uint64
	// Keys and Values are two places each: the passes read the first and write the
	// second, and so to and fro.
	Keys, Values [2]plan.Ref
	// Splits is scratch of SplitsBytes.
	Splits plan.Ref
}

// RunTile is the number of items that runs of p must be a multiple of, or why they
// cannot be merged on this device.
func RunTile(p plan.Problem, c driver.Caps) (uint64, error) {
	g, err := pathGeometry(p, c, algo.Params{})
	return g.tile(g.passThreads), err
}

// SplitsBytes is the size of Splits.
func SplitsBytes(p plan.Problem, c driver.Caps) (uint64, error) {
	tile, err := RunTile(p, c)
	if err != nil {
		return 0, err
	}
	return 8 * ((p.Items + tile - 1) / tile), nil
}

// Passes is the number of passes that Append adds.
func (r Runs) Passes() int { return doublings(r.Problem.Items, r.Run) }

// Append adds two launches for each doubling of the runs.
func (r Runs) Append(b *plan.Builder, c driver.Caps) error {
	p := r.Problem
	g, err := pathGeometry(p, c, algo.Params{})
	if err != nil {
		return err
	}
	tile := g.tile(g.passThreads)
	tiles := (p.Items + tile - 1) / tile
	if r.Run%tile != 0 || tiles >= 1<<32 {
		return fmt.Errorf("merge: runs of %d of %d items, in tiles of %d", r.Run, p.Items, tile)
	}
	perBlock := uint64(g.passThreads / g.partitionLanes())
	passes := r.Passes()
	for i, run := 1, r.Run; i <= passes; i, run = i+1, 2*run {
		in, out := (i+1)%2, i%2
		shape := []plan.Arg{plan.At(r.Splits), plan.U64(p.Items), plan.U64(run), plan.U32(uint32(min(2*run/tile, 1<<32-1))), plan.U32(uint32(tiles))}
		args := append([]plan.Arg{plan.At(r.Keys[in])}, shape...)
		b.Launch(fmt.Sprintf("cut runs into tiles, pass %d", i), g.search("partition", p.Type.Bits(), p.ValueBytes), g.grid((tiles+perBlock-1)/perBlock),
			g.passThreads, 8*tiles, append(args, plan.U32(uint32(tile)))...)
		args = []plan.Arg{plan.At(r.Keys[in]), plan.At(r.Keys[out])}
		moved := 2*p.KeyBytes() + 2*p.ValuesBytes() + 8*tiles
		codec := uint32(0)
		if i == passes {
			codec = uint32(p.Codec())
		}
		if p.ValueBytes != 0 {
			args = append(args, plan.At(r.Values[in]), plan.At(r.Values[out]))
		}
		args = append(append(args, shape...), plan.U32(codec), plan.U32(0), plan.U32(0))
		b.Launch(fmt.Sprintf("merge runs, pass %d", i), g.entry("pass", p.Type.Bits(), p.ValueBytes), g.grid(tiles), g.passThreads, moved, args...).
			SharedBytes = uint32(pathShared(p, g.passThreads, g.items))
	}
	return nil
}
