package counting

import (
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/lsd"
	"github.com/gpusort/gpusort/internal/algo/onesweep"
	"github.com/gpusort/gpusort/internal/driver"
	kernels "github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	// cacheBytes is the shared memory of tally. Distinct keys are counted in a table.
	cacheBytes  = kernels.CountingCacheBytes
	maxDistinct = kernels.CountingMaxDistinct
	tableSlots  = kernels.CountingTableSlots
	tableBytes  = kernels.CountingTableBytes
	// Counters in device memory: 16 bits' worth at least, so that narrow keys
	// never need more; as many as keys times manyPerKey, beyond which most
	// counters would be empty; mostCounters, 32 MB, so that scratch stays small.
	leastCounters = 1 << 16
	mostCounters  = 1 << 23
	manyPerKey    = 4
	// gatherThreads is a launch bound.
	gatherThreads = 256
)

// RangeAlgorithm returns counting-range, for keys of any range.
func RangeAlgorithm() algo.Algorithm {
	return algo.Algorithm{
		Name:     "counting-range",
		Doc:      "counting sort of any range: dense in shared or device memory, sparse by distinct keys, else a radix sort",
		Source:   "report 001's wish; docs/algorithms/counting.md",
		Study:    true,
		Scans:    true,
		Backends: []string{"cuda", "opencl"},
		Supports: func(p plan.Problem, c driver.Caps) error { return supportsRange(p, c, algo.Params{}) },
		Plan:     makeRangePlan, SupportsWith: supportsRange,
	}
}

// globalCounters is the widest range that is counted densely.
func globalCounters(n uint64) uint64 {
	return min(mostCounters, max(leastCounters, manyPerKey*n))
}

// sharedCounters is the widest range that is counted in shared memory: what lets
// two blocks share a multiprocessor, since the range is not known when the
// memory is asked for. CUDA reserves 1 KB for each block.
func sharedCounters(c driver.Caps) uint64 {
	limit := sharedLimit(c)
	if half := c.SharedPerUnit / 2; half > 1024 {
		limit = min(limit, half-1024)
	}
	return min(limit/4, leastCounters)
}

func supportsRange(p plan.Problem, c driver.Caps, l algo.Params) error {
	if err := common("counting-range", p, c, l); err != nil {
		return err
	}
	if c.Backend == "cuda" && sharedLimit(c) < cacheBytes {
		return algo.Unsupported("counting-range needs %d bytes of shared memory per block, %s has %d", cacheBytes, c.Name, sharedLimit(c))
	}
	if wide(p) {
		if err := canFallBack(p, c); err != nil {
			return err // for what cannot be counted
		}
	}
	_, err := prefixSum(c, l, globalCounters(p.Items))
	return err
}

// canFallBack says why no radix sort takes what cannot be counted, or returns nil.
func canFallBack(p plan.Problem, c driver.Caps) error {
	if c.Backend != "cuda" {
		return lsd.Algorithm.Check(p, c)
	}
	_, err := onesweep.PortionBytes(p, c)
	return err
}

// wide reports whether a range may be too wide to be counted densely.
func wide(p plan.Problem) bool { return p.Type.Bits() > 16 }

