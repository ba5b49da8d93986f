package msd

import (
	"fmt"
	mathbits "math/bits"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/tune"
)

const (
	// roomPad: places behind an odd number of 4-byte keys are aligned to 8.
	roomPad = 16
	// maxWordsBytes bounds the look-back memory, so that all scratch beyond n
	// keys and n indices stays below 64 MB.
	maxWordsBytes = 54 << 20
	// maxWordsAtOnce bounds those of all passes of a fallback together; beyond, they
	// are cleared before each pass, a launch of some microseconds more, or before each of
	// its portions of so many.
	maxWordsAtOnce = 32 << 20
	// Smallest inputs as powers of 2, by key width: below them some 30 launches
	// of about 2 microseconds, half of them empty, cost more than onesweep loses.
	leastArgsort32, leastArgsort64 = 24, 22
	// mostArgsort: what has too many keys for two splits, of 64-bit keys also for two
	// runs (long_argsort.go), is the fallback's, like skew. onesweep sorts the rest.
	mostArgsort = 1 << 30
)

// wordPolicy is the geometry of argsort: that of the words which are sorted.
func wordPolicy(c driver.Caps) (tune.MsdCuda, bool) {
	return tune.MsdCudaFor(tune.CUDATarget(c), 64, 0)
}

func leastArgsort(p plan.Problem) uint64 {
	if p.Type.Bits() == 32 {
		return 1 << leastArgsort32
	}
	return 1 << leastArgsort64
}

func supportsArgsort(p plan.Problem, c driver.Caps) error {
	pol, ok := wordPolicy(c)
	if !ok || p.Type.Bits() < 32 {
		return algo.Unsupported("radix-msd argsorts keys of 32 and 64 bits, not of %d; onesweep takes any", p.Type.Bits())
	}
	if least, most := leastArgsort(p), uint64(mostArgsort); p.Items < least || p.Items > most {
		return algo.Unsupported("radix-msd argsorts %d to %d keys of %d bits; onesweep takes any number", least, most, p.Type.Bits())
	}
	return fitsArgsort(p, c, pol)
}

// fitsArgsort reports what the device lacks.
func fitsArgsort(p plan.Problem, c driver.Caps, pol tune.MsdCuda) error {
	if err := newEnough(c); err != nil {
		return err
	}
	if _, err := (&argsort{p: p, c: c, atOnce: maxWordsAtOnce}).lookBackBytes(); err != nil {
		return err // for the fallback
	}
	s := sharedArgsort(p, c, pol)
	if need, limit := max(s.largest(), sampleShared(bits(p.Items, pol))), max(c.SharedPerBlock, c.SharedPerBlockMax); uint64(need) > limit {
		return algo.Unsupported("radix-msd needs %d bytes of shared memory per block for argsort, %s has %d", need, c.Name, limit)
	}
	return nil
}

// sharedArgsort is the shared memory of an argsort's launches.
func sharedArgsort(p plan.Problem, c driver.Caps, pol tune.MsdCuda) sharedMemory {
	of := func(stage string, bits, valueBytes int) uint32 {
		return layout.Shared(tune.CUDATarget(c), "msd", stage, bits, valueBytes)
	}
	return sharedMemory{
		histogram: histogramShared(bits(p.Items, pol)),
		first:     of("pack", p.Type.Bits(), 0),
		second:    of("group", 0, 0),
		bucket:    of("indices", p.Type.Bits(), p.ValueBytes),
		slow:      of("slowindices", p.Type.Bits(), p.ValueBytes),
	}
}

// argsort collects the steps of one.
type argsort struct {
	b   *plan.Builder
	p   plan.Problem
	c   driver.Caps
	pol tune.MsdCuda

	bits1, bits2    uint32
	keys, indices   plan.Ref // the caller's
	state, control  plan.Ref
	controls        plan.Ref // of the fallback; control may be the first
	groups          plan.Ref
	starts, slow    plan.Ref
	cursors2, tiles plan.Ref
	room            plan.Ref // of the size of all keys and indices

	// Of the fallback.
	lookBack plan.Ref
	upper    plan.Ref // n keys of 16 bits
	atOnce   uint64   // most bytes of look-back words of all passes
	eachPass bool     // there would be more: they serve one pass, or a portion of it
	second   plan.Ref // n keys of 64 bits
}

