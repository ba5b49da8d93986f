package msd

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// Pairs of 32-bit keys beyond what two splits take: few different keys and few unlisted ones are
// sorted by their dictionary ranks, as fewer pairs are, anything else by onesweep's passes in one
// launch, with the tiles of gated sorts, which suit large inputs.

// isBeyond reports whether p is sorted that way, if at all.
func isBeyond(p plan.Problem, c driver.Caps) bool {
	most := mostAtOnce(p, c)
	return p.Mode == plan.Pairs && p.Type.Bits() == 32 && most != 0 && p.Items > most
}

func supportsBeyond(p plan.Problem, c driver.Caps) error {
	if err := newEnough(c); err != nil {
		return err
	}
	if _, err := onesweep.WordsBytes(p, c); err != nil {
		return err
	}
	if need, limit := sampleShared(minBits), max(c.SharedPerBlock, c.SharedPerBlockMax); uint64(need) > limit {
		return algo.Unsupported("radix-msd needs %d bytes of shared memory per block for its sample, %s has %d", need, c.Name, limit)
	}
	return nil
}

// buildBeyond plans the sort of p. The sample is told that a bucket holds one key. Of its
// 4,096 keys more are in one of 1<<minBits buckets than that allows (TestBeyond): so it sends
// all that is not few keys to onesweep, sorted and reversed input too.
func buildBeyond(p plan.Problem, c driver.Caps) (plan.Plan, error) {
	b := plan.NewBuilder("radix-msd", p)
	b.Overlap(tune.SM90(c))
	words, err := onesweep.WordsBytes(p, c)
	if err != nil {
		return plan.Plan{}, err
	}
	state := b.Scratch("state", stateBytes)
	few := fewKeysOf(p, c)
	dictionary := few.clear(b)
	control := b.Scratch("control", onesweep.ControlBytes)
	zeroed := zeroedUpTo(state, control, control.Off+onesweep.ControlBytes)
	sets := onesweep.WordSets(words)
	lookBack := b.Scratch("look-back", uint64(sets)*words)
	few.room(b)
	keys := b.Scratch("keys", p.KeyBytes())
	values := b.Scratch("values", p.ValuesBytes()+fewPad)
	sample(b, p, c, zeroed, dictionary, bucketing{items: p.Items, total: minBits, capacity: 1}, gate{whole: true, outer: noGate})
	few.append(b, p, state, keys, values, control, lookBack, uint64(sets)*words)
	err = onesweep.Gated{Gate: state, Control: control, Words: lookBack, Sets: sets, Keys: keys, Values: values}.Append(b, p, c)
	b.Passes(p.Type.Bytes())
	return b.Plan(), err
}