func makeRangePlan(p plan.Problem, c driver.Caps, l algo.Params) (plan.Plan, error) {
	if err := supportsRange(p, c, l); err != nil {
		return plan.Plan{}, err
	}
	b := plan.NewBuilder("counting-range", p)
	if p.Items <= 1 {
		return b.Plan(), nil
	}
	g, err := layoutOf(p, c, l)
	if err != nil {
		return plan.Plan{}, err
	}
	counters := globalCounters(p.Items)
	sum, err := prefixSum(c, l, counters)
	if err != nil {
		return plan.Plan{}, err
	}
	r := ranger{b: b, p: p, c: c, g: g, counters: counters}
	r.state = b.Scratch("state", stateBytes)
	clear := uint64(stateBytes)
	if wide(p) {
		r.table = b.Scratch("distinct keys", tableBytes)
		clear = r.table.Off + tableBytes - r.state.Off
	}
	var radix onesweep.Gated
	gated := wide(p) && c.Backend == "cuda"
	if gated {
		radix = onesweep.Gated{Gate: r.state.Add(routeOff), Control: b.Scratch("control", onesweep.ControlBytes), Sets: 1}
		clear = radix.Control.Off + onesweep.ControlBytes - r.state.Off
	}
	b.Memset("clear state", r.state, 0, clear)
	if gated {
		// The radix sort begins where nobody reads counters any more.
		words, err := onesweep.PortionBytes(p, c)
		if err != nil {
			return plan.Plan{}, err
		}
		r.counts = b.Scratch("counters, then look-back", max(4*counters, words))
		radix.Words = r.counts
	} else {
		r.counts = b.Scratch("counters", 4*counters)
	}
	r.encodedKeys = r.counts
	r.dense()
	if wide(p) {
		r.sparse()
	}
	limit := r.state.Add(binsOff)
	sum.Append(b, algo.Sum{Data: r.counts, Items: counters, Bits: 32, Limit: &limit}, c, algo.Params{})
	g.fill(b, p, c, r.state, r.counts, r.encodedKeys, span{}, true)
	switch {
	case gated:
		radix.Keys = b.Scratch("keys", p.KeyBytes())
		if err := radix.Append(b, p, c); err != nil {
			return plan.Plan{}, err
		}
	case wide(p):
		// It finds sorted what could be counted, and then moves nothing.
		if err := lsd.Append(b, p, c); err != nil {
			return plan.Plan{}, err
		}
	}
	b.Passes(1)
	return b.Plan(), nil
}

// ranger appends the stages of counting-range before the prefix sum.
type ranger struct {
	b        *plan.Builder
	p        plan.Problem
	c        driver.Caps
	g        layout
	counters uint64

	state, table, counts, encodedKeys plan.Ref
}

// dense appends range, route, clear and count, and tally for what shared memory
// cannot count.
func (r *ranger) dense() {
	p, c, g := r.p, r.c, r.g
	codec, n := plan.U32(uint32(p.Codec())), plan.U64(p.Items)
	grid := g.grid(p.Items, p, g.perUnit, g.threads)
	if g.cuda {
		r.b.Launch("range", entry("range", p, c), grid, g.threads, p.KeyBytes(), plan.At(keys), n, plan.At(r.state), codec)
	} else {
		parts := r.b.Scratch("ranges of groups", 16*uint64(grid))
		r.b.Launch("range", entry("range", p, c), grid, g.threads, p.KeyBytes(), plan.At(keys), n, plan.At(parts), codec).SharedBytes = 16 * g.threads
		r.b.Launch("join ranges", plain("join", p, c), 1, 1, 0, plan.At(parts), plan.U32(grid), plan.At(r.state))
	}
	r.b.Launch("choose how to count", plain("route", p, c), 1, 1, 0,
		plan.At(r.state), plan.U32(uint32(sharedCounters(c))), plan.U32(uint32(r.counters)))
	r.b.Launch("clear counters", plain("clear", p, c), g.grid(r.counters, p, g.fillPerUnit, g.fillThreads), g.fillThreads, 0, plan.At(r.state), plan.At(r.counts))
	g.count(r.b, p, c, r.state, r.counts, span{bins: sharedCounters(c)}, true)
	table := r.table
	if !wide(p) {
		table = r.state // no route leads there
	}
	tally := r.b.Launch("count in device memory", entry("tally", p, c), grid, g.threads, 0,
		plan.At(keys), n, plan.At(r.state), plan.At(r.counts), plan.At(table), codec)
	if g.cuda {
		tally.SharedBytes = cacheBytes
	}
}

// sparse appends gather and rank: distinct keys in order become the counters.
func (r *ranger) sparse() {
	unordered := r.b.Scratch("encoded keys", 8*maxDistinct)
	tallies := r.b.Scratch("their counters", 4*maxDistinct)
	r.encodedKeys = r.b.Scratch("encoded keys in order", 8*maxDistinct)
	threads := algo.GroupThreads(r.c, gatherThreads)
	r.b.Launch("gather distinct keys", entry("gather", r.p, r.c), tableSlots/threads, threads, 0,
		plan.At(keys), plan.At(r.state), plan.At(r.table), plan.At(unordered), plan.At(tallies), plan.U32(uint32(r.p.Codec())))
	r.b.Launch("rank distinct keys", plain("rank", r.p, r.c), maxDistinct/threads, threads, 0,
		plan.At(r.state), plan.At(unordered), plan.At(tallies), plan.At(r.encodedKeys), plan.At(r.counts))
}
