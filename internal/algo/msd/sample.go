package msd

import (
	"math"
	"slices"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel/layout"
	"github.com/gpusort/gpusort/internal/plan"
)

const (
	// The sample: its keys, the most bits of a bucket that it counts, the launch's threads.
	sampleKeys, sampleBits, sampleThreads = layout.MsdSampleKeys, layout.MsdSampleBits, layout.MsdSampleThreads
	// sampleDigits and sampleDigitsAlone are the most digits in which keys that must repeat may
	// vary for onesweep to make as many passes instead: four stable ones cost no more
	// than two splits with places; of keys alone, whose splits are cheaper, three do not.
	sampleDigits, sampleDigitsAlone = 4, 3
)

// doubt bounds the probability that the sample takes buckets which blocks can sort for too large: what it
// may be, and how many standard deviations of a normal distribution leave so much.
type doubt struct{ errors, deviations float64 }

// Of a sort by itself, or a run, skew that the sample misses costs no more than the histogram: onesweep follows.
// Of a whole in runs each run pays that, and the merges come on top, which is as long as what an error costs
// (3·10^8 snowflakes 13.8 ms instead of onesweep's 8.9, uniform keys 9.1 instead of 14.9, H200). So an error may
// be as likely as a miss.
var aloneDoubt, wholeDoubt = doubt{1e-9, 6}, doubt{0.05, 1.6}

// sampleShared is the shared memory of the sample in bytes, for buckets of `total`
// bits.
func sampleShared(total uint32) uint32 { return 4 << min(total, sampleBits) }

// zeroed is scratch that the sample's launch clears, in bytes: all of it, from the
// sort's state on, and the head, which the sample writes to.
type zeroed struct {
	state     plan.Ref
	head, all uint64
}

// zeroedUpTo is what lies from state up to end; the sample writes below head.
func zeroedUpTo(state, head plan.Ref, end uint64) zeroed {
	return zeroed{state, head.Off - state.Off, end - state.Off}
}

// args are the last of the launch's. Vectors have 16 bytes.
func (z zeroed) args() []plan.Arg {
	return []plan.Arg{plan.U32(uint32(z.head / 16)), plan.U32(uint32((z.all + 15) / 16))}
}

// blocks is the launch's number: one for the sample, beside others that clear 16 KiB at
// a time, at most as many as the device has multiprocessors.
func (z zeroed) blocks(c driver.Caps) uint32 {
	chunks := (z.all - z.head + 16*sampleThreads - 1) / (16 * sampleThreads)
	return 1 + uint32(min(chunks, uint64(max(c.ComputeUnits, 2))-1))
}

// bucketing is how a sort of so many items makes buckets: the number of bits that make one, what a
// block surely takes of one.
type bucketing struct {
	items           uint64
	total, capacity uint32
}

// of returns the sample's digit, of at most `most` bits, and what blocks take of the keys
// that have one in common.
func (k bucketing) of(most uint32) (bits uint32, capacity uint64) {
	bits = min(k.total, most)
	return bits, uint64(k.capacity) << (k.total - bits)
}

// gate is a sample's part in a long sort (long_gate.go): of the whole input, or of a run,
// behind the gate `outer`. Of a sort by itself it is alone.
type gate struct {
	whole bool
	outer plan.Arg
}

var noGate = plan.U64(0)
var alone = gate{outer: noGate}

func (g gate) doubt() doubt {
	if g.whole {
		return wholeDoubt
	}
	return aloneDoubt
}

func (g gate) args() []plan.Arg { return []plan.Arg{plan.Bool(g.whole), g.outer} }

// sample appends the launch that clears the scratch and sends skewed input to onesweep
// before the histogram. few is where the keys go if they
// are few different ones, or 0.
func sample(b *plan.Builder, p plan.Problem, c driver.Caps, z zeroed, few plan.Arg, k bucketing, g gate) {
	bits, capacity := k.of(sampleBits)
	digits := uint32(sampleDigits)
	if p.Mode == plan.Keys {
		digits = sampleDigitsAlone
	}
	args := []plan.Arg{
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.U32(uint32(p.Items)), plan.At(z.state), few, plan.U32(bits),
		plan.U32(sampleLeast(k.items, bits, capacity, g.doubt())), plan.U32(sampleMeetings(k.items, capacity, g.doubt())), plan.U32(uint32(p.Codec())), plan.U32(digits),
	}
	b.Launch("sample", entry("sample", p), z.blocks(c), sampleThreads, sampleKeys*uint64(p.Type.Bytes())+z.all,
		slices.Concat(args, z.args(), g.args())...).SharedBytes = sampleShared(k.total)
}

// sampleLeast is the least number of sampled keys in one bucket that shows with a
// certainty of 1 − d.errors that some of 1<<bits buckets has more than capacity
// of n keys, by the bound that the kernel states.
func sampleLeast(n uint64, bits uint32, capacity uint64, d doubt) uint32 {
	mean := float64(capacity) / float64(n/sampleKeys)
	limit := math.Log(d.errors) - float64(bits)*math.Ln2
	least := math.Floor(mean) + 1
	for least-mean+least*math.Log(mean/least) > limit {
		least++
	}
	return uint32(least)
}

// sampleMeetings bounds how many keys of the sample others meet in their bucket,
// summed over the keys, if no bucket has more than capacity of n keys: the mean
// N(N-1)p for buckets with a share of at most p, and some standard deviations more. A
// key's number of others has about the variance of a Poisson number, the mean of
// which is Np at most; a pair counts twice; and the mean itself varies with the
// buckets' shares by no more than p(1-p) of a key.
func sampleMeetings(n, capacity uint64, d doubt) uint32 {
	p := float64(capacity) / float64(n)
	mean := sampleKeys * (sampleKeys - 1) * p
	return uint32(mean + d.deviations*math.Sqrt(2*mean*(1+2*sampleKeys*p)))
}
