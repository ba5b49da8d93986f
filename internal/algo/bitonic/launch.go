package bitonic

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

// threads is the block of a kernel that works on single elements, pairs or
// columns.
func (s *sorter) threads() uint32 {
	if s.l.Threads != 0 {
		return s.l.Threads
	}
	return algo.GroupThreads(s.c, stepThreads)
}

// serial reports that tiles belong to single work-items of a processor.
func (s *sorter) serial() bool { return s.c.Backend != "cuda" && s.c.CPU && s.t.threads == 1 }

// blocks is the grid for so many units of work.
func (s *sorter) blocks(units uint64, threads uint32) uint32 {
	switch {
	case s.l.Blocks != 0:
		return s.l.Blocks
	case s.v == Grid:
		return gridBlocks * uint32(max(s.c.ComputeUnits, 1))
	}
	return uint32(min((units+uint64(threads)-1)/uint64(threads), maxBlocks))
}

// elementBytes is the size of all elements.
func (s *sorter) elementBytes() uint64 { return s.p.Items * uint64(s.bits/8) }

// launch appends a launch that reads and writes every element.
func (s *sorter) launch(label, stage string, grid, block uint32, args ...plan.Arg) *plan.Step {
	s.passes++
	return s.b.Launch(label, s.entry(stage, s.bits, 0), grid, block, 2*s.elementBytes(), args...)
}

// tileArgs are the arguments of a kernel that works on tiles. An OpenCL program
// is built for one size of tile.
func (s *sorter) tileArgs(args ...plan.Arg) []plan.Arg {
	first := []plan.Arg{plan.At(s.data), plan.U64(s.p.Items)}
	if s.c.Backend == "cuda" {
		first = append(first, plan.U32(uint32(s.t.log)))
	}
	return append(first, args...)
}

func (s *sorter) launchTiles(label, stage string, args ...plan.Arg) *plan.Step {
	grid := s.l.Blocks
	if grid == 0 {
		grid = uint32(min((s.p.Items-1)>>s.t.log+1, maxBlocks))
	}
	st := s.launch(label, stage, grid, s.t.threads, args...)
	if s.c.Backend == "cuda" {
		st.SharedBytes = s.t.shared // OpenCL kernels declare it
	}
	return st
}

// entry names a kernel. OpenCL programs are built for one width of element and
// one tile.
func (s *sorter) entry(stage string, keyBits, valueBytes int) kernel.ID {
	id := kernel.Entry("bitonic", stage, keyBits, valueBytes)
	if s.c.Backend == "cuda" {
		return id
	}
	macros := []string{kernel.Macro("GS_WIDTH", s.bits), kernel.Macro("GS_TILE_LOG", s.t.log)}
	if s.serial() {
		macros = append(macros, "GS_SERIAL")
	}
	return id.Variant(macros...)
}
