// Package msd plans a most-significant-digit radix sort of keys alone, which
// may be unstable since equal keys are the same bits, and of words that hold key
// and place, all different, for argsort. It reads and writes the keys three times,
// where onesweep needs four passes for 32 bits and eight for 64:
//
//	sample     upper bits that all keys share, skew that onesweep sorts faster
//	histogram  bucket sizes by the top 10 to 16 bits, order of neighbours
//	scan       their prefix sums, the largest bucket
//	prepare    the route, places for the splits
//	first      split by half of those bits, caller's buffer to scratch
//	second     split by the other half, back to the caller's buffer
//	halves     a block sorts a bucket in shared memory by the next 16 bits;
//	or runs    runs also fixes up runs of keys that agree in these
//	slow       buckets with too many near-equal keys for the counters, or some more
//	           keys than their block takes, by 12 bits, then by comparisons
//	few        few different keys, which the sample has listed: counted and written anew
//	           (compute capability 9.0)
//
// Inputs
// of 64-bit keys that are too long for two splits are sorted in runs and merged, unless a
// sample of the whole says that onesweep is faster.
//
// The device chooses the route before any key moves: sorted input is left,
// reversed input turned round, and input that would need more than a third split
// is sorted by the gated steps of onesweep behind these. docs/rfcs/0002 has the
// measurements behind the design, docs/rfcs/0004 what argsort adds.
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

const (
	// stateBytes is the size of the sort's state, whose first word is the gate of the
	// fallback.
	stateBytes = layout.MsdStateBytes
	// bucketBlocks is the largest grid of the sort of buckets, a power of two: enough that the last blocks of any
	// device end at about the same time, and few where they find nothing to do (kernels/cuda/block/msd_fields.cuh,
	// eachBucket).
	bucketBlocks = 4096
	// padBytes lie between two cursors.
	padBytes = layout.MsdCursorBytes
	// minBits: a scan block handles 1,024 buckets. maxBits: two splits by 8.
	minBits, maxBits = 10, 16
	// histThreads, scanThreads and prepareThreads are launch bounds.
	histThreads, scanThreads, prepareThreads = layout.MsdHistogramThreads, layout.MsdScanThreads, layout.MsdPrepareThreads
	// extraTiles bounds the incomplete tiles of the second split: two for each
	// of up to 256 parts.
	extraTiles = 512
	// slowMost is the number of keys of the largest bucket that the slow stage takes.
	slowMost = layout.MsdSlowMost
	// minArch is Ampere's: older devices have less shared memory per block than
	// the smallest geometry, or were never measured with so much of it.
	minArch = 80
)

// Algorithm returns the catalogue entry.
func Algorithm() algo.Algorithm {
	return algo.Algorithm{
		Name:     "radix-msd",
		Doc:      "MSD radix sort of keys, pairs and argsort: two splits, then each bucket in shared memory; onesweep on skew",
		Source:   "docs/rfcs/0002-msd-hybrid.md; after Stehle and Jacobsen 2017, arXiv 1611.01137",
		Backends: []string{"cuda"},
		Supports: supports,
		Plan:     Plan,
	}
}

func policy(p plan.Problem, c driver.Caps) (tune.MsdCuda, bool) {
	return tune.MsdCudaFor(tune.CUDATarget(c), p.Type.Bits(), p.ValueBytes)
}

func supports(p plan.Problem, c driver.Caps) error {
	if isLong(p, c) {
		return supportsLong(p, c)
	}
	switch p.Mode {
	case plan.Argsort:
		return supportsArgsort(p, c)
	case plan.Pairs:
		return supportsPairs(p, c)
	}
	pol, ok := policy(p, c)
	if !ok {
		return algo.Unsupported("radix-msd sorts keys of 32 and 64 bits, not of %d bits", p.Type.Bits())
	}
	if least, most := uint64(1)<<pol.Least, mostItems(pol.Mean); p.Items < least || p.Items > most {
		return algo.Unsupported("radix-msd sorts %d to %d keys of %d bits; onesweep sorts any number", least, most, p.Type.Bits())
	}
	return fits(p, c, pol)
}

// newEnough says why the device is too old, if it is.
func newEnough(c driver.Caps) error {
	if c.Arch < minArch {
		return algo.Unsupported("radix-msd needs compute capability %d.%d, %s has %d.%d", minArch/10, minArch%10, c.Name, c.Arch/10, c.Arch%10)
	}
	return nil
}

// fits reports what the device lacks.
func fits(p plan.Problem, c driver.Caps, pol tune.MsdCuda) error {
	if err := newEnough(c); err != nil {
		return err
	}
	if _, err := onesweep.WordsBytes(p, c); err != nil {
		return err // for the fallback
	}
	s := shared(p, c, pol)
	if need, limit := max(s.largest(), sampleShared(bits(p.Items, pol))), max(c.SharedPerBlock, c.SharedPerBlockMax); uint64(need) > limit {
		return algo.Unsupported("radix-msd needs %d bytes of shared memory per block for %d keys, %s has %d", need, p.Items, c.Name, limit)
	}
	return nil
}

