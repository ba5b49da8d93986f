package segments

import (
	"slices"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const (
	pieceBytes, runBytes = 8, 16
	rowBytes             = 4 * 256 // a count for each digit
	// checkBlocks and shortBlocks are blocks per multiprocessor: what one holds at once.
	checkBlocks, shortBlocks = 8, 4
)

// steps appends the launches, which share scratch memory.
type steps struct {
	b     *plan.Builder
	p     plan.Problem
	c     driver.Caps
	units uint64
	// threads of a large block, and most keys that it sorts.
	threads uint32
	most    uint64
	tile    uint64 // of a run
	// smallRoom and largeRoom are how many pieces the lists hold, runRoom how many runs a
	// round has; 0: there are none of that length.
	smallRoom, largeRoom, runRoom uint64
	lists, memory                 []plan.Arg
	counts, totals                plan.Ref
}

// geometry is a large block's: threads, and items of each.
func geometry(p plan.Problem, c driver.Caps) (threads, items uint32) {
	argsort, wide := p.Mode == plan.Argsort, p.Type.Bits() == 64
	switch sm90 := tune.SM90(c); {
	case sm90 && argsort && wide:
		return layout.SegmentsThreads90, layout.SegmentsWideItems90
	case sm90 && argsort:
		return layout.SegmentsThreads90, layout.SegmentsArgsortItems90
	case sm90:
		return layout.SegmentsThreads90, layout.SegmentsItems90
	case argsort && wide:
		return layout.SegmentsThreadsPTX, layout.SegmentsWideItemsPTX
	}
	return layout.SegmentsThreadsPTX, layout.SegmentsItemsPTX
}

// newSteps reserves the scratch memory.
func newSteps(b *plan.Builder, p plan.Problem, c driver.Caps) *steps {
	threads, items := geometry(p, c)
	s := &steps{b: b, p: p, c: c, units: uint64(max(c.ComputeUnits, 1)), threads: threads, most: uint64(threads * items)}
	if s.tile = layout.SegmentsSplitTilePTX; tune.SM90(c) {
		s.tile = layout.SegmentsSplitTile90
	}
	n := p.Items
	if p.Other > 0 {
		s.runRoom = n / (s.most + 1)
	}
	parts := uint64(0)
	if s.runRoom > 0 {
		// A run of L keys leaves fewer than 6·L/most pieces: two neighbours hold more than most
		// keys together, or lie beside a part that is a run itself.
		parts = (6*n/s.most + 1) * uint64(p.Type.Bytes())
	}
	s.smallRoom = min(p.Other, n/(layout.SegmentsWarp+1)) + parts
	s.largeRoom = min(p.Other, n/(layout.SegmentsSmall+1)) + parts

	state := b.Scratch("state", layout.SegmentsStateBytes)
	b.Refuses(state, refusals...)
	b.Memset("clear state", state, 0, layout.SegmentsStateBytes)
	part := func(name string, bytes uint64) plan.Ref {
		if bytes == 0 {
			return state
		}
		return b.Scratch(name, bytes)
	}
	s.lists = []plan.Arg{
		plan.At(state), plan.At(part("small pieces", s.smallRoom*pieceBytes)), plan.At(part("large pieces", s.largeRoom*pieceBytes)),
		plan.At(part("runs", 2*s.runRoom*runBytes)), plan.U32(uint32(s.smallRoom)), plan.U32(uint32(s.largeRoom)), plan.U32(uint32(s.runRoom)),
	}
	s.memory = memoryArgs(b, p, s.runRoom > 0, state)
	if s.runRoom > 0 {
		s.counts = b.Scratch("counts", (n/s.tile+s.runRoom)*rowBytes)
		s.totals = b.Scratch("totals", s.runRoom*rowBytes)
	}
	return s
}

// check looks at all offsets.
func (s *steps) check() {
	const threads = layout.SegmentsCheckThreads
	grid := min(max((s.p.Other+threads-1)/threads, 1), checkBlocks*s.units)
	args := slices.Concat(s.lists, offsetArgs(s.p), []plan.Arg{plan.U32(uint32(s.most)), plan.U32(uint32(s.tile))})
	s.b.Launch("check offsets", kernel.Plain(module, "check"), uint32(grid), threads, offsetBytes(s.p), args...)
}

// split has blocks that wait for one another. Devices without cooperative launches get one.
func (s *steps) split() {
	grid := uint64(1)
	if s.c.Cooperative {
		grid = s.units
		if tune.SM90(s.c) {
			grid *= layout.SegmentsSplitBlocks
		}
		grid = min(grid, (s.p.Items-1)/s.tile+1)
	}
	step := s.b.Launch("split long segments", entry("split", s.p), uint32(grid), layout.SegmentsSplitThreads, 0,
		slices.Concat(s.lists, s.memory, []plan.Arg{plan.At(s.counts), plan.At(s.totals)})...)
	step.SharedBytes, step.Cooperative = s.shared("split"), s.c.Cooperative
}

// pieces has one block sort each piece of a list, and so many blocks of a multiprocessor.
func (s *steps) pieces(stage string, room uint64, threads uint32, blocks uint64) {
	step := s.b.Launch("sort in "+stage+" blocks", entry(stage, s.p), uint32(min(room, blocks*s.units)), threads, 0,
		slices.Concat(s.lists, s.memory)...)
	step.SharedBytes = s.shared(stage)
}

// short sorts what warps sort, and writes the positions of keys outside all segments. The
// bytes are those of an input of nothing else.
func (s *steps) short() {
	const threads = layout.SegmentsShortThreads
	work, moved := shortWork(s.p)
	grid := min((work+threads-1)/threads, shortBlocks*s.units)
	step := s.b.Launch("sort in warps", entry("short", s.p), uint32(grid), threads, moved, slices.Concat(s.lists[:1], s.memory, offsetArgs(s.p))...)
	step.SharedBytes = s.shared("short")
}

func (s *steps) shared(stage string) uint32 {
	return layout.Shared(tune.CUDATarget(s.c), module, stage, s.p.Type.Bits(), valueBytes(s.p))
}
