package msd

import (
	"math"

	"github.com/gpusort/gpusort/internal/plan"
)

const (
	// sampleKeys, sampleBits and sampleThreads are kSampleKeys, kSampleBits and
	// kSampleThreads in kernels/cuda/block/msd_sample.cuh.
	sampleKeys, sampleBits, sampleThreads = 4096, 14, 1024
	// sampleErrors bounds the probability that the sample takes buckets which
	// blocks can sort for too large.
	sampleErrors = 1e-9
	// lookBits are as many as leave the look's shared memory below the 99 KB that
	// devices of compute capability 8.6 have.
	lookBits = 13
	// sampleDigits and lookDigits are the most digits in which keys that must repeat may
	// vary for onesweep to make as many passes instead: four stable ones cost no more
	// than two splits with places; of keys alone, whose splits are cheaper, three do not.
	sampleDigits, lookDigits = 4, 3
)

// sampleShared is the shared memory of the sample in bytes, for buckets of `total`
// bits.
func sampleShared(total uint32) uint32 { return 4 << min(total, sampleBits) }

// sample appends the launch that sends skewed input to onesweep before the
// histogram. total is the number of bits that make a bucket, capacity what a block
// surely takes of one, few where the keys go if they are few different ones, or 0.
func sample(b *plan.Builder, p plan.Problem, state plan.Ref, few plan.Arg, total, capacity uint32) {
	bits := min(total, sampleBits)
	least := sampleLeast(p.Items, bits, uint64(capacity)<<(total-bits))
	b.Launch("sample", entry("sample", p), 1, sampleThreads, sampleKeys*uint64(p.Type.Bytes()),
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.U32(uint32(p.Items)), plan.At(state), few, plan.U32(bits), plan.U32(least),
		plan.U32(uint32(p.Codec())), plan.U32(sampleDigits)).SharedBytes = sampleShared(total)
}

// sampleLeast is the least number of sampled keys in one bucket that shows with a
// certainty of 1 − sampleErrors that some of 1<<bits buckets has more than capacity
// of n keys, by the bound that msd_sample.cuh states.
func sampleLeast(n uint64, bits uint32, capacity uint64) uint32 {
	mean := float64(capacity) / float64(n/sampleKeys)
	limit := math.Log(sampleErrors) - float64(bits)*math.Ln2
	least := math.Floor(mean) + 1
	for least-mean+least*math.Log(mean/least) > limit {
		least++
	}
	return uint32(least)
}

// lookShared is the shared memory of the look in bytes.
func lookShared(p plan.Problem, total uint32) uint32 {
	return 6<<min(total, lookBits) + sampleKeys*uint32(p.Type.Bytes())
}

// look appends the sample's launch for keys alone, which also finds the upper bits
// that they share: see kernels/cuda/block/msd_look.cuh. large says whether buckets
// that no block takes can be sorted by a later step, lower whether keys whose upper
// halves are one can be, by the lower ones; few is as for sample.
func look(b *plan.Builder, p plan.Problem, state plan.Ref, few plan.Arg, total, capacity uint32, large, lower bool) {
	bits := min(total, lookBits)
	least := sampleLeast(p.Items, bits, uint64(capacity)<<(total-bits))
	b.Launch("look", entry("look", p), 1, sampleThreads, sampleKeys*uint64(p.Type.Bytes()),
		plan.At(plan.Ref{Region: plan.KeysIO}), plan.U32(uint32(p.Items)), plan.At(state), few, plan.U32(bits), plan.U32(least),
		plan.U32(sampleMeetings(p.Items, uint64(capacity)<<(total-bits))), plan.U32(uint32(p.Codec())), plan.U32(word(large)), plan.U32(lookDigits),
		plan.U32(word(lower))).SharedBytes = lookShared(p, total)
}

// sampleMeetings bounds how many keys of the sample others meet in their bucket,
// summed over the keys, if no bucket has more than capacity of n keys: the mean
// N(N-1)p for buckets with a share of at most p, and six standard deviations more. A
// key's number of others has about the variance of a Poisson number, the mean of
// which is Np at most; a pair counts twice; and the mean itself varies with the
// buckets' shares by no more than p(1-p) of a key.
func sampleMeetings(n, capacity uint64) uint32 {
	p := float64(capacity) / float64(n)
	mean := sampleKeys * (sampleKeys - 1) * p
	return uint32(mean + 6*math.Sqrt(2*mean*(1+2*sampleKeys*p)))
}