// bits is the number of top bits that make the buckets: the fewest that bring
// their mean size to what the policy allows.
func bits(n uint64, pol tune.MsdCuda) uint32 { return bucketBits(n, pol.Mean) }

func bucketBits(n uint64, mean uint32) uint32 {
	b := uint32(minBits)
	for b < maxBits && n > uint64(mean)<<b {
		b++
	}
	return b
}

// halves reports whether 16 bits are left in a bucket.
func halves(p plan.Problem, pol tune.MsdCuda) bool {
	return pol.HalvesThreads != 0 && bits(p.Items, pol)+16 == uint32(p.Type.Bits())
}

// sharedMemory is the dynamic shared memory of the launches in bytes.
type sharedMemory struct{ histogram, first, second, bucket, slow uint32 }

func (s sharedMemory) largest() uint32 { return max(s.histogram, s.first, s.second, s.bucket, s.slow) }

// histogramShared has a counter of 16 bits for each bucket: the number of their bits is an
// argument of the kernel.
func histogramShared(bits uint32) uint32 { return 2 << bits }

// shared is the shared memory of a sort of keys alone.
func shared(p plan.Problem, c driver.Caps, pol tune.MsdCuda) sharedMemory {
	of := func(stage string) uint32 {
		return layout.Shared(tune.CUDATarget(c), "msd", stage, p.Type.Bits(), 0)
	}
	s := sharedMemory{
		histogram: histogramShared(bits(p.Items, pol)),
		first:     of("first"), second: of("second"), bucket: of("runs"), slow: of("slow"),
	}
	if halves(p, pol) {
		s.bucket = of("halves")
	}
	return s
}

// Plan returns the steps. Scratch is a second buffer of keys, for argsort one of
// keys and one of indices (and 2 bytes a key of 4 bytes, a third buffer of keys of 8), plus
// at most 64 MB.
// Launch parameters cannot be set: the kernels are compiled for the policy's.
//
// For fewer keys than Supports accepts the plan is onesweep's: a sort that was
// given to this algorithm but does not fit the device goes in smaller pieces.
func Plan(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	return planBehind(p, c, l, noGate)
}

// planBehind is Plan for a sort that does nothing if the gate outer is open, or for so
// few keys that it is onesweep's, which heeds no gate. Argsorts have none.
func planBehind(p plan.Problem, c driver.Caps, l algo.Params, outer plan.Arg) (plan.Plan, error) {
	if err := supports(p, c); err != nil {
		if few(p, c) {
			return onesweep.Plan(p, c, l)
		}
		return plan.Plan{}, err
	}
	if l.Threads != 0 || l.Blocks != 0 {
		return plan.Plan{}, algo.Unsupported("radix-msd has one geometry; threads and blocks cannot be set")
	}
	if isLong(p, c) {
		return planLong(p, c)
	}
	switch p.Mode {
	case plan.Argsort:
		pol, _ := wordPolicy(c)
		return buildArgsort(p, c, pol)
	case plan.Pairs:
		pol, _ := pairsPolicy(p, c)
		return buildPairs(p, c, pol, outer)
	}
	pol, _ := policy(p, c)
	return build(p, c, pol, outer)
}

// few reports whether only the number of keys is too small.
func few(p plan.Problem, c driver.Caps) bool {
	if c.Arch < minArch {
		return false
	}
	switch p.Mode {
	case plan.Argsort:
		_, ok := wordPolicy(c)
		return ok && p.Type.Bits() >= 32 && p.Items < leastArgsort(p)
	case plan.Pairs:
		pol, ok := pairsPolicy(p, c)
		return ok && p.Items < 1<<pol.Least
	}
	pol, ok := policy(p, c)
	return ok && p.Items < 1<<pol.Least
}

func entry(stage string, p plan.Problem) kernel.ID {
	return kernel.Entry("msd", stage, p.Type.Bits(), 0)
}

