// The MSD sort's first launch for pairs and argsort: a look at a sample of the
// keys. Input that would end in onesweep goes there before the histogram.
#ifndef GS_BLOCK_MSD_SAMPLE
#define GS_BLOCK_MSD_SAMPLE

#include "block/msd_few.cuh"

namespace gs {

// kSampleKeys is what one multiprocessor fetches from places all over memory in
// two to three microseconds: some 4,000 sectors, four loads per thread in flight.
// kSampleBits bounds the digit that is counted, so that a counter can have 32
// bits: the device adds up lanes that meet in an addition of 1 to such a counter
// (ATOMS.POPC.INC), while additions to half a word take turns.
constexpr u32 kSampleThreads = 1024, kSampleEach = 4, kSampleKeys = kSampleThreads * kSampleEach;
constexpr u32 kSampleLog = 12, kSampleBits = 14;
static_assert(kSampleKeys == 1 << kSampleLog, "as in internal/algo/msd");

// samplePlace returns the place of key number i of the sample: in the i-th of
// kSampleKeys parts of the input, which are equal but for one key, at a distance
// from the part's begin that is spread evenly. The hash is MurmurHash3's finalizer
// (Appleby): consecutive numbers share no pattern with a period in the input, as
// multiples of n/kSampleKeys would.
GS_DEVICE u32 samplePlace(u32 i, u32 n) {
  const u32 begin = u32(u64(i) * n >> kSampleLog), end = u32(u64(i + 1) * n >> kSampleLog);
  u32 h = i + 1;
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  h ^= h >> 16;
  return begin + u32(u64(h) * (end - begin) >> 32);
}

// msdSample chooses kRouteOnesweep if at least `least` of the sampled keys agree
// in their top bits, 10 to kSampleBits of them, and a key is larger than a later
// one, another smaller: then the input is neither sorted nor reversed, which have
// a faster route. Otherwise it does nothing, and the histogram leads to the route:
// a sample that misses a large bucket costs no more than its own time. Before that,
// unless few is null, it chooses kRouteFew for such input of few different keys and
// writes *few. Launch: one block of 1,024 threads; dynamic shared memory 4 << bits bytes.
//
// least: internal/algo/msd computes it so that buckets which a block can take reach
// it in fewer than one of 10^9 inputs. Let such a bucket have c keys. The keys of
// the sample are in it independently of each other, each with the share that the
// bucket has of its part of the input, so that the expected number is at most
// m = c / (n/kSampleKeys rounded down); and the sum of independent trials reaches
// t > m with a probability of at most e^(t-m) (m/t)^t (Chernoff). This times the
// number of buckets is the bound.
template <typename K> GS_DEVICE void msdSample(const K* keys, u32 n, MsdState* state, MsdFew* few, u32 bits, u32 least, u32 codec) {
  extern __shared__ uint4 dynamicShared[];
  u32* const counts = reinterpret_cast<u32*>(dynamicShared);
  const u32 t = threadIdx.x, vectors = 1u << (bits - 2);
  K k[kSampleEach];
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) k[j] = keys[samplePlace(j * kSampleThreads + t, n)];
  for (u32 i = t; i < vectors; i += kSampleThreads) dynamicShared[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  // Keys are compared with those a quarter of the input further on, and with the
  // next lane's in the same quarter: any two in order of their places will do.
  u32 seen = 0;
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) {
    k[j] = encode(codec, k[j]);
    atomicAdd(&counts[topWord(k[j]) >> (32 - bits)], 1u);
    const K next = __shfl_down_sync(kAllLanes, k[j], 1);  // lane 31: its own
    seen |= msdRelation(k[j], next);
    if (j > 0) seen |= msdRelation(k[j - 1], k[j]);
  }
  // The barriers complete the counts, too.
  const bool descent = __syncthreads_or(seen & kSeenDescent), ascent = __syncthreads_or(seen & kSeenAscent);
  if (!descent || !ascent) return;
  if (few != nullptr && chooseFew(k, dynamicShared, vectors, state, few, codec)) return;
  bool large = false;
  for (u32 i = t; i < vectors; i += kSampleThreads) {
    const uint4 c = dynamicShared[i];
    large |= c.x >= least || c.y >= least || c.z >= least || c.w >= least;
  }
  large = __syncthreads_or(large);
  if (!large || t != 0) return;
  state->sampled = 1;
  state->route = kRouteOnesweep;
}

}  // namespace gs

#endif
