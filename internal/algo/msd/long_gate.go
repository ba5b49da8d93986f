package msd

import (
	"github.com/gpusort/gpusort/internal/algo/merge"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

// A long sort's gate. Skewed runs go to onesweep each, runs in order
// to nowhere, and the merges come on top, though onesweep sorts skewed input in the time
// of its own passes and finds out about order in one read. So the first launch samples
// the whole input. If runs would end in onesweep, or it sees no disorder, it opens the
// gate: then the runs, the encoding and the merges do nothing, and a onesweep of the
// whole input, whose steps are the last, sorts. If not, that does nothing. Buckets of equal
// keys, which a run sorts in half of onesweep's time or less, leave the gate closed.
//
// Nothing depends on what the sample says but the time: a run whose skew it has missed
// goes to its own fallback, and onesweep sorts anything.
//
// There is no gate where scratch would exceed its bound.

// whole is the sort behind the gate, if offered. Its scratch lies where no run's does:
// behind the merge's, that of an argsort before it.
type whole struct {
	offered                    bool
	state, few, control, words plan.Ref // few: keys that the sample lists, and nobody reads
	zeroed                     uint64   // bytes of control
	sets                       uint32
}

// gateWords is the size of the look-back words of a onesweep of all items, and whether
// there can be one.
func (l long) gateWords(c driver.Caps) (words uint64, ok bool) {
	var err error
	if l.p.Mode == plan.Argsort {
		words, err = onesweep.WidePasses{Argsort: onesweep.Argsort{Items: l.p.Items, ValueBytes: l.p.ValueBytes, Each: true}}.WordsBytes(c)
	} else {
		words, err = onesweep.PortionBytes(l.p, c)
	}
	return words, l.buckets.items != 0 && err == nil
}

// newWhole reserves the scratch, nothing if words is 0.
func (l long) newWhole(b *plan.Builder, words uint64) whole {
	if words == 0 {
		return whole{}
	}
	sets, controls := onesweep.WordSets(words), uint64(1)
	if l.p.Mode == plan.Argsort {
		sets, controls = 1, wideControls
	}
	return whole{
		offered: true,
		state:   b.Scratch("state of the whole", stateBytes),
		few:     b.Scratch("few keys", layout.MsdFewBytes),
		control: b.Scratch("control", controls*onesweep.ControlBytes),
		zeroed:  controls * onesweep.ControlBytes,
		words:   b.Scratch("look-back", uint64(sets)*words),
		sets:    sets,
	}
}

// gate is the argument of launches that are to do nothing if onesweep sorts.
func (w whole) gate() plan.Arg {
	if !w.offered {
		return noGate
	}
	return plan.At(w.state)
}

// probe appends the launch that clears the scratch and sets the gate. A bucket of the
// whole input with a larger share than a run's blocks take is too large in one of the
// runs, too: so the sample's thresholds are those of a run.
func (w whole) probe(b *plan.Builder, l long, c driver.Caps) {
	if !w.offered {
		return
	}
	z := zeroedUpTo(w.state, w.control, w.control.Off+w.zeroed)
	g, few := gate{whole: true, outer: noGate}, plan.U64(0)
	if l.repeated {
		few = plan.At(w.few)
	}
	sample(b, l.p, c, z, few, l.buckets, g)
}

// sort appends onesweep, in the second buffers of the merge.
func (w whole) sort(b *plan.Builder, p plan.Problem, c driver.Caps, m merge.Runs) error {
	if !w.offered {
		return nil
	}
	keys, values := m.Second()
	return onesweep.Gated{Gate: w.state, Control: w.control, Words: w.words, Sets: w.sets, Keys: keys, Values: values}.Append(b, p, c)
}

// argsort appends the argsort of the whole, by passes with the given A, B and ValuesA.
func (w whole) argsort(b *plan.Builder, p plan.Problem, c driver.Caps, passes onesweep.WidePasses) error {
	passes.Label, passes.Gate, passes.Control, passes.Words = "fallback", w.state, w.control, w.words
	passes.Items, passes.ValueBytes, passes.Codec, passes.Each = p.Items, p.ValueBytes, p.Codec(), true
	passes.Keys, passes.ValuesIO = plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
	if err := sortWide(b, p, c, passes); err != nil {
		return err
	}
	onesweep.FinishArgsort(b, p, c, w.control)
	return nil
}
