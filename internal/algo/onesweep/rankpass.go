package onesweep

import (
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// RankPass is one stable pass over Keys of a byte, which puts values in their order and leaves the keys. Its control
// block says where each key's first value goes, and where the values are: at ValuesA, or places that are made. They go
// to ValuesIO. Each and Codec are not used.
type RankPass struct{ Argsort }

// Append adds the pass to b, in portions of at most Rows tiles. Its least traffic is 0: it is not expected to run.
func (g RankPass) Append(b *plan.Builder, c driver.Caps) error {
	p := plan.Problem{Type: key.U8, Mode: plan.Pairs, Items: g.Items, ValueBytes: g.ValueBytes}
	t, err := portionsOf(p, c, "pass", true, g.Rows)
	if err != nil {
		return err
	}
	gatedPasses{
		label: g.Label, gate: g.Gate, control: g.Control,
		keysIO: g.Keys, keysA: g.Keys, keysB: g.Keys, valuesIO: g.ValuesIO, valuesA: g.ValuesA,
	}.inPortions(b, c, p, "pass", "pass by ranks", 0, g.Words, t)
	return nil
}
