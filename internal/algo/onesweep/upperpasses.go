package onesweep

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// Argsort is what UpperPasses and WidePasses have in common: argsorts that another
// algorithm appends to its steps. Passes fill control blocks themselves: which of them
// run, by which digit, and between which places. A pass that they do not ask for returns
// at once.
type Argsort struct {
	// Label is put before the steps' labels.
	Label string
	// Gate is a word as for Gated: closed, the look-back words are not cleared.
	Gate plan.Ref
	// Items are sorted, with indices of ValueBytes, 4 or 8. Codec is applied by a pass over
	// whole keys.
	Items      uint64
	ValueBytes int
	Codec      key.Codec
	// Control is the control blocks, one behind the other.
	Control plan.Ref
	// Words is scratch of WordsBytes, aligned to 16 bytes. It serves all passes at once,
	// or, if Each is true, is cleared before each of them, or each portion of one, of at
	// most Rows tiles, 0 for maxRows: a kibibyte of words each.
	Words plan.Ref
	Each  bool
	Rows  uint64
	// Keys are the caller's Items keys. ValuesIO and ValuesA hold Items values.
	Keys, ValuesIO, ValuesA plan.Ref
}

// UpperPasses is an argsort of 32-bit keys: two passes over whole keys, of which the
// last may write only the keys' upper halves, and two passes over those. It has two control blocks: of
// the passes 0 and 1 over whole keys, and of the passes 0 and 1 over halves.
type UpperPasses struct {
	Argsort
	// Alt holds Items keys of 4 bytes, Upper Items keys of 2 bytes: with Keys, A, B and IO
	// of the passes over whole keys. Upper is IO and Alt is A of those over halves.
	Alt, Upper plan.Ref
}

// upperStages are the stages of the passes over whole keys and over halves.
var upperStages = [2]string{"upper", "pass"}

// problems are those of the passes over whole keys and over halves.
func (g UpperPasses) problems() [2]plan.Problem {
	p := plan.Problem{Type: key.U32, Mode: plan.Pairs, Items: g.Items, ValueBytes: g.ValueBytes}
	halves := p
	halves.Type = key.U16
	return [2]plan.Problem{p, halves}
}

// tilings are those of a pass over whole keys and of one over halves.
func (g UpperPasses) tilings(c driver.Caps) (t [2]tiling, err error) {
	for i, p := range g.problems() {
		if t[i], err = portionsOf(p, c, upperStages[i], g.Each, g.Rows); err != nil {
			return t, err
		}
	}
	return t, nil
}

// portionsOf is the tiling of a pass of the given stage: in portions of at most `rows`
// tiles, 0 for maxRows, if each pass is cleared for, else in one.
func portionsOf(p plan.Problem, c driver.Caps, stage string, each bool, rows uint64) (tiling, error) {
	if err := supports(p, c); err != nil {
		return tiling{}, err
	}
	if rows == 0 {
		rows = maxRows
	}
	t := tilingOf(stagePolicy(p, c, stage), p.Items, min(rows, maxRows))
	if each {
		return t, nil
	}
	if p.Items > maxPortionItems {
		return t, algo.Unsupported("gated passes of onesweep sort up to %d pairs at once", maxPortionItems)
	}
	t.portion = t.tiles
	return t, nil
}

// WordsBytes returns the size of Words.
func (g UpperPasses) WordsBytes(c driver.Caps) (uint64, error) {
	t, err := g.tilings(c)
	if g.Each {
		return max(t[0].portion, t[1].portion) * rowBytes, err
	}
	return 2 * (t[0].tiles + t[1].tiles) * rowBytes, err
}

// Append adds the passes to b. Their least traffic is 0: they are not expected to
// run.
func (g UpperPasses) Append(b *plan.Builder, c driver.Caps) error {
	tilings, err := g.tilings(c)
	if err != nil {
		return err
	}
	whole := gatedPasses{
		label: g.Label, gate: g.Gate, control: g.Control, codec: g.Codec,
		keysIO: g.Keys, keysA: g.Alt, keysB: g.Upper, valuesIO: g.ValuesIO, valuesA: g.ValuesA,
	}
	halves := whole
	halves.control, halves.codec = g.Control.Add(ControlBytes), key.CodecUnsigned
	halves.keysIO, halves.keysB = g.Upper, g.Alt // B is named, not used
	words := g.Words
	if !g.Each {
		clearGated(b, c, g.Label, words, 2*(tilings[0].tiles+tilings[1].tiles)*rowBytes, g.Gate)
	}
	for i, p := range g.problems() {
		passes, t := []gatedPasses{whole, halves}[i], tilings[i]
		for digit := range uint64(2) {
			label := fmt.Sprintf("digit pass %d", 2*uint64(i)+digit)
			if g.Each {
				passes.inPortions(b, c, p, upperStages[i], label, digit, words, t)
				continue
			}
			passes.pass(b, c, p, upperStages[i], label, digit, words)
			words = words.Add(t.tiles * rowBytes)
		}
	}
	return nil
}
