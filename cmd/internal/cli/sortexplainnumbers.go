package cli

import (
	"fmt"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/key"
)

// explainNumbers says what numbers are taken for, and how they would be sorted.
func (s *sortCmd) explainNumbers(f *sortFiles, sorter *gpusort.Sorter) error {
	say := func(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }
	say("%s: %s", f.keys.Name, explainSource(f.keys, s.kind.Kind != format.Auto, s.typ.set))
	order := "ascending"
	if s.reverse {
		order = "descending"
	}
	if f.keys.Item.Type.Row().Kind == key.Float {
		order += ", NaN " + s.nan.String()
	}
	say("order: %s", order)
	if l := f.lanes; l != nil {
		say("along the axis: %s sequences of %s", units.Count(l.Outer*l.Inner), units.Count(l.Items))
	}
	out := f.keys.Item.String()
	mode, width := gpusort.ModeKeys, 0
	switch {
	case s.argsort:
		mode, width, out = gpusort.ModeArgsort, f.index.Bytes, "positions of type "+f.index.String()
	case f.values != nil:
		mode, width = gpusort.ModePairs, f.values.Item.Bytes
		if width != 4 && width != 8 {
			width = 4 // positions, by which the values are moved
		}
		say("%s: values, %s, which move with the keys", f.values.Name, explainSource(f.values, false, s.valueType != ""))
	}
	say("output: %s, %v", out, f.outKind)
	n := f.keys.Items
	known := n >= 0 || f.keys.Size() > 0 // how many bytes there are
	if need := f.need(); known && f.lanes == nil && s.tooMuch(need) {
		if err := s.newLarge(f).fits(s.temp); err != nil {
			return err
		}
		say("memory: up to %s; %s of work do not fit: sorted on the CPU in runs, which go to temporary files and are merged", units.Bytes(s.runBudget()), units.Bytes(need))
		return nil
	}
	if f.lanes != nil {
		n = int64(f.lanes.Items)
	}
	if n < 0 {
		say("their number is not known before they are read: it decides on what device and by which algorithm, and whether by temporary files")
		return nil
	}
	x, err := explainType(sorter, f.keys.Item.Type, mode, int(n), width)
	if err != nil {
		return err
	}
	say("in memory, on %s by %s: %s", x.Device, x.Algorithm, x.Why)
	return nil
}

// explainSource says what a file is taken for, and which of it was guessed.
func explainSource(in *format.Source, kindSaid, typeSaid bool) string {
	guessed := func(said bool) string {
		if said || in.Kind == format.NPY {
			return ""
		}
		return " (guessed)"
	}
	of := "numbers of type "
	if in.Item.Opaque {
		of = ""
	}
	text := fmt.Sprintf("%v%s, %s%v%s", in.Kind, guessed(kindSaid), of, in.Item, guessed(typeSaid))
	if in.Items >= 0 {
		text += ", " + units.Count(in.Items) + " of them"
	} else if in.Size() > 0 {
		text += ", " + units.Bytes(uint64(in.Size()))
	}
	if in.Packed != 0 {
		text += fmt.Sprintf(", unpacked from %v", in.Packed)
	}
	return text
}
