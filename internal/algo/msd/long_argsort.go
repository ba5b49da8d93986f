package msd

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
)

// Long argsorts of 64-bit keys: two runs of encoded keys and places are sorted, as pairs, and
// one pass merges them into the caller's indices, without the encoded keys. The keys stay as
// they are. The merge is stable and the places of the first run are the lower ones, so
// that equal keys keep their order.
//
// Packed words would move fewer bytes in the runs, but leave places alone, and fetching
// the keys in that order takes longer than both runs.
//
// Scratch is n places, n encoded keys and n/2 encoded keys, the second buffer of a run, and at most
// 64 MB; with a gate (long_gate.go) n encoded keys in place of n/2, since the sort behind it
// moves whole keys. The first run has the memory of the second one's encoded keys, too. The
// second run is sorted with its places in the caller's indices, so that the scratch memory
// for them is its second buffer; they are copied there, whatever the gate says: behind an
// open one nothing reads them. (Not the other way round: indices need not be aligned as
// vectors are.)

// argsortRuns: more would need a second pass, and memory for it.
const argsortRuns = 2

// planArgsort is planRuns for argsorts.
func (l long) planArgsort(c driver.Caps, words uint64) (plan.Plan, error) {
	b := l.builder(c)
	w := l.newWhole(b, words)
	m, places, encodedKeys, err := merge.NewArgsortRuns(b, l.p, c, l.run)
	if err != nil {
		return plan.Plan{}, err
	}
	w.probe(b, l, c)
	runs, v, k := l.runs(), uint64(l.p.ValueBytes), uint64(l.p.Type.Bytes())
	behind, second := scratchAt(encodedKeys.Add(l.p.KeyBytes())), places.Add(v*l.run)
	sorts := []argsortRun{
		{runs[0], 0, encodedKeys, places, scratchAt(encodedKeys.Add(k * l.run)), nil},
		{runs[1], l.run, encodedKeys.Add(k * l.run), plan.Ref{Region: plan.ValuesIO}, behind, &second},
	}
	for i, r := range sorts {
		if err := l.sortPlaces(b, c, fmt.Sprintf("run %d", i+1), r, w.gate()); err != nil {
			return plan.Plan{}, err
		}
	}
	b.Copy("places of run 2", second, plan.Ref{Region: plan.ValuesIO}, runs[1].ValuesBytes())
	m.Append(w.gate())
	b.Passes(2 + 3 + m.Passes())
	if w.offered {
		b.Reserve("second keys of the whole", behind.Off+l.p.KeyBytes())
		err = w.argsort(b, l.p, c, onesweep.WidePasses{Argsort: onesweep.Argsort{ValuesA: places}, A: encodedKeys, B: behind})
	}
	return b.Plan(), err
}

// scratchAt rounds r up to where a part of the scratch memory may begin.
func scratchAt(r plan.Ref) plan.Ref {
	r.Off = plan.Aligned(r.Off)
	return r
}

// argsortRun is a run of an argsort, sorted as pairs.
type argsortRun struct {
	p                   plan.Problem
	first               uint64   // its first key
	encodedKeys, places plan.Ref // made there, and sorted
	room                plan.Ref // the sort's scratch, but for the second buffer of its values if second is not nil
	second              *plan.Ref
}

// sortPlaces appends the sort of a run.
func (l long) sortPlaces(b *plan.Builder, c driver.Caps, name string, r argsortRun, gate plan.Arg) error {
	keys := l.p
	keys.Items = r.p.Items
	encodePairs(b, keys, c, "encoded keys of "+name, r.first, r.encodedKeys, r.places, gate)
	outer := gate // as seen from room: before it, so that the sort has nothing there
	if outer.IsRef {
		outer.Ref.Off -= r.room.Off
	}
	sub, err := l.sort(r.p, outer)
	if err != nil {
		return err
	}
	end, values := sub.ScratchBytes, sub.ScratchBytes
	if last, ok := lastPart(sub); r.second != nil && ok && last.Name == "values" {
		end, values = last.Off, last.Off
	}
	b.Reserve("sorts of the runs", r.room.Off+end)
	b.Embed(name, sub, func(x plan.Ref) plan.Ref {
		switch {
		case outer.IsRef && x == outer.Ref:
			return gate.Ref
		case x.Region == plan.KeysIO:
			return r.encodedKeys.Add(x.Off)
		case x.Region == plan.ValuesIO:
			return r.places.Add(x.Off)
		case x.Off >= values && r.second != nil:
			return r.second.Add(x.Off - values)
		}
		return r.room.Add(x.Off)
	})
	return nil
}

// lastPart is the last part of a plan's scratch memory, if there is one.
func lastPart(p plan.Plan) (part plan.Part, ok bool) {
	if len(p.Parts) > 0 {
		part, ok = p.Parts[len(p.Parts)-1], true
	}
	return part, ok
}
