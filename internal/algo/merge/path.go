package merge

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

// partitionLanes is the number of threads that look for one end of a tile in a
// launch of their own; one on OpenCL.
func (g geometry) partitionLanes() uint32 {
	if g.backend == "cuda" {
		return layout.MergePartitionLanes
	}
	return 1
}

// noGate has a launch run in any case.
var noGate = plan.U64(0)

// behind is the arguments of a partition or a pass behind a gate: see Runs.Append. The
// kernels of OpenCL have none.
func (g geometry) behind(gate plan.Arg, args []plan.Arg) []plan.Arg {
	if g.backend != "cuda" {
		return args
	}
	return append(args, gate)
}

// planPath returns the steps of merge-path. Scratch is n keys and n values, for
// argsort another n keys, and 8 bytes per tile.
func planPath(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	g, err := pathGeometry(p, c, l)
	b := plan.NewBuilder(pathName, p)
	if err != nil || nothing(p) {
		return b.Plan(), err
	}
	run := g.tile(g.blockThreads)
	s := newSorter(b, p, g, doublings(p.Items, run))
	s.block("sort blocks", "block", g.grid((p.Items+run-1)/run), g.blockThreads, pathShared(p, g.blockThreads, g.items))
	m, err := s.merges(c)
	if err != nil {
		return plan.Plan{}, err
	}
	m.append(run, noGate)
	return b.Plan(), nil
}

// merges are the passes of merge-path, with the table that they share.
type merges struct {
	*sorter
	tiles  uint64
	search bool // each tile finds its own ends; splits is not read
	splits plan.Ref
}

// merges reserves the table.
func (s *sorter) merges(c driver.Caps) (merges, error) {
	tile := s.g.tile(s.g.passThreads)
	m := merges{sorter: s, tiles: (s.p.Items + tile - 1) / tile}
	if m.tiles >= 1<<32 {
		return m, algo.Unsupported("%s: %d tiles of %d items: give more threads than %d", pathName, m.tiles, tile, s.g.passThreads)
	}
	// The ends of the tiles are found by a launch of their own if there are many.
	m.search = m.tiles < uint64(s.g.partitionTiles)*uint64(max(c.ComputeUnits, 1))
	switch {
	case s.passes == 0:
	case m.search:
		m.splits = s.keys[1]
	default:
		m.splits = s.b.Scratch("splits", m.tiles*8)
	}
	return m, nil
}

// append appends the passes over runs of so many items, behind a gate: see Runs.Append.
func (m merges) append(run uint64, gate plan.Arg) {
	p, g, tile := m.p, m.g, m.g.tile(m.g.passThreads)
	key, value := p.Type.Bits(), p.ValueBytes
	for i := 1; i <= m.passes; i, run = i+1, run*2 {
		perPair := 2 * run / tile
		shape := []plan.Arg{plan.At(m.splits), plan.U64(p.Items), plan.U64(run), plan.U32(uint32(min(perPair, 1<<32-1))), plan.U32(uint32(m.tiles))}
		if !m.search {
			perBlock := uint64(g.passThreads / g.partitionLanes())
			args := append([]plan.Arg{plan.At(m.keys[m.out(i-1)])}, shape...)
			m.b.Launch(fmt.Sprintf("partition %d", i), g.search("partition", key, value), g.grid((m.tiles+perBlock-1)/perBlock), g.passThreads,
				m.tiles*8, g.behind(gate, append(args, plan.U32(uint32(tile))))...)
		}
		args := append(m.buffers(i), shape...)
		flag := uint32(0)
		if m.search {
			flag = 1
		}
		args = g.behind(gate, append(args, m.codecOut(i), m.flags(i), plan.U32(flag)))
		m.b.Launch(fmt.Sprintf("merge %d", i), g.entry("pass", key, value), g.grid(m.tiles), g.passThreads, m.moved(i)+m.tiles*8, args...).
			SharedBytes = uint32(pathShared(p, g.passThreads, g.items))
	}
}
