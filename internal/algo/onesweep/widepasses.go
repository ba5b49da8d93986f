package onesweep

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// wideDigits is how many passes of WidePasses sort whole keys.
const wideDigits = 4

// WidePasses is an argsort of 64-bit keys that another algorithm appends to its steps:
// four passes over whole keys with their places, of which the last may write only the
// keys' upper halves (UpperGeometry in kernels/cuda/block/pass.cuh), and UpperPasses over
// those. It fills three control blocks itself: which passes run, by which digit, and
// between which places. A pass that they do not ask for returns at once.
type WidePasses struct {
	// Label, Gate, Items and ValueBytes are as for UpperPasses. Codec is applied by the first pass over whole keys.
	Label      string
	Gate       plan.Ref
	Items      uint64
	ValueBytes int
	Codec      key.Codec
	// Control is three control blocks, one behind the other: of the passes 0 to 3 over
	// whole keys, and the two of UpperPasses.
	Control plan.Ref
	// Words is scratch of WordsBytes; Each and Rows are as for UpperPasses.
	Words plan.Ref
	Each  bool
	Rows  uint64
	// Keys are the caller's. A and B hold Items keys of 8 bytes, ValuesIO and ValuesA
	// Items values: IO, A and B of the passes over whole keys. Halves go by the first and
	// the second half of A.
	Keys, A, B, ValuesIO, ValuesA plan.Ref
}

func (g WidePasses) problem() plan.Problem {
	return plan.Problem{Type: key.U64, Mode: plan.Pairs, Items: g.Items, ValueBytes: g.ValueBytes}
}

// upper are the passes over halves, with the given look-back words.
func (g WidePasses) upper(words plan.Ref) UpperPasses {
	return UpperPasses{
		Label: g.Label + ", upper halves", Gate: g.Gate, Control: g.Control.Add(ControlBytes), Words: words, Each: g.Each, Rows: g.Rows,
		Items: g.Items, ValueBytes: g.ValueBytes, Codec: key.CodecUnsigned,
		Keys: g.A, Alt: g.A.Add(4 * g.Items), Upper: g.A, ValuesIO: g.ValuesIO, ValuesA: g.ValuesA,
	}
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