// parts is the number of groups; see MsdGroups and msdPrepare. With indices of 4
// bytes and keys of 4, scratch has room for n words and no more.
func (a *argsort) parts() uint32 {
	if a.p.Type.Bytes()+a.p.ValueBytes == 8 {
		return 3
	}
	return 2
}

// spare is where the first group's words go.
func (a *argsort) spare() plan.Ref {
	if a.parts() == 3 {
		return a.indices
	}
	return a.room.Add(8 * a.p.Items)
}

func buildArgsort(p plan.Problem, c driver.Caps, pol tune.MsdCuda) (plan.Plan, error) {
	return buildArgsortWith(p, c, pol, maxWordsAtOnce)
}

// buildArgsortWith is buildArgsort with another argsort.atOnce.
func buildArgsortWith(p plan.Problem, c driver.Caps, pol tune.MsdCuda, atOnce uint64) (plan.Plan, error) {
	a := &argsort{b: plan.NewBuilder("radix-msd", p), p: p, c: c, pol: pol, atOnce: atOnce}
	a.b.Overlap(tune.SM90(c))
	a.keys, a.indices = plan.Ref{Region: plan.KeysIO}, plan.Ref{Region: plan.ValuesIO}
	total := bits(p.Items, pol)
	a.bits1 = (total + 1) / 2
	a.bits2 = total - a.bits1
	words, err := a.lookBackBytes()
	if err != nil {
		return plan.Plan{}, err
	}
	buckets := uint64(1) << total
	b := a.b
	// All up to the control blocks are zeroed by the sample.
	a.state = b.Scratch("state", stateBytes)
	few := fewKeysOf(c)
	dictionary := few.clear(b)
	counts := b.Scratch("counts", 4*buckets)
	few.clearPass(b, p)
	controls := a.controlBlocks() * onesweep.ControlBytes
	if p.Type.Bits() == 64 {
		// One of them is the last launch's: if the histogram of the fallback finds the keys in
		// order, that launch writes the indices.
		a.control = b.Scratch("control", controls)
		a.controls = a.control
	} else {
		a.control = b.Scratch("control", onesweep.ControlBytes)
		a.controls = b.Scratch("controls of the fallback", controls)
	}
	zeroed := zeroedUpTo(a.state, counts, a.controls.Off+controls)
	a.groups = b.Scratch("groups", layout.MsdGroupsBytes)
	a.starts = b.Scratch("starts", 4*(buckets+1))
	cursors1 := b.Scratch("cursors", padBytes<<a.bits1)
	a.cursors2 = b.Scratch("cursors 2", padBytes*buckets)
	a.tiles = b.Scratch("tiles", 16*(a.secondTiles(p.Items)))
	a.slow = b.Scratch("slow buckets", 4*buckets)
	if p.Type.Bits() == 64 {
		a.second = b.Scratch("keys 2", p.KeyBytes())
	} else {
		a.upper = b.Scratch("upper halves", 2*p.Items)
	}
	a.lookBack = b.Scratch("look-back", words)
	a.room = b.Scratch("keys and indices", p.KeyBytes()+p.ValuesBytes()+roomPad)

	n, codec := plan.U32(uint32(p.Items)), plan.U32(uint32(p.Codec()))
	bits1, bits2 := plan.U32(a.bits1), plan.U32(a.bits2)
	s := sharedArgsort(p, c, pol)
	wordsBytes := 8 * p.Items
	keyEntry := func(stage string) kernel.ID { return kernel.Entry("msd", stage, p.Type.Bits(), 0) }
	sample(b, p, c, zeroed, dictionary, bucketing{p.Items, total, pol.RunsKeys - 1}, alone)
	b.Launch("histogram", keyEntry("histogram"), uint32(max(c.ComputeUnits, 1)), histThreads, p.KeyBytes(),
		plan.At(a.keys), n, plan.At(a.state), plan.At(counts), plan.U32(total), codec).SharedBytes = s.histogram
	b.Launch("scan", kernel.Plain("msd", "scan"), uint32(buckets/scanThreads), scanThreads, 8*buckets,
		plan.At(counts), plan.At(a.starts), plan.At(a.state))
	b.Launch("prepare", kernel.Plain("msd", "prepare"), 1<<a.bits1, prepareThreads, 8*buckets,
		plan.At(a.starts), plan.At(a.state), plan.At(a.control), plan.At(cursors1), plan.At(a.cursors2), plan.At(a.tiles), plan.At(a.groups),
		n, bits1, bits2, plan.U32(pol.SecondThreads*pol.SecondItems), plan.U32(pol.RunsKeys-1), plan.U32(a.parts()))
	firstTile := uint64(pol.FirstThreads * pol.FirstItems)
	b.Launch("first split", keyEntry("pack"), uint32((p.Items+firstTile-1)/firstTile), pol.FirstThreads, p.KeyBytes()+wordsBytes,
		plan.At(a.keys), plan.At(a.room), n, plan.At(cursors1), plan.At(a.state), bits1, codec, a.indexBits()).SharedBytes = s.first
	for g := range a.parts() {
		a.group(g, s)
	}
	if err := few.append(b, p, c, a.state, fewRoom{ranks: a.room, words: a.lookBack, rows: words / rowBytes}); err != nil {
		return plan.Plan{}, err
	}
	if err := a.fallback(); err != nil {
		return plan.Plan{}, err
	}
	onesweep.FinishArgsort(b, p, c, a.control)
	b.Passes(3)
	return b.Plan(), nil
}

