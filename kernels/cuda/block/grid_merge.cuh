// A grid's sort of unevenly spread 64-bit keys, where a block's share is small. 255 keys of a sample are splitters. One
// pass moves the keys to the intervals between them, and each block sorts its intervals by merging. The intervals are
// about even whatever the keys' distribution, so that this path seldom gives up.
#ifndef GS_BLOCK_GRID_MERGE
#define GS_BLOCK_GRID_MERGE

#include "block/grid_split.cuh"
#include "block/lists.cuh"

namespace gs {

// Keys are merged if there are at most kMergedShare of them to a block and at least kMergedDigits digits vary. Else
// passes take less time.
constexpr u32 kMergedShare = 1024, kMergedDigits = 5;

// Splitters are 255 keys in order, at equal distances in the sample. A key's digit is how many of them are smaller.
// Keys that are a splitter share out among the digits on both sides of it, and all between equal ones, by their places
// in the input: so one value that most keys have spreads, too, in the order that a stable sort wants. Of a sample of m
// keys a digit has about 1 ± √(256/m) times the mean. Every 16 leave a place free: lanes that search read other banks.
template <typename K> struct Splitters {
  static constexpr u32 kMany = kDigits - 1, kBytes = (kDigits + kDigits / 16) * sizeof(K);
  K* keys;

  GS_DEVICE explicit Splitters(void* base) : keys(static_cast<K*>(base)) {}
  GS_DEVICE static u32 at(u32 number) { return number + number / 16; }
  GS_DEVICE K operator[](u32 number) const { return keys[at(number)]; }

  // digit is that of a key which comes behind part/2^32 of all keys.
  GS_DEVICE u32 digit(K key, u32 part) const {
    u32 below = 0;
#pragma unroll
    for (u32 step = kDigits / 2; step > 0; step /= 2) {
      if ((*this)[below + step - 1] < key) below += step;
    }
    if (below == kMany || (*this)[below] != key) return below;
    u32 end = 0;
#pragma unroll 1
    for (u32 step = kDigits / 2; step > 0; step /= 2) {
      if ((*this)[end + step - 1] <= key) end += step;
    }
    // Half a digit's keys go to that before these splitters and half to that behind.
    return below + (u32(u64(end - below) * part >> 31) + 1) / 2;
  }
};

// rankSample ranks the keys from number `first` up to `end` of a sample in shared memory, equal ones by number, and
// calls put(k, key) for the one that is splitter number k. A lane of all warps has the same key; a warp counts in its
// part of the sample. Begins after a barrier.
template <typename G, typename K, typename Put>
GS_DEVICE void rankSample(const K* sample, u32 size, u32 first, u32 end, Put put) {
  __shared__ u32 ranks[32];
  const u32 lane = laneID(), warp = threadIdx.x / 32, each = (size + G::kWarps - 1) / G::kWarps;
  const u32 low = warp * each < size ? warp * each : size, high = low + each < size ? low + each : size;
#pragma unroll 1
  for (u32 from = first; from < end; from += 32) {
    const u32 mine = from + lane;
    if (threadIdx.x < 32) ranks[lane] = 0;
    __syncthreads();
    if (mine < end) {
      const K key = sample[mine];
      u32 before = 0;
#pragma unroll 4
      for (u32 j = low; j < high; j++) before += sample[j] < key || (sample[j] == key && j < mine);
      atomicAdd(&ranks[lane], before);
    }
    __syncthreads();
    if (threadIdx.x < 32 && mine < end) {
      const u32 rank = ranks[lane], k = (rank * kDigits + size - 1) / size;
      if (k != 0 && k < kDigits && k * size / kDigits == rank) put(k - 1, sample[mine]);
    }
  }
}

// MergedPart is shared memory of a part: at most kMost keys, four times kMergedShare. Of 132 blocks the one with most
// keys has 3.5 times the mean by a sample of 256 keys, 1.8 times by 2,048 and 1.6 times by 4,224, which is all that 132
// blocks leave (simulated, averages of 2,000 sorts).
template <typename G> struct MergedPart {
  typedef typename G::Key K;
  static constexpr u32 kMost = 4096, kFrom = 2 * kMost * sizeof(K), kValues = kFrom + (G::kPairs ? 4 * kMost : 0);
  static_assert(kValues + kMost * G::kValueBytes <= GridShared<G>::kBytes, "fits where keys are put in order");
  Rows<K, G::kPairs> rows;
  ValueOf<G>* values;  // [kMost] as read
  GS_DEVICE explicit MergedPart(void* base) {
    const u32 at = sharedAt(base);
    rows = {at, at + kMost * u32(sizeof(K)), at + kFrom, at + kFrom + 2 * kMost};
    values = reinterpret_cast<ValueOf<G>*>(static_cast<char*>(base) + kValues);
  }
};

// mergePart sorts a part of 1 to kMost keys. Begins after a barrier. What it reads in global memory only this block
// writes, later.
template <typename G> GS_DEVICE void mergePart(const PartFrom<G>& p) {
  extern __shared__ uint4 dynamicShared[];
  MergedPart<G> s(dynamicShared);
#pragma unroll 2
  for (u32 i = threadIdx.x; i < p.n; i += G::kThreads) {
    storeAt<KeyOf<G>>(s.rows.keys + i * u32(sizeof(KeyOf<G>)), __ldcg(p.keys + i));
    if constexpr (G::kPairs) s.values[i] = __ldcg(p.values + i);
  }
  sortRows<G::kThreads>(s.rows, p.n);
#pragma unroll 1
  for (u32 i = threadIdx.x; i < p.n; i += G::kThreads) {
    if (p.mode != kModeArgsort) p.keysTo[i] = decode(p.codec, s.rows.key(i));
    if constexpr (G::kPairs) p.valuesTo[i] = s.values[s.rows.place(i)];
  }
}

// isMerged says whether keys are sorted so: a block gets about n/gridDim of them, and a sample of fewer keys than
// digits would leave splitters out.
template <typename G> GS_DEVICE bool isMerged(const GridArgs& a, const Share& share, const Bounds<KeyOf<G>>& bounds) {
  return a.n <= gridDim.x * kMergedShare && sampleSize<G>(a, share) >= kDigits &&
      Passing<KeyOf<G>>(bounds).digits() >= kMergedDigits;
}

// mergeGrid sorts what lies in shared memory by splitters and merging, or returns false, in all blocks, if a digit
// has more than a part may: then it still lies there. Splitters lie at `room`. Begins after a barrier.
template <typename G> GS_COLD bool mergeGrid(GridDigits<KeyOf<G>>* digits, void* room) {
  typedef typename G::Key K;
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  const GridShared<G> s(dynamicShared);
  const Splitters<K> m(room);
  TileKeys<G> t;
  const Share share = takeAside<G>(s, a.n, t);
  // Each block ranks a part of the sample. Splitters are put for all where others' keys will be, which lie in shared
  // memory now.
  const u32 size = stageSample<G>(s, a, share), each = (size + gridDim.x - 1) / gridDim.x, first = blockIdx.x * each,
      end = first + each;
  K* const keys = static_cast<K*>(a.keysAlt);
  rankSample<G>(reinterpret_cast<const K*>(s.columns), size, first, end < size ? end : size,
                [&](u32 k, K key) { keys[k] = key; });
  gridSync();
  if (threadIdx.x < m.kMany) m.keys[m.at(threadIdx.x)] = __ldcg(keys + threadIdx.x);
  __syncthreads();
  const u32 at = share.first + share.slot(), unit = ~0u / a.n;
  PackedDigits<G::kItems> digit;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    digit.put(i, at + 32 * i < a.n ? m.digit(t.k[i], (at + 32 * i) * unit) : kDigits - 1);
  }
  const auto note = [&](u32 slot, u32 d) { s.tags[slot] = u8(d); };
  if (!splitGrid<G>(s, a, share, digit, note, [&](u32 slot, K) { return u32(s.tags[slot]); }, t, *digits,
                    MergedPart<G>::kMost)) return false;
  sortDigits<G>(a, *digits, MergedPart<G>::kMost, [](const PartFrom<G>& p, u32, u32) {
    mergePart<G>(p);
    return true;
  });
  return true;
}

}  // namespace gs

#endif
