package msd

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

// Pairs are sorted stably: the splits keep the input order within a digit, as
// onesweep's passes do, and a bucket's block sorts by key and place.

const (
	// rowBytes is a tile's look-back words.
	rowBytes = layout.RowBytes
)

func pairsPolicy(p plan.Problem, c driver.Caps) (tune.MsdpairsCuda, bool) {
	return tune.MsdpairsCudaFor(tune.CUDATarget(c), p.Type.Bits(), p.ValueBytes)
}

func supportsPairs(p plan.Problem, c driver.Caps) error {
	pol, ok := pairsPolicy(p, c)
	if !ok {
		return algo.Unsupported("radix-msd sorts pairs with keys of 32 and 64 bits, not of %d bits", p.Type.Bits())
	}
	if least, most := uint64(1)<<pol.Least, mostItems(pol.Mean); p.Items < least || p.Items > most {
		return algo.Unsupported("radix-msd sorts %d to %d pairs with keys of %d bits; onesweep sorts any number", least, most, p.Type.Bits())
	}
	if err := newEnough(c); err != nil {
		return err
	}
	words, err := pairsWords(p, c, pol)
	if err != nil {
		return err // for the fallback
	}
	if words > maxWordsBytes {
		return algo.Unsupported("radix-msd would need %d bytes of look-back words for %d pairs, more than %d; onesweep sorts any number", words, p.Items, maxWordsBytes)
	}
	s := sharedPairs(p, c, pol)
	if need, limit := max(s.largest(), sampleShared(bucketBits(p.Items, pol.Mean))), max(c.SharedPerBlock, c.SharedPerBlockMax); uint64(need) > limit {
		return algo.Unsupported("radix-msd needs %d bytes of shared memory per block for pairs, %s has %d", need, c.Name, limit)
	}
	return nil
}

// pairsTiles bounds the tiles of the second split; the first has fewer.
func pairsTiles(p plan.Problem, pol tune.MsdpairsCuda) uint64 {
	tile := uint64(pol.Threads * pol.Items)
	return (p.Items+tile-1)/tile + extraTiles
}

// pairsWords is the size of the look-back words, which both splits and the
// fallback use in turn.
func pairsWords(p plan.Problem, c driver.Caps, pol tune.MsdpairsCuda) (uint64, error) {
	words, err := onesweep.WordsBytes(p, c)
	return max(words, pairsTiles(p, pol)*rowBytes), err
}

// sharedPairs is the shared memory of a sort of pairs; both splits are one kernel.
func sharedPairs(p plan.Problem, c driver.Caps, pol tune.MsdpairsCuda) sharedMemory {
	of := func(stage string) uint32 {
		return layout.Shared(tune.CUDATarget(c), "msdpairs", stage, p.Type.Bits(), p.ValueBytes)
	}
	split := of("split")
	return sharedMemory{
		histogram: histogramShared(bucketBits(p.Items, pol.Mean)), first: split, second: split, bucket: of("bucket"), slow: of("slow"),
	}
}

// bucketsOfPairs are those of a sort of p.
func bucketsOfPairs(p plan.Problem, pol tune.MsdpairsCuda) bucketing {
	return bucketing{p.Items, bucketBits(p.Items, pol.Mean), pol.BucketThreads * pol.BucketItems}
}

