package onesweep

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// wideDigits is how many passes of WidePasses sort whole keys.
const wideDigits = 4

// WidePasses is an argsort of 64-bit keys: four passes over whole keys with their places,
// of which the last may write only the keys' upper halves, and UpperPasses over those. It has three control blocks:
// of the passes 0 to 3 over whole keys, the first of which applies Codec, and the two of
// UpperPasses.
type WidePasses struct {
	Argsort
	// A and B hold Items keys of 8 bytes: with Keys as IO, those of the passes over whole
	// keys. Halves go by the first and the second half of A.
	A, B plan.Ref
}

func (g WidePasses) problem() plan.Problem {
	return plan.Problem{Type: key.U64, Mode: plan.Pairs, Items: g.Items, ValueBytes: g.ValueBytes}
}

// upper are the passes over halves, with the given look-back words.
func (g WidePasses) upper(words plan.Ref) UpperPasses {
	halves := g.Argsort
	halves.Label, halves.Control, halves.Words = g.Label+", upper halves", g.Control.Add(ControlBytes), words
	halves.Codec, halves.Keys = key.CodecUnsigned, g.A
	return UpperPasses{Argsort: halves, Alt: g.A.Add(4 * g.Items), Upper: g.A}
}

// WordsBytes returns the size of Words, or why the problem cannot be sorted that way.
func (g WidePasses) WordsBytes(c driver.Caps) (uint64, error) {
	t, err := portionsOf(g.problem(), c, "upper", g.Each, g.Rows)
	if err != nil {
		return 0, err
	}
	upper, err := g.upper(g.Words).WordsBytes(c)
	if g.Each {
		return max(t.portion*rowBytes, upper), err
	}
	return wideDigits*t.tiles*rowBytes + upper, err
}

// Append adds the passes to b. Their least traffic is 0: they are not expected to
// run.
func (g WidePasses) Append(b *plan.Builder, c driver.Caps) error {
	t, err := portionsOf(g.problem(), c, "upper", g.Each, g.Rows)
	if err != nil {
		return err
	}
	whole := gatedPasses{
		label: g.Label, gate: g.Gate, control: g.Control, codec: g.Codec,
		keysIO: g.Keys, keysA: g.A, keysB: g.B, valuesIO: g.ValuesIO, valuesA: g.ValuesA,
	}
	words := g.Words
	if !g.Each {
		clearGated(b, c, g.Label, words, wideDigits*t.tiles*rowBytes, g.Gate)
	}
	for digit := range uint64(wideDigits) {
		label := fmt.Sprintf("digit pass %d", digit)
		if g.Each {
			whole.inPortions(b, c, g.problem(), "upper", label, digit, words, t)
			continue
		}
		whole.pass(b, c, g.problem(), "upper", label, digit, words)
		words = words.Add(t.tiles * rowBytes)
	}
	return g.upper(words).Append(b, c)
}
