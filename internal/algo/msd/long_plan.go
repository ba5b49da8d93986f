package msd

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// planLong plans the sort of p in runs.
func planLong(p plan.Problem, c driver.Caps) (plan.Plan, error) {
	l, err := longOf(p, c)
	if err != nil {
		return plan.Plan{}, err
	}
	return l.plan(c)
}

// plan sorts the runs and merges them, behind a gate where there is room for it.
func (l long) plan(c driver.Caps) (plan.Plan, error) {
	planned := l.planRuns
	if l.p.Mode == plan.Argsort {
		planned = l.planArgsort
	}
	if words, ok := l.gateWords(c); ok {
		if pl, err := planned(c, words); err != nil || pl.ScratchBytes <= l.p.ScratchBound() {
			return pl, err
		}
	}
	return planned(c, 0)
}

// planRuns is plan with a gate whose sort has so many bytes of look-back words; 0: without.
// The runs' scratch lies where that of the merge does, and without a gate behind.
func (l long) planRuns(c driver.Caps, words uint64) (plan.Plan, error) {
	b := l.builder(c)
	m, err := merge.NewRuns(b, l.p, c, l.run)
	if err != nil {
		return plan.Plan{}, err
	}
	w := l.newWhole(b, words)
	w.probe(b, l, c)
	passes := 3 + m.Passes()
	if l.p.Codec() != key.CodecUnsigned {
		encode(b, l.p, c, w.gate())
		passes++
	}
	if err := l.sortRuns(b, plan.Ref{Region: plan.ValuesIO}, plan.Ref{Region: plan.Scratch}, w.gate()); err != nil {
		return plan.Plan{}, err
	}
	m.Append(w.gate())
	b.Passes(passes)
	if err := w.sort(b, l.p, c, m); err != nil {
		return plan.Plan{}, err
	}
	return b.Plan(), nil
}

func (l long) builder(c driver.Caps) *plan.Builder {
	b := plan.NewBuilder("radix-msd", l.p)
	b.Overlap(tune.SM90(c))
	return b
}

// sortRuns appends the sorts of the runs. Values lie at values; the runs'
// scratch memory is that from room on, and ends before the gate, if there is one.
func (l long) sortRuns(b *plan.Builder, values, room plan.Ref, gate plan.Arg) error {
	outer := gate // as seen from room
	if outer.IsRef {
		outer.Ref.Off -= room.Off
	}
	first := uint64(0)
	for i, q := range l.runs() {
		sub, err := l.sort(q, outer)
		if err != nil {
			return err
		}
		if outer.IsRef && sub.ScratchBytes > outer.Ref.Off {
			return fmt.Errorf("msd: run %d needs %d bytes of scratch memory, there are %d before the gate", i+1, sub.ScratchBytes, outer.Ref.Off)
		}
		b.Reserve("sorts of the runs", room.Off+sub.ScratchBytes)
		at := [...]plan.Ref{
			plan.KeysIO:   {Region: plan.KeysIO, Off: first * uint64(q.Type.Bytes())},
			plan.ValuesIO: values.Add(first * uint64(q.ValueBytes)),
			plan.Scratch:  room,
		}
		b.Embed(fmt.Sprintf("run %d", i+1), sub, func(r plan.Ref) plan.Ref { return at[r.Region].Add(r.Off) })
		first += q.Items
	}
	return nil
}
