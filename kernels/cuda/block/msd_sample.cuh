// The MSD sort's first launch: a sample of the keys. It finds upper bits that all of them share, sends input that would
// end in onesweep there before the histogram, and lists the keys if they are few different ones.
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
static_assert(kSampleKeys == 1 << kSampleLog, "whole bits");
GS_CONSTANT(MsdSampleThreads, kSampleThreads)
GS_CONSTANT(MsdSampleKeys, kSampleKeys)
GS_CONSTANT(MsdSampleBits, kSampleBits)

// clearSorts zeroes, in vectors of 16 bytes, what the launches of a sort expect to be
// zero: `all` of them from the state on, the first `head` of which the sample's block,
// number 0, writes to. It clears those; the other blocks clear the rest beside it, and
// have nothing else to do: clearSorts returns false there. It ends with a barrier. Launch:
// kSampleThreads threads; more than one block, unless head is all.
GS_DEVICE bool clearSorts(MsdState* state, u32 head, u32 all) {
  uint4* const vectors = reinterpret_cast<uint4*>(state);
  const bool first = blockIdx.x == 0;
  const u32 end = first ? head : all, step = first ? kSampleThreads : (gridDim.x - 1) * kSampleThreads;
  for (u32 i = (first ? 0 : head + (blockIdx.x - 1) * kSampleThreads) + threadIdx.x; i < end; i += step)
    vectors[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  return first;
}

// SampleSays is what the sample's keys, as encoded keys, say together; the same in all threads.
struct SampleSays {
  u64 differ;   // bits in which two of them differ
  u32 top;      // the top word of the first
  u32 skip;     // upper bits that all share, 0 to 31; 0 if the whole top word is one: buckets come from there
  bool descent, ascent;  // a key is larger, smaller than a later one
  // mixed: the input is neither sorted nor reversed; those have a faster route.
  GS_DEVICE bool mixed() const { return descent && ascent; }
  // notePrefix tells later launches what to shift out: see MsdEncoded. One thread.
  GS_DEVICE void notePrefix(MsdState* state) const {
    if (skip == 0) return;
    state->skip = skip;
    state->prefix = top >> (32 - skip) << (32 - skip);
  }
};

// readSample reads the sample; thread t has the encoded keys of keys number
// j·kSampleThreads + t in k[j]. clear runs before a barrier, while keys arrive.
template <typename K, typename Clear>
GS_DEVICE SampleSays readSample(const K* keys, u32 n, u32 codec, K (&k)[kSampleEach], const Clear& clear) {
  __shared__ u32 words[2];  // of SampleSays.differ
  const u32 t = threadIdx.x;
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) k[j] = keys[chancePlace(j * kSampleThreads + t, kSampleLog, n)];
  const K first = encode(codec, keys[chancePlace(0, kSampleLog, n)]);
  clear();
  if (t < 2) words[t] = 0;
  __syncthreads();
  // Keys are compared with those a quarter of the input further on, and with the
  // next lane's in the same quarter: any two in order of their places will do.
  u32 seen = 0;
  K differ = 0;
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) {
    k[j] = encode(codec, k[j]);
    differ |= k[j] ^ first;
    const K next = __shfl_down_sync(kAllLanes, k[j], 1);  // lane 31: its own
    seen |= relation(k[j], next);
    if (j > 0) seen |= relation(k[j - 1], k[j]);
  }
  differ = warpOr(differ);  // 32 lanes would take turns at a word
  if (laneID() == 0) {
    atomicOr(&words[0], u32(differ));
    if (sizeof(K) == 8) atomicOr(&words[1], u32(u64(differ) >> 32));
  }
  SampleSays says;
  // The barriers complete the words, too.
  says.descent = __syncthreads_or(seen & kSeenDescent), says.ascent = __syncthreads_or(seen & kSeenAscent);
  says.differ = u64(words[1]) << 32 | words[0];
  says.top = topWord(first);
  const u32 varying = topWord(K(says.differ));
  says.skip = varying != 0 ? u32(__clz(int(varying))) : 0;
  return says;
}

// sampleSaysDigits reports that so few bits vary, in at most `most` digits, that n keys
// take more than a quarter of all values. Then a bucket has more runs of equal keys than
// the list of its block (4,096 keys, uniform: 434 runs of the 512 at a quarter, 739 at
// half), and most would be sorted as slow ones; onesweep makes only as many passes as
// digits vary.
GS_DEVICE bool sampleSaysDigits(u64 differ, u32 n, u32 most) {
  const u32 bits = __popc(u32(differ)) + __popc(u32(differ >> 32));
  return digitsOf(differ) <= most && bits < 63 && u64(1) << bits < 4 * u64(n);
}