// build plans the sort of p, which does nothing if the gate outer is open.
func build(p plan.Problem, c driver.Caps, pol tune.MsdCuda, outer plan.Arg) (plan.Plan, error) {
	b := plan.NewBuilder("radix-msd", p)
	b.Overlap(tune.SM90(c))
	total := bits(p.Items, pol)
	bits1 := (total + 1) / 2
	bits2 := total - bits1
	buckets := uint64(1) << total
	tiles := func(threads, items uint32) uint64 {
		return (p.Items + uint64(threads*items) - 1) / uint64(threads*items)
	}
	secondTiles := tiles(pol.SecondThreads, pol.SecondItems) + extraTiles
	words, err := onesweep.WordsBytes(p, c)
	if err != nil {
		return plan.Plan{}, err
	}

	// All up to the control block are zeroed by the sample.
	state := b.Scratch("state", stateBytes)
	few := fewKeysOf(c)
	dictionary := few.clear(b)
	counts := b.Scratch("counts", 4*buckets)
	control := b.Scratch("control", onesweep.ControlBytes)
	starts := b.Scratch("starts", 4*(buckets+1))
	cursors1 := b.Scratch("cursors", padBytes<<bits1)
	cursors2 := b.Scratch("cursors 2", padBytes*buckets)
	list := b.Scratch("tiles", 16*secondTiles)
	slow := b.Scratch("slow buckets", 4*buckets)
	sets := onesweep.WordSets(words)
	lookBack := b.Scratch("look-back", uint64(sets)*words)
	alt := b.Scratch("keys", p.KeyBytes())

	keys, n, codec := plan.At(plan.Ref{Region: plan.KeysIO}), plan.U32(uint32(p.Items)), plan.U32(uint32(p.Codec()))
	moved := 2 * p.KeyBytes()
	s := shared(p, c, pol)
	// Buckets that no block takes are onesweep's: to split them further took 0.9 to 2.4 times as long on keys as
	// people have them.
	sample(b, p, c, zeroedUpTo(state, counts, control.Off+onesweep.ControlBytes), dictionary, bucketsOf(p, pol), gate{outer: outer})
	b.Launch("histogram", entry("histogram", p), uint32(max(c.ComputeUnits, 1)), histThreads, p.KeyBytes(),
		keys, n, plan.At(state), plan.At(counts), plan.U32(total), codec).SharedBytes = s.histogram
	b.Launch("scan", kernel.Plain("msd", "scan"), uint32(buckets/scanThreads), scanThreads, 8*buckets,
		plan.At(counts), plan.At(starts), plan.At(state))
	b.Launch("prepare", kernel.Plain("msd", "prepare"), 1<<bits1, prepareThreads, 8*buckets,
		plan.At(starts), plan.At(state), plan.At(control), plan.At(cursors1), plan.At(cursors2), plan.At(list),
		plan.At(state), n, plan.U32(bits1), plan.U32(bits2), plan.U32(pol.SecondThreads*pol.SecondItems),
		plan.U32(slowMost), plan.U32(0)) // the slow stage takes more than a bucket's block; no groups
	b.Launch("first split", entry("first", p), uint32(tiles(pol.FirstThreads, pol.FirstItems)), pol.FirstThreads, moved,
		keys, plan.At(alt), n, plan.At(cursors1), plan.At(state), plan.U32(bits1), codec).SharedBytes = s.first
	b.Launch("second split", entry("second", p), uint32(secondTiles), pol.SecondThreads, moved,
		plan.At(alt), keys, plan.At(cursors2), plan.At(list), plan.At(state), plan.U32(bits1), plan.U32(bits2)).SharedBytes = s.second
	grid := uint32(min(buckets, bucketBlocks))
	each := plan.U32(uint32(buckets) / grid)
	if halves(p, pol) {
		b.Launch("sort buckets", entry("halves", p), grid, pol.HalvesThreads, moved,
			keys, plan.At(starts), plan.At(state), plan.At(slow), codec, each).SharedBytes = s.bucket
	} else {
		b.Launch("sort buckets", entry("runs", p), grid, pol.RunsThreads, moved,
			keys, plan.At(starts), plan.At(state), plan.At(slow), plan.U32(total), codec, each).SharedBytes = s.bucket
	}
	b.Launch("sort slow buckets", entry("slow", p), binsBlocks(p, c), pol.SlowThreads, 0,
		keys, plan.At(starts), plan.At(state), plan.At(slow), codec).SharedBytes = s.slow
	if err := few.append(b, p, c, state, fewRoom{}); err != nil {
		return plan.Plan{}, err
	}
	b.Passes(3)
	fallback := onesweep.Gated{Gate: state, Control: control, Words: lookBack, Sets: sets, Keys: alt}
	if err := fallback.Append(b, p, c); err != nil {
		return plan.Plan{}, err
	}
	return b.Plan(), nil
}

// capacity is the largest bucket that a block surely takes: its slots less
// those that lie before the bucket in its first 16 bytes.
func capacity(p plan.Problem, pol tune.MsdCuda) uint32 {
	slots := pol.RunsKeys
	if halves(p, pol) {
		slots = pol.HalvesKeys
	}
	return slots - uint32(16/p.Type.Bytes()) + 1
}

// bucketsOf are the buckets of a sort of p.
func bucketsOf(p plan.Problem, pol tune.MsdCuda) bucketing {
	return bucketing{p.Items, bits(p.Items, pol), capacity(p, pol)}
}

// slowBlocks: two blocks fit a multiprocessor, and each takes buckets until
// none is left.
func slowBlocks(c driver.Caps) uint32 { return 2 * uint32(max(c.ComputeUnits, 1)) }

// binsBlocks is slowBlocks for keys alone, of which the narrow ones leave room for
// one more: the kernel's launch bounds say the same.
func binsBlocks(p plan.Problem, c driver.Caps) uint32 {
	if p.Type.Bits() == 32 {
		return 3 * uint32(max(c.ComputeUnits, 1))
	}
	return slowBlocks(c)
}
