package onesweep

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// passDigits is the number of digits of a 32-bit key.
const passDigits = 4

// GatedPasses is a stable sort of 32-bit keys with values that another algorithm
// appends to its steps: the digit passes alone. It fills the control block itself
// (kernels/cuda/block/control.cuh): starts of the digits, and what each pass
// does. A pass that the control block does not ask for returns at once.
type GatedPasses struct {
	// Label is put before the steps' labels.
	Label string
	// Gate is a word as for Gated: closed, the look-back words are not cleared.
	Gate plan.Ref
	// Control is of ControlBytes, zero but for what the passes need.
	Control plan.Ref
	// Words is scratch of WordsBytes, aligned to 16 bytes; Sets is how many
	// passes it serves before it is cleared again, at least 1.
	Words plan.Ref
	Sets  uint64
	// KeysIO, KeysA and KeysB hold Items keys of 4 bytes, ValuesIO and ValuesA
	// Items values of ValueBytes, 4 or 8: places for the control block to name.
	KeysIO, KeysA, KeysB, ValuesIO, ValuesA plan.Ref
	Items                                   uint64
	ValueBytes                              int
	// Codec is applied by a pass that the control block asks to encode.
	Codec key.Codec
}

func (g GatedPasses) problem() plan.Problem {
	return plan.Problem{Type: key.U32, Mode: plan.Pairs, Items: g.Items, ValueBytes: g.ValueBytes}
}

// tiles returns the number of a pass's tiles, or why they cannot be sorted in
// one portion.
func (g GatedPasses) tiles(c driver.Caps) (uint64, error) {
	p := g.problem()
	if err := supports(p, c); err != nil {
		return 0, err
	}
	pol, _ := policy(p, c)
	tile := uint64(pol.Threads * pol.Items)
	if g.Items > maxPortionItems {
		return 0, algo.Unsupported("gated passes of onesweep sort up to %d pairs", maxPortionItems)
	}
	return (g.Items + tile - 1) / tile, nil
}

// WordsBytes returns the size of Words for one set.
func (g GatedPasses) WordsBytes(c driver.Caps) (uint64, error) {
	tiles, err := g.tiles(c)
	return tiles * rowBytes, err
}

// Append adds the passes to b. Their least traffic is 0: they are not expected
// to run.
func (g GatedPasses) Append(b *plan.Builder, c driver.Caps) error {
	tiles, err := g.tiles(c)
	if err != nil {
		return err
	}
	for digit := range uint64(passDigits) {
		if digit%g.Sets == 0 {
			clearGated(b, c, g.Label, g.Words, tiles*rowBytes*min(g.Sets, passDigits-digit), g.Gate)
		}
		g.pass(b, c, g.problem(), "pass", fmt.Sprintf("digit pass %d", digit), digit, g.Words.Add(digit%g.Sets*tiles*rowBytes))
	}
	return nil
}

// clearGated appends the launch that zeroes look-back words, if the gate is open.
func clearGated(b *plan.Builder, c driver.Caps, label string, words plan.Ref, bytes uint64, gate plan.Ref) {
	clearWords(b, c, label+": clear look-back", words, bytes, 0, plan.At(gate))
}

// clearWords appends a launch that zeroes bytes, a multiple of 16, of which `moved` count
// for the plan's least traffic; gate is 0 for any. In front of a launch it takes some 5
// microseconds less than a memset does, since the two overlap (docs/rfcs/0001).
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
func (g GatedPasses) pass(b *plan.Builder, c driver.Caps, p plan.Problem, stage, label string, digit uint64, words plan.Ref) {
	pol := stagePolicy(p, c, stage)
	tile := uint64(pol.Threads * pol.Items)
	g.portion(b, c, p, stage, label, digit, words, portion{tiles: (p.Items + tile - 1) / tile})
}

// inPortions appends one pass over the items of p in the portions of t, each behind a
// launch that clears its look-back words.
func (g GatedPasses) inPortions(b *plan.Builder, c driver.Caps, p plan.Problem, stage, label string, digit uint64, words plan.Ref, t tiling) {
	for q := (portion{}); q.first < t.tiles; {
		q.tiles = min(t.portion, t.tiles-q.first)
		part := label
		if t.portion < t.tiles {
			part = fmt.Sprintf("%s, portion %d", label, q.number)
		}
		clearGated(b, c, g.Label, words, q.tiles*rowBytes, g.Gate)
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
func (g GatedPasses) portion(b *plan.Builder, c driver.Caps, p plan.Problem, stage, label string, digit uint64, words plan.Ref, q portion) portion {
	pol := stagePolicy(p, c, stage)
	grid := min(q.tiles, uint64(max(c.ComputeUnits, 1))*uint64(pol.Blocks))
	s := b.Launch(g.Label+": "+label, kernel.Entry("onesweep", stage, p.Type.Bits(), p.ValueBytes), uint32(grid), pol.Threads, 0,
		plan.At(g.KeysIO), plan.At(g.KeysA), plan.At(g.KeysB), plan.At(g.ValuesIO), plan.At(g.ValuesA), plan.At(g.Control),
		plan.At(words), plan.U64(p.Items), plan.U32(uint32(digit)), plan.U32(uint32(q.number)), plan.U32(uint32(q.first)),
		plan.U32(uint32(q.tiles)), plan.U32(uint32(q.tickets)), plan.U32(uint32(g.Codec)), plan.U32(0))
	s.SharedBytes = passShared(pol, p)
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
	histogram{label, keys, items, control, plan.Argsort, plan.At(gate), 0}.append(b, p, c, uint32(max(c.ComputeUnits, 1))*pol.HistBlocks)
	return nil
}

// FinishArgsort appends the launch that writes ascending or descending indices if
// the field finish of the control block asks for it.
func FinishArgsort(b *plan.Builder, p plan.Problem, c driver.Caps, control plan.Ref) {
	keys, values := plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(plan.Ref{Region: plan.ValuesIO})
	b.Launch("finish", entry("finish", p), uint32(max(c.ComputeUnits, 1))*8, finishThreads, 0,
		keys, keys, values, values, plan.U64(p.Items), plan.At(control), plan.U32(uint32(p.Codec())))
}