// buildPairs plans the sort of p, which does nothing if the gate outer is open.
func buildPairs(p plan.Problem, c driver.Caps, pol tune.MsdpairsCuda, outer plan.Arg) (plan.Plan, error) {
	b := plan.NewBuilder("radix-msd", p)
	b.Overlap(tune.SM90(c))
	total := bucketBits(p.Items, pol.Mean)
	bits1 := (total + 1) / 2
	bits2 := total - bits1
	buckets, tiles := uint64(1)<<total, pairsTiles(p, pol)
	words, err := pairsWords(p, c, pol)
	if err != nil {
		return plan.Plan{}, err
	}

	// All up to the look-back words are zeroed by the sample.
	state := b.Scratch("state", stateBytes)
	few := fewKeysOf(c)
	dictionary := few.clear(b)
	counts := b.Scratch("counts", 4*buckets)
	few.clearPass(b, p)
	control := b.Scratch("control", onesweep.ControlBytes)
	sets := onesweep.WordSets(words)
	lookBack := b.Scratch("look-back", uint64(sets)*words)
	second := lookBack.Add(uint64(sets-1) * words) // of the second split
	starts := b.Scratch("starts", 4*(buckets+1))
	list := b.Scratch("tiles", 16*tiles)
	slow := b.Scratch("slow buckets", 4*buckets)
	altKeys := b.Scratch("keys", p.KeyBytes())
	altValues := b.Scratch("values", p.ValuesBytes())

	keys, values := plan.At(plan.Ref{Region: plan.KeysIO}), plan.At(plan.Ref{Region: plan.ValuesIO})
	n, codec := plan.U32(uint32(p.Items)), plan.U32(uint32(p.Codec()))
	tile := pol.Threads * pol.Items
	moved := 2 * (p.KeyBytes() + p.ValuesBytes())
	stage := func(name string) kernel.ID { return kernel.Entry("msdpairs", name, p.Type.Bits(), p.ValueBytes) }
	s := sharedPairs(p, c, pol)
	grid := uint32(max(c.ComputeUnits, 1)) * pol.Blocks

	sample(b, p, c, zeroedUpTo(state, counts, second.Off+words), dictionary, bucketsOfPairs(p, pol), gate{outer: outer})
	b.Launch("histogram", entry("histogram", p), uint32(max(c.ComputeUnits, 1)), histThreads, p.KeyBytes(),
		keys, n, plan.At(state), plan.At(counts), plan.U32(total), codec).SharedBytes = s.histogram
	b.Launch("scan", kernel.Plain("msd", "scan"), uint32(buckets/scanThreads), scanThreads, 8*buckets,
		plan.At(counts), plan.At(starts), plan.At(state))
	b.Launch("prepare", kernel.Plain("msdpairs", "prepare"), 1<<bits1, prepareThreads, 8*buckets,
		plan.At(starts), plan.At(state), plan.At(control), plan.At(list), n, plan.U32(bits1), plan.U32(bits2),
		plan.U32(tile), plan.U32(pol.BucketThreads*pol.BucketItems))
	b.Launch("first split", stage("split"), min(grid, uint32(tiles)), pol.Threads, moved,
		keys, values, plan.At(altKeys), plan.At(altValues), plan.At(starts), plan.U64(0), plan.At(lookBack), plan.At(state),
		n, plan.U32(bits1), plan.U32(0), plan.U32(bits2), codec).SharedBytes = s.first
	if sets == 1 {
		b.Memset("clear look-back", lookBack, 0, tiles*rowBytes)
	}
	b.Launch("second split", stage("split"), min(grid, uint32(tiles)), pol.Threads, moved,
		plan.At(altKeys), plan.At(altValues), keys, values, plan.At(starts), plan.At(list), plan.At(second), plan.At(state),
		n, plan.U32(bits2), plan.U32(bits1), plan.U32(0), plan.U32(0)).SharedBytes = s.second
	b.Launch("sort buckets", stage("bucket"), uint32(buckets), pol.BucketThreads, moved,
		keys, values, plan.At(starts), plan.At(state), plan.At(slow), plan.U32(total), codec).SharedBytes = s.bucket
	b.Launch("sort slow buckets", stage("slow"), slowBlocks(c), pol.SlowThreads, 0,
		keys, values, plan.At(starts), plan.At(state), plan.At(slow), codec).SharedBytes = s.slow
	if err := few.append(b, p, c, state, fewRoom{altKeys, altValues, lookBack, words / rowBytes}); err != nil {
		return plan.Plan{}, err
	}
	fallback := onesweep.Gated{Gate: state, Control: control, Words: lookBack, Sets: sets, Keys: altKeys, Values: altValues}
	if err := fallback.Append(b, p, c); err != nil {
		return plan.Plan{}, err
	}
	b.Passes(3)
	return b.Plan(), nil
}
