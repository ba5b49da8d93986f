package bitonic

import (
	"fmt"
	"math/bits"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// sorter appends the launches of one sort.
type sorter struct {
	b      *plan.Builder
	v      Variant
	p      plan.Problem
	c      driver.Caps
	l      algo.Params
	bits   int // of an element
	t      tile
	passes int

	data    plan.Ref  // the elements
	in, out key.Codec // of the first load and of the last store
}

// newSorter checks what holds for every launch of p.
func newSorter(v Variant, p plan.Problem, c driver.Caps, l algo.Params) (*sorter, error) {
	if err := threadsOf(v, c, l); err != nil {
		return nil, err
	}
	s := &sorter{b: plan.NewBuilder(v.String(), p), v: v, p: p, c: c, l: l, bits: elementBits(p)}
	var err error
	s.t, err = tileOf(v, s.bits, p.Items, c, l)
	if v < Presort {
		err = nil // no shared memory
	}
	return s, err
}

// elementBits is the width of what the network sorts: keys, or encoded keys and
// positions in one word.
func elementBits(p plan.Problem) int {
	switch {
	case p.Mode == plan.Keys:
		return p.Type.Bits()
	case p.Type.Bits() <= 32 && p.Items <= 1<<32:
		return 64
	}
	return 128
}

// stages is the number of stages for n elements: its binary logarithm, rounded
// up.
func stages(n uint64) int { return bits.Len64(n - 1) }

// mask is how partners of the step of stage k at distance 2^j differ.
func mask(k, j int) uint64 {
	if j == k-1 {
		return 1<<k - 1
	}
	return 1 << j
}

// network appends the launches that sort s.p.Items elements at s.data, two or
// more.
func (s *sorter) network() {
	last, first := stages(s.p.Items), 1
	switch {
	case s.v == Best:
		s.sortTiles()
		first = s.t.log + 1
	case s.v >= Presort:
		s.shared("sort tiles", 1, min(s.t.log, last), s.t.log-1, 0)
		first = s.t.log + 1
	}
	for k := first; k <= last; k++ {
		j := k - 1
		switch s.v {
		case Best:
			s.columns(k)
			s.mergeTiles(k, k == last)
			continue
		case Naive, Grid, Div, Pairs, Presort:
			for ; j >= 0; j-- {
				s.step(k, j)
			}
		default:
			for ; j >= s.t.log; j-- {
				s.step(k, j)
			}
		}
		if s.v == Shared {
			s.shared(fmt.Sprintf("stage %d, merge tiles", k), k, k, j, 0)
			continue
		}
		for ; j >= 0; j-- {
			s.shared(label(k, j), k, k, j, j)
		}
	}
}

func label(k, j int) string { return fmt.Sprintf("stage %d, distance %d", k, uint64(1)<<j) }

// codecs are the arguments of a launch that runs stages and steps up to stage
// k's at distance 2^j: only the first launch encodes, and only the last decodes.
func (s *sorter) codecs(k, j int) (in, out plan.Arg) {
	decode := key.Codec(0)
	if k == stages(s.p.Items) && j == 0 {
		decode = s.out
	}
	in, out = plan.U32(uint32(s.in)), plan.U32(uint32(decode))
	s.in = 0
	return in, out
}

// step appends one step in device memory.
func (s *sorter) step(k, j int) {
	in, out := s.codecs(k, j)
	n, m, distance := s.p.Items, mask(k, j), uint64(1)<<j
	pairs := n/(2*distance)*distance + min(n%(2*distance), distance)
	args := []plan.Arg{plan.At(s.data), plan.U64(n)}
	stage, units := "shift", pairs
	switch s.v {
	case Naive, Grid, Presort:
		stage, units = "naive", n
		args = append(args, plan.U64(m), in, out)
	case Div:
		stage = "div"
		args = append(args, plan.U64(pairs), plan.U64(distance), plan.U64(m), in, out)
	default:
		args = append(args, plan.U64(pairs), plan.U32(uint32(j)), plan.U64(m), in, out)
	}
	s.launch(label(k, j), stage, s.blocks(units, s.threads()), s.threads(), args...)
}

// shared appends, for every tile, of stages first to last the steps at distances
// up to 2^high and down to 2^low.
func (s *sorter) shared(what string, first, last, high, low int) {
	in, out := s.codecs(last, low)
	args := s.tileArgs(plan.U32(uint32(first)), plan.U32(uint32(last)), plan.U32(uint32(high)), plan.U32(uint32(low)), in, out)
	s.launchTiles(what, "shared", args...)
}

// sortTiles and mergeTiles append the launches that work in registers.
func (s *sorter) sortTiles() {
	last := min(s.t.log, stages(s.p.Items))
	in, out := s.codecs(last, 0)
	s.launchTiles("sort tiles", "sort", s.tileArgs(in, out)...)
}

func (s *sorter) mergeTiles(k int, last bool) {
	decode := key.Codec(0)
	if last {
		decode = s.out
	}
	s.launchTiles(fmt.Sprintf("stage %d, merge tiles", k), "merge", s.tileArgs(plan.U32(uint32(decode)))...)
}

// columns appends the passes that run the steps of stage k at distances of a
// tile and more: as few as there can be, of equal numbers of steps.
func (s *sorter) columns(k int) {
	steps, most := k-s.t.log, itemsLog
	if s.serial() {
		most = rowLog
	}
	for passes := (steps + most - 1) / most; passes > 0; passes-- {
		here := (steps + passes - 1) / passes
		steps -= here
		low := s.t.log + steps
		mirror := uint32(0)
		if low+here == k {
			mirror = 1
		}
		n, block := s.p.Items, uint64(1)<<low
		count := n>>(low+here)<<low + min(n&(block<<here-1), block)
		threads, units := s.threads(), count
		if s.serial() {
			threads, units = 1, (count+1<<s.t.log-1)>>s.t.log // GS_ROW columns at a time
		}
		s.launch(fmt.Sprintf("stage %d, distances %d to %d", k, block<<(here-1), block), fmt.Sprintf("columns%d", here),
			s.blocks(units, threads), threads,
			plan.At(s.data), plan.U64(n), plan.U64(count), plan.U32(uint32(low)), plan.U32(mirror))
	}
}
