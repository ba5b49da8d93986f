package onesweep

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// gatedPasses are the digit passes that Gated, UpperPasses and WidePasses append. The
// control block, which somebody else fills, has the starts of
// the digits and what each pass does. A pass that it does not ask for returns at once.
type gatedPasses struct {
	// label is put before the steps' labels.
	label string
	// gate is a word as for Gated: closed, the look-back words are not cleared.
	gate plan.Ref
	// control is of ControlBytes, zero but for what the passes need.
	control plan.Ref
	// keysIO, keysA, keysB, valuesIO and valuesA: places for the control block to name.
	keysIO, keysA, keysB, valuesIO, valuesA plan.Ref
	// codec is applied by a pass that the control block asks to encode.
	codec key.Codec
}

// clearGated appends the launch that zeroes look-back words, if the gate is open.
func clearGated(b *plan.Builder, c driver.Caps, label string, words plan.Ref, bytes uint64, gate plan.Ref) {
	clearWords(b, c, label+": clear look-back", words, bytes, 0, plan.At(gate))
}

// clearWords appends a launch that zeroes bytes, a multiple of 16, of which `moved` count
// for the plan's least traffic; gate is 0 for any. In front of a launch it takes some 5
// microseconds less than a memset does, since the two overlap.
func clearWords(b *plan.Builder, c driver.Caps, label string, words plan.Ref, bytes, moved uint64, gate plan.Arg) {
	b.Launch(label, kernel.Plain("onesweep", "clear"), uint32(max(c.ComputeUnits, 1)), 512, moved, plan.At(words), plan.U64(bytes/16), gate)
}

// stagePolicy is the geometry of a stage.
func stagePolicy(p plan.Problem, c driver.Caps, stage string) tune.OnesweepCuda {
	if stage == "upper" {
		return sweepPolicy(p, c)
	}
	pol, _ := policy(p, c)
	return pol
}

// pass appends one pass of the given stage over the items of p.
func (g gatedPasses) pass(b *plan.Builder, c driver.Caps, p plan.Problem, stage, label string, digit uint64, words plan.Ref) {
	pol := stagePolicy(p, c, stage)
	tile := uint64(pol.Threads * pol.Items)
	g.portion(b, c, p, stage, label, digit, words, portion{tiles: (p.Items + tile - 1) / tile})
}

// inPortions appends one pass over the items of p in the portions of t, each behind a
// launch that clears its look-back words.
func (g gatedPasses) inPortions(b *plan.Builder, c driver.Caps, p plan.Problem, stage, label string, digit uint64, words plan.Ref, t tiling) {
	for q := (portion{}); q.first < t.tiles; {
		q.tiles = min(t.portion, t.tiles-q.first)
		part := label
		if t.portion < t.tiles {
			part = fmt.Sprintf("%s, portion %d", label, q.number)
		}
		clearGated(b, c, g.label, words, q.tiles*rowBytes, g.gate)
		q = g.portion(b, c, p, stage, part, digit, words, q)
	}
}

// portion is a part of a pass, in the sort's tiles.
type portion struct {
	number, first, tiles uint64
	tickets              uint64 // drawn by the portions before
}

// portion appends a portion of a pass over the items of p, and returns the begin of the
// next one.
func (g gatedPasses) portion(b *plan.Builder, c driver.Caps, p plan.Problem, stage, label string, digit uint64, words plan.Ref, q portion) portion {
	pol := stagePolicy(p, c, stage)
	grid := min(q.tiles, uint64(max(c.ComputeUnits, 1))*uint64(pol.Blocks))
	s := b.Launch(g.label+": "+label, kernel.Entry("onesweep", stage, p.Type.Bits(), p.ValueBytes), uint32(grid), pol.Threads, 0,
		plan.At(g.keysIO), plan.At(g.keysA), plan.At(g.keysB), plan.At(g.valuesIO), plan.At(g.valuesA), plan.At(g.control),
		plan.At(words), plan.U64(p.Items), plan.U32(uint32(digit)), plan.U32(uint32(q.number)), plan.U32(uint32(q.first)),
		plan.U32(uint32(q.tiles)), plan.U32(uint32(q.tickets)), plan.U32(uint32(g.codec)), plan.U32(0))
	s.SharedBytes = shared(stage, p, c)
	// Each block draws one ticket past the portion's tiles: see large.
	return portion{number: q.number + 1, first: q.first + q.tiles, tickets: q.tickets + q.tiles + grid}
}

// GatedHistogram appends the launch that counts all digits of items keys of the
// problem's type at keys into a zero control block, and plans passes there as for
// an argsort; if the gate is open.
func GatedHistogram(b *plan.Builder, label string, p plan.Problem, c driver.Caps, keys plan.Ref, items uint64, control, gate plan.Ref) error {
	p.Mode, p.ValueBytes = plan.Keys, 0
	if err := supports(p, c); err != nil {
		return err
	}
	pol, _ := policy(p, c)
	histogram{label, keys, items, control, plan.Argsort, plan.At(gate), false, 0}.append(b, p, c, uint32(max(c.ComputeUnits, 1))*pol.HistBlocks)
	return nil
}

// FinishArgsort appends the launch that writes ascending or descending indices if
// the field finish of the control block asks for it.
func FinishArgsort(b *plan.Builder, p plan.Problem, c driver.Caps, control plan.Ref) {
	keys, values := plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(plan.Ref{Region: plan.ValuesIO})
	b.Launch("finish", entry("finish", p), uint32(max(c.ComputeUnits, 1))*8, finishThreads, 0,
		keys, keys, values, values, plan.U64(p.Items), plan.At(control), plan.U32(uint32(p.Codec())))
}
