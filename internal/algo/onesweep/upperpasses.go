package onesweep

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// UpperPasses is an argsort of 32-bit keys that another algorithm appends to its
// steps: two passes over whole keys, of which the last may write only the keys' upper
// halves (UpperGeometry in kernels/cuda/block/pass.cuh), and two passes over those.
// It fills two control blocks itself: which passes run, by which digit, and between
// which places. A pass that they do not ask for returns at once.
type UpperPasses struct {
	// Label, Gate, Items, ValueBytes and Codec are as for GatedPasses; Codec is
	// applied by a pass over whole keys.
	Label      string
	Gate       plan.Ref
	Items      uint64
	ValueBytes int
	Codec      key.Codec
	// Control is two control blocks, one behind the other: of the passes 0 and 1
	// over whole keys, and of the passes 0 and 1 over halves.
	Control plan.Ref
	// Words is scratch of WordsBytes, aligned to 16 bytes. It serves all passes at once,
	// or, if Each is true, is cleared before each of them.
	Words plan.Ref
	Each  bool
	// Keys holds Items keys of 4 bytes, Alt as many, Upper Items keys of 2 bytes:
	// IO, A and B of the passes over whole keys. Upper is IO and Alt is A of those
	// over halves. ValuesIO and ValuesA hold Items values.
	Keys, Alt, Upper, ValuesIO, ValuesA plan.Ref
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

// rows returns the bytes of the look-back words of one pass over whole keys and of
// one over halves.
func (g UpperPasses) rows(c driver.Caps) (rows [2]uint64, err error) {
	if g.Items > maxPortionItems {
		return rows, algo.Unsupported("gated passes of onesweep sort up to %d pairs", maxPortionItems)
	}
	for i, p := range g.problems() {
		if err := supports(p, c); err != nil {
			return rows, err
		}
		pol := stagePolicy(p, c, upperStages[i])
		tile := uint64(pol.Threads * pol.Items)
		rows[i] = (g.Items + tile - 1) / tile * rowBytes
	}
	return rows, nil
}

// WordsBytes returns the size of Words.
func (g UpperPasses) WordsBytes(c driver.Caps) (uint64, error) {
	rows, err := g.rows(c)
	if g.Each {
		return max(rows[0], rows[1]), err
	}
	return 2 * (rows[0] + rows[1]), err
}

// Append adds the passes to b. Their least traffic is 0: they are not expected to
// run.
func (g UpperPasses) Append(b *plan.Builder, c driver.Caps) error {
	rows, err := g.rows(c)
	if err != nil {
		return err
	}
	if !g.Each {
		clearGated(b, c, g.Label, g.Words, 2*(rows[0]+rows[1]), g.Gate)
	}
	whole := GatedPasses{
		Label: g.Label, Control: g.Control, Codec: g.Codec,
		KeysIO: g.Keys, KeysA: g.Alt, KeysB: g.Upper, ValuesIO: g.ValuesIO, ValuesA: g.ValuesA,
	}
	halves := whole
	halves.Control, halves.Codec = g.Control.Add(ControlBytes), key.CodecUnsigned
	halves.KeysIO, halves.KeysB = g.Upper, g.Alt // B is named, not used
	words := g.Words
	for i, p := range g.problems() {
		passes := []GatedPasses{whole, halves}[i]
		for digit := range uint64(2) {
			if g.Each {
				clearGated(b, c, g.Label, g.Words, rows[i], g.Gate)
				words = g.Words
			}
			passes.pass(b, c, p, upperStages[i], fmt.Sprintf("digit pass %d", 2*uint64(i)+digit), digit, words)
			words = words.Add(rows[i])
		}
	}
	return nil
}
