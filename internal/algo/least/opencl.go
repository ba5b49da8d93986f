package least

import (
	"fmt"
	"math/bits"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

// OpenCL's launch: work-items of a group, and groups of a compute unit, both one on a processor.
const (
	groupThreads = 256
	unitGroups   = 8
)

// Forms of what OpenCL's kernels write.
const (
	formNone = iota
	formKeys
	formWords
	formPlaces32
	formPlaces64
)

// form is what the problem's search writes.
func (s *search) form() uint32 {
	switch {
	case s.out == (plan.Ref{}):
		return formNone
	case s.p.Mode == plan.Keys:
		return formKeys
	case s.words:
		return formWords
	case s.p.ValueBytes == 4:
		return formPlaces32
	}
	return formPlaces64
}

// runOpenCL appends two launches for each digit. The first ones are completed by gather.
func (s *search) runOpenCL() {
	wide, placeBits, placeBytes := uint64(s.p.Type.Bytes()), 0, uint64(0)
	if s.p.Mode == plan.Argsort {
		placeBits, placeBytes = bits.Len64(s.p.Items-1), 4
	}
	s.room = s.p.Items / 4
	s.list, s.places = s.b.Scratch("candidates", s.room*wide), s.b.Scratch("their positions", s.room*placeBytes)
	all := levels(s.p.Type.Bits(), placeBits)
	codec := plan.U32(uint32(s.p.Codec()))
	for i := range all {
		bytes := s.p.KeyBytes()
		if i > 1 {
			bytes = 0 // a list of unknown length
		}
		room, level := plan.U32(uint32(s.room)), plan.U64(packed(all, i))
		s.launch(fmt.Sprintf("count digit %d", i), s.entry("count"), s.p.Items, bytes,
			plan.At(plan.Ref{Region: plan.KeysIO}), plan.U32(uint32(s.p.Items)), plan.At(s.list), plan.At(s.places), room,
			plan.At(s.outOr(s.state)), plan.U32(s.form()), plan.At(s.state), level, codec)
		s.b.Launch(fmt.Sprintf("choose digit %d", i), s.entry("choose"), 1, s.threads(), 0,
			plan.U32(uint32(s.p.Items)), plan.U32(uint32(s.rank)), room, plan.At(s.state), level, codec)
	}
	if s.out != (plan.Ref{}) {
		s.launch("gather", s.entry("gather"), s.p.Items, s.p.Other*uint64(s.p.Type.Bytes()),
			plan.At(plan.Ref{Region: plan.KeysIO}), plan.U32(uint32(s.p.Items)), plan.U32(uint32(s.p.Other)),
			plan.At(s.list), plan.At(s.places), plan.At(s.out), plan.U32(s.form()), plan.At(s.state), plan.U64(packed(all, len(all))), codec)
	}
	s.b.Passes(min(len(all), 2))
}

// outOr is the output, or a place for a kernel that writes none.
func (s *search) outOr(other plan.Ref) plan.Ref {
	if s.out == (plan.Ref{}) {
		return other
	}
	return s.out
}

// entry is an OpenCL kernel for the keys.
func (s *search) entry(stage string) kernel.ID {
	return s.variant(kernel.Plain(module, fmt.Sprintf("%s_%d", stage, s.p.Type.Bits())))
}

// variant has an OpenCL program built for the width of the keys.
func (s *search) variant(id kernel.ID) kernel.ID {
	return id.Variant(kernel.Macro("GS_WIDTH", s.p.Type.Bits()), kernel.Macro("GS_DIGIT_BITS", digit))
}

// threads is the size of a group.
func (s *search) threads() uint32 { return algo.WorkItems(s.c, groupThreads) }

// groups is how many there are for so many items.
func (s *search) groups(items uint64) uint32 {
	perUnit := uint64(unitGroups)
	if s.c.CPU {
		perUnit = 1
	}
	return algo.Grid(s.c, items, uint64(s.threads()), perUnit)
}