// indexBits is how many low bits of a word hold the place: 32 beside 32 bits of
// key; else as few as will do, to keep the most of the key.
func (a *argsort) indexBits() plan.Arg {
	if a.p.Type.Bits() == 32 {
		return plan.U32(32)
	}
	return plan.U32(a.placeBits())
}

// placeBits is how many bits a place takes.
func (a *argsort) placeBits() uint32 { return uint32(max(mathbits.Len64(a.p.Items-1), 16)) }

// secondTiles bounds the tiles of the second split of n items.
func (a *argsort) secondTiles(n uint64) uint64 {
	tile := uint64(a.pol.SecondThreads * a.pol.SecondItems)
	return (n+tile-1)/tile + extraTiles
}

// group appends the steps of group g. Its items are at most what msdPrepare
// says; its buckets may be more than the grid.
func (a *argsort) group(g uint32, s sharedMemory) {
	p, b, parts := a.p, a.b, a.parts()
	most := p.Items / uint64(parts)
	switch {
	case parts == 3 && g == 2:
		most = p.Items / 2
	case parts == 2 && g == 1:
		most = p.Items / 8 * 5
	}
	label := func(what string) string { return fmt.Sprintf("%s, group %d", what, g) }
	entry := func(stage string) kernel.ID { return kernel.Entry("msd", stage, p.Type.Bits(), p.ValueBytes) }
	group, codec := plan.U32(g), plan.U32(uint32(p.Codec()))
	bits1, bits2 := plan.U32(a.bits1), plan.U32(a.bits2)
	words := 8 * p.Items / uint64(parts)
	b.Launch(label("second split"), kernel.Plain("msd", "group"), uint32(a.secondTiles(most)), a.pol.SecondThreads, 2*words,
		plan.At(a.room), plan.At(a.spare()), plan.At(a.cursors2), plan.At(a.tiles), plan.At(a.state), plan.At(a.groups), group, bits1, bits2).SharedBytes = s.second
	// A sixteenth more than the mean, since groups end where parts do.
	grid := uint32(1) << (a.bits1 + a.bits2) / parts
	b.Launch(label("sort buckets"), entry("indices"), grid+grid/16, a.pol.RunsThreads, words+p.ValuesBytes()/uint64(parts),
		plan.At(a.keys), plan.At(a.room), plan.At(a.spare()), plan.At(a.indices), plan.At(a.starts), plan.At(a.state), plan.At(a.groups), plan.At(a.slow),
		group, bits1, bits2, codec, a.indexBits()).SharedBytes = s.bucket
	b.Launch(label("sort slow buckets"), entry("slowindices"), slowBlocks(a.c), a.pol.SlowThreads, 0,
		plan.At(a.keys), plan.At(a.room), plan.At(a.spare()), plan.At(a.indices), plan.At(a.starts), plan.At(a.state), plan.At(a.groups), plan.At(a.slow),
		group, bits2, codec, a.indexBits(), plan.U32(a.placeBits())).SharedBytes = s.slow
}