// sampleBeside is the key behind one of the thread's, in the same sector as a rule, and
// sampleSaysRuns reports that at least kSampleRuns of all threads find the same key there.
// Then equal keys stand together, eight and more, and buckets vary in size as if they
// had an eighth of the keys: 512 more than the mean of 4,096 are 2.8 standard deviations,
// which some of a thousand buckets exceed. Warps take turns among the four quarters of the input.
constexpr u32 kSampleRuns = kSampleThreads * 7 / 8;
template <typename K> GS_DEVICE K sampleBeside(const K* keys, u32 n) {
  const u32 t = threadIdx.x, place = u32(chancePlace(t / 32 % kSampleEach * kSampleThreads + t, kSampleLog, n)) + 1;
  return keys[place < n ? place : 0];
}
template <typename K> GS_DEVICE bool sampleSaysRuns(const K (&k)[kSampleEach], K beside, u32 codec) {
  const u32 j = threadIdx.x / 32 % kSampleEach;
  const K mine = j == 0 ? k[0] : j == 1 ? k[1] : j == 2 ? k[2] : k[3];
  return u32(__syncthreads_count(encode(codec, beside) == mine)) >= kSampleRuns;
}

// A long input is sorted in runs, each of which has a state and a sample of its own. A
// sample of the whole input comes before them, whose state->route is a gate: if it is
// open the gated onesweep behind the runs sorts all keys. That sample chooses it for
// sorted and reversed input, too (whole = 1), which the runs and their merge would move.
//
// sampleStandsAside: of a run, whose `outer` is that gate, reports whether it is open.
// Then the run has no route. outer may be null.
GS_DEVICE bool sampleStandsAside(MsdState* state, const u32* outer) {
  if (!gateIsOpen(outer)) return false;
  if (threadIdx.x == 0) sampleChooses(state, kRouteNone);
  return true;
}

// msdSample notes the upper bits that the sampled keys share. And it chooses
// kRouteOnesweep, for input that is neither sorted nor reversed, if at least `least`
// of the keys agree in the bits behind those, 10 to kSampleBits of them, if more than mostMeetings of them meet
// another one there, or if
// sampleSaysDigits of at most `digits`, or sampleSaysRuns; if whole is 1, also for input that is sorted or
// reversed, as far as the sample says. Otherwise the histogram leads to the route: a sample that misses
// a large bucket costs no more than its own time. Before that, unless few is null, it
// chooses kRouteFew for such input of few different keys and writes *few. Launch: 1,024
// threads; block 0 takes the sample, for the others see clearSorts; dynamic shared
// memory 4 << bits bytes.
//
// mostMeetings: skew that fills no single bucket of the sample shows in how many of its keys meet in one: of N keys,
// with shares p of the buckets, N(N-1)·Σp² on average, and Σp² is at most the largest p. It is what no input whose
// buckets all fit exceeds, but by chance in fewer than one of 10^9.
//
// least: internal/algo/msd computes it so that buckets which a block can take reach
// it in fewer than one of 10^9 inputs. Let such a bucket have c keys. The keys of
// the sample are in it independently of each other, each with the share that the
// bucket has of its part of the input, so that the expected number is at most
// m = c / (n/kSampleKeys rounded down); and the sum of independent trials reaches
// t > m with a probability of at most e^(t-m) (m/t)^t (Chernoff). This times the
// number of buckets is the bound.
template <typename K>
GS_DEVICE void msdSample(const K* keys, u32 n, MsdState* state, MsdFew* few, u32 bits, u32 least, u32 mostMeetings,
                         u32 codec, u32 digits, u32 head, u32 all, u32 whole, const u32* outer) {
  extern __shared__ uint4 dynamicShared[];
  if (!clearSorts(state, head, all) || sampleStandsAside(state, outer)) return;
  __shared__ u32 met;
  u32* const counts = reinterpret_cast<u32*>(dynamicShared);
  const u32 t = threadIdx.x, vectors = 1u << (bits - 2);
  K k[kSampleEach], beside;
  const SampleSays says = readSample(keys, n, codec, k, [&] {
    beside = sampleBeside(keys, n);
    for (u32 i = t; i < vectors; i += kSampleThreads) dynamicShared[i] = make_uint4(0, 0, 0, 0);
  });
  if (t == 0) {
    met = 0;
    says.notePrefix(state);
    if (whole != 0 && !says.mixed()) sampleChooses(state, kRouteOnesweep);
  }
  if (!says.mixed()) return;
  const auto bucket = [&](u32 j) { return topWord(K(k[j] << says.skip)) >> (32 - bits); };
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) atomicAdd(&counts[bucket(j)], 1u);
  __syncthreads();
  if (few != nullptr && chooseFew(k, dynamicShared, vectors, state, few, codec)) return;
  bool large = sampleSaysDigits(says.differ, n, digits) || sampleSaysRuns(k, beside, codec);
  u32 meetings = 0;
#pragma unroll
  for (u32 j = 0; j < kSampleEach; j++) {
    const u32 count = counts[bucket(j)];
    meetings += count - 1;
    large |= count >= least;
  }
  meetings = warpSum(meetings);
  if (laneID() == 0) atomicAdd(&met, meetings);
  large = __syncthreads_or(large);  // its barrier completes met
  if (t != 0 || (!large && met <= mostMeetings)) return;
  sampleChooses(state, kRouteOnesweep);
}

}  // namespace gs

#endif
