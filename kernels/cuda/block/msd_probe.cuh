// The first launch of an MSD sort of keys alone: a probe of a sample, as msdSample
// takes it, that says more.
#ifndef GS_BLOCK_MSD_PROBE
#define GS_BLOCK_MSD_PROBE

#include "block/msd_sample.cuh"

namespace gs {

// ProbeShared is the dynamic shared memory: counters and the number of one key for
// each of 1 << bits buckets, and the sample.
template <typename K> struct ProbeShared {
  u32* counts;
  K* keys;
  u16* some;
  GS_DEVICE ProbeShared(uint4* base, u32 bits) : counts(reinterpret_cast<u32*>(base)) {
    keys = reinterpret_cast<K*>(counts + (1u << bits));
    some = reinterpret_cast<u16*>(keys + kSampleKeys);
  }
};

// What the block adds up.
struct ProbeSums {
  u32 meetings;   // pairs of keys in one bucket, twice
  u32 largest;    // most keys in a bucket
  u32 together;   // keys that are not alone in their bucket
  u32 same;       // of these: equal to some one key of their bucket
};

// probeSaysOnesweep weighs what large buckets cost. Equal keys need no further
// split: no digit of theirs varies. Others need one or more, and then onesweep is as
// fast; so it is where a value with an eighth of all keys has others beside it, which
// share its buckets level by level, or where upper words do not vary: onesweep skips
// digits.
GS_DEVICE bool probeSaysOnesweep(const ProbeSums& s, bool constantTop) {
  if (4 * s.same < 3 * s.together || constantTop) return true;
  return s.largest >= kSampleKeys / 8 && s.together < kSampleKeys;
}

// msdProbe writes state->skip and prefix: the upper bits that the sample has in
// common, unless all of the upper word's are. And it chooses kRouteOnesweep if
// buckets by the bits behind them are too large (least: see msdSample), in a way that
// the MSD sort, with msdLarge if large is 1, sorts no faster, or if sampleSaysDigits
// of at most `digits`, or if the upper word of 64-bit keys does not vary, unless lower
// is 1: then it writes state->lower, and later launches sort such keys by the lower
// word. All choices are for input that is neither sorted nor reversed. Before them,
// unless few is null, it chooses kRouteFew for such input of few different keys and
// writes *few. Of input that looks sorted or reversed it says state->unweighed: see
// msdPrepare; or, if whole is 1, it chooses kRouteOnesweep. whole and outer: see
// sampleStandsAside. Launch: 1,024 threads; block 0 probes, for the others see clearSorts; dynamic
// shared memory (6 << bits) + 4,096 keys, bits 10 to kSampleBits.
//
// Skew that fills no single bucket of the sample shows in how many keys of the
// sample meet in one: of N keys, with shares p of the buckets, N(N-1)·Σp² on
// average, and Σp² is at most the largest p. mostMeetings is what no input whose
// buckets all fit exceeds, but by chance in fewer than one of 10^9.
template <typename K> GS_DEVICE void msdProbe(const K* keys, u32 n, MsdState* state, MsdFew* few, u32 bits, u32 least, u32 mostMeetings, u32 codec,
                                              u32 large, u32 digits, u32 lower, u32 head, u32 all, u32 whole, const u32* outer) {
  extern __shared__ uint4 dynamicShared[];
  if (!clearSorts(state, head, all) || sampleStandsAside(state, outer)) return;
  __shared__ ProbeSums sums;
  const ProbeShared<K> s(dynamicShared, bits);
  const u32 t = threadIdx.x;
  K k[kSampleEach];
  const SampleSays says = readSample(keys, n, codec, k, [&] {
    for (u32 i = t; i < 1u << (bits - 2); i += kSampleThreads) dynamicShared[i] = make_uint4(0, 0, 0, 0);
    if (t == 0) sums = ProbeSums{};
  });
  const bool constant = topWord(K(says.differ)) == 0;  // the top word: buckets come from the lower one
  const bool oneTop = sizeof(K) == 8 && constant;
  auto word = [&](K key) { return constant ? u32(key) : topWord(K(key << says.skip)); };
  if (t == 0) {
    says.notePrefix(state);
    if (!says.mixed()) state->unweighed = 1;
    if (!says.mixed() && whole != 0) sampleChooses(state, kRouteOnesweep);
    if (oneTop && lower != 0) state->lower = 1;
  }
  if (!says.mixed()) return;
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) {
    const u32 d = word(k[j]) >> (32 - bits);
    s.keys[j * kSampleThreads + t] = k[j];
    if (atomicAdd(&s.counts[d], 1u) == 0) s.some[d] = u16(j * kSampleThreads + t);  // the bucket's first
  }
  __syncthreads();
  if (few != nullptr && chooseFew<true>(k, dynamicShared, 1u << (bits - 2), state, few, codec)) return;
  u32 meetings = 0, largest = 0, together = 0, same = 0;
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) {
    const u32 d = word(k[j]) >> (32 - bits), count = s.counts[d];
    meetings += count - 1;
    largest = count > largest ? count : largest;
    together += count > 1;
    same += count > 1 && k[j] == s.keys[s.some[d]];
  }
  meetings = warpSum(meetings), together = warpSum(together), same = warpSum(same);
  if (laneID() == 0) {
    atomicAdd(&sums.meetings, meetings);
    atomicAdd(&sums.together, together);
    atomicAdd(&sums.same, same);
  }
  atomicMax(&sums.largest, largest);
  __syncthreads();
  if (t != 0) return;
  if (!sampleSaysDigits(says.differ, n, digits) && (!oneTop || lower != 0)) {
    if (sums.largest < least && sums.meetings <= mostMeetings) return;
    if (large != 0 && !probeSaysOnesweep(sums, oneTop)) return;
  }
  sampleChooses(state, kRouteOnesweep);
}

}  // namespace gs

#endif
