// One pass by a digit over the keys of the whole grid. Each block orders its share in shared memory, stably, and writes
// it to the digits' runs in global memory. The pass as a whole is stable, but for the unordered one of countGrid, which
// keys without values take.
#ifndef GS_BLOCK_GRID_TILE
#define GS_BLOCK_GRID_TILE

#include "block/digits.cuh"
#include "warp/grid.cuh"

namespace gs {

// kMaySplit: sorts of keys of 32 and 64 bits may split them; narrower ones pass by their digits.
// kMerges: those of 64 bits may merge where a split from the least key on would be uneven.
template <typename G> constexpr bool kMaySplit = sizeof(KeyOf<G>) >= 4;
template <typename G> constexpr bool kMerges = sizeof(KeyOf<G>) == 8;

// GridShared is a block's shared memory. Columns and keys do not share a place, since keys are ordered before the
// columns are summed up.
template <typename G> struct GridShared {
  // A table of 256 sums, digit d at d % 8 · 36 + d / 8: a lane sums eight
  // digits and a thread later reads one, both without bank conflicts.
  static constexpr u32 kStride = 36, kTable = 8 * kStride;
  static constexpr u32 kAllSums = 3 * 8 * 32, kOwnSums = kAllSums + 4 * 32, kBase = kOwnSums + 4 * 32,
      kFirst = kBase + 4 * kDigits;
  static constexpr u32 kTotals = kFirst + 4 * kDigits, kCounts = kTotals + 2 * kDigits,
      kColumns = kCounts + 2 * G::kWarps * kDigits;
  static constexpr u32 kKeys = kColumns + 4 * 2 * kTable * G::kWarps, kValues = kKeys + G::kTile * sizeof(KeyOf<G>);
  static constexpr u32 kTags = kValues + G::kTile * G::kValueBytes, kBytes = kTags + (kMerges<G> ? G::kTile : 0);

  u64* warpBounds;         // [3][32]
  u32 *allSums, *ownSums;  // [32] of the warps that hold digits
  u32* base;               // [kDigits] where slot 0 of the block's ordered keys would lie in the digit's run
  u32* first;              // [kDigits] the digit's first slot among the block's ordered keys
  u16* totals;             // [kDigits] the block's keys of each digit
  u16* counts;             // [kWarps][kDigits]
  u32* columns;            // [kWarps][2][kTable] sums over some blocks, over those of them before this one
  KeyOf<G>* keys;          // [kTile]
  ValueOf<G>* values;      // [kTile]
  u8* tags;                // [kTile] the digits of the ordered keys, if splitters made them

  GS_DEVICE explicit GridShared(void* base_) {
    char* b = static_cast<char*>(base_);
    warpBounds = reinterpret_cast<u64*>(b);
    allSums = reinterpret_cast<u32*>(b + kAllSums);
    ownSums = reinterpret_cast<u32*>(b + kOwnSums);
    base = reinterpret_cast<u32*>(b + kBase);
    first = reinterpret_cast<u32*>(b + kFirst);
    totals = reinterpret_cast<u16*>(b + kTotals);
    counts = reinterpret_cast<u16*>(b + kCounts);
    columns = reinterpret_cast<u32*>(b + kColumns);
    keys = reinterpret_cast<KeyOf<G>*>(b + kKeys);
    values = reinterpret_cast<ValueOf<G>*>(b + kValues);
    tags = reinterpret_cast<u8*>(b + kTags);
  }
};

struct GridArgs {
  // Passes write keys to keysAlt: that is keysIO, but under argsort scratch, since the caller's keys stay.
  void *keysIO, *keysAlt, *valuesIO;
  // Scratch. totals: [blocks][kDigits / 2] words of two 16-bit counts, the keys of each digit; then, for keys without
  // values, [kMostSplits][kDigits] sums. bounds: [3][blocks] bounds; then, for keys of 32 and 64 bits,
  // [blocks][kLeftOfBlock] keys of the sample; then a word for the path that ran.
  u32* totals;
  u64* bounds;
  u32 n, codec, mode;
  GS_DEVICE u32* sums(u32 split) const { return totals + gridDim.x * (kDigits / 2) + split * kDigits; }
};

// GridPath is what a grid did. notePath writes it to the last word of bounds, which tests read and nothing else does.
enum GridPath : u32 { kPathEqual, kPathBins, kPathMerged, kPathPasses };
GS_CONSTANT(GridPathBins, kPathBins)
GS_CONSTANT(GridPathMerged, kPathMerged)
GS_CONSTANT(GridPathPasses, kPathPasses)
constexpr u32 kLeftOfBlock = 32;
GS_CONSTANT(GridLeftOfBlock, kLeftOfBlock)
template <typename G> GS_DEVICE void notePath(const GridArgs& a, GridPath path) {
  if (blockIdx.x == 0 && threadIdx.x == 0) a.bounds[gridDim.x * (kMaySplit<G> ? 3 + kLeftOfBlock : 3)] = path;
}

// kMostSplits is how many splits a sort tries at most, by the highest bits, then by splitters. Each has its own sums.
constexpr u32 kMostSplits = 2;
GS_CONSTANT(GridSplits, kMostSplits)

// clearSums clears the sums of all splits, before the first barrier of the grid.
template <typename G> GS_DEVICE void clearSums(const GridArgs& a) {
  for (u32 split = blockIdx.x; split < kMostSplits; split += gridDim.x) {
    if (threadIdx.x < kDigits) a.sums(split)[threadIdx.x] = 0;
  }
}

// kRowsAhead is how many rows of totals a warp requests at once. With 32 warps and 132 blocks, an H100's, these are all
// of its rows.
constexpr u32 kRowsAhead = 5;

// addColumns reads all blocks' totals, a row a block. Each warp sums up the rows that it reads, and leaves its sums in
// `columns`. A lane reads eight digits of a row, two to a word, and adds whole words of up to kRowsAhead rows before it
// takes them apart.
template <typename G> GS_DEVICE void addColumns(const GridShared<G>& s, const u32* totals) {
  constexpr u32 kVectors = kDigits / 8;
  static_assert(kRowsAhead * G::kTile < 1 << 16, "a digit's keys of such rows, in half a word");
  u32 all[8] = {}, before[8] = {};
  const uint4* const rows = reinterpret_cast<const uint4*>(totals) + laneID();
  for (u32 from = threadIdx.x / 32; from < gridDim.x; from += kRowsAhead * G::kWarps) {
    uint4 x[kRowsAhead];
#pragma unroll
    for (u32 i = 0; i < kRowsAhead; i++) {
      const u32 r = from + i * G::kWarps;
      x[i] = r < gridDim.x ? __ldcg(rows + r * kVectors) : make_uint4(0, 0, 0, 0);
    }
    u32 sum[4] = {}, part[4] = {};
#pragma unroll
    for (u32 i = 0; i < kRowsAhead; i++) {
      const u32 mask = from + i * G::kWarps < blockIdx.x ? ~0u : 0;
      sum[0] += x[i].x, sum[1] += x[i].y, sum[2] += x[i].z, sum[3] += x[i].w;
      part[0] += x[i].x & mask, part[1] += x[i].y & mask, part[2] += x[i].z & mask, part[3] += x[i].w & mask;
    }
#pragma unroll
    for (u32 j = 0; j < 8; j++) {
      all[j] += j % 2 ? sum[j / 2] >> 16 : sum[j / 2] & 0xffff;
      before[j] += j % 2 ? part[j / 2] >> 16 : part[j / 2] & 0xffff;
    }
  }
  u32* const mine = s.columns + threadIdx.x / 32 * 2 * s.kTable + laneID();
#pragma unroll
  for (int j = 0; j < 8; j++) {
    mine[j * s.kStride] = all[j];
    mine[s.kTable + j * s.kStride] = before[j];
  }
}

// placeOwn works out first from the block's totals. Ends with a barrier.
template <typename G> GS_DEVICE void placeOwn(const GridShared<G>& s) {
  const u32 d = threadIdx.x, first = keysBefore(d < kDigits ? s.totals[d] : 0, s.ownSums);
  if (d < kDigits) s.first[d] = first;
  __syncthreads();
}

// placeDigits works out `base`, from `first` and the columns. If kUnordered, it takes `sums` instead of the columns: a
// block's place in a digit's run is what the digit's sum was when the block added to it, which addToSums left in
// `base`. Thread d < kDigits gets the rank of digit d's first key among all keys. Begins and ends with a barrier.
template <typename G, bool kUnordered> GS_DEVICE u32 placeDigits(const GridShared<G>& s, const u32* sums) {
  __syncthreads();
  const u32 d = threadIdx.x;
  u32 all = 0, before = 0;
  if (d < kDigits) {
    if constexpr (kUnordered) {
      all = __ldcg(sums + d), before = s.base[d];
    } else {
      const u32* const mine = s.columns + d % 8 * s.kStride + d / 8;
#pragma unroll
      for (int w = 0; w < G::kWarps; w++) {
        all += mine[w * 2 * s.kTable];
        before += mine[w * 2 * s.kTable + s.kTable];
      }
    }
  }
  const u32 start = keysBefore(all, s.allSums);
  // It may wrap below 0: a slot at or above first brings it back.
  if (d < kDigits) s.base[d] = start + before - s.first[d];
  __syncthreads();
  return start;
}

// addToSums adds the block's counts of digits 2·threadIdx.x and 2·threadIdx.x + 1, the halves of `sum`, to `sums`, and
// leaves in `base` what these were before. `padding` is not counted; it is part of the last digit's count.
template <typename G> GS_DEVICE void addToSums(const GridShared<G>& s, u32* sums, u32 sum, u32 padding) {
  const u32 low = sum & 0xffff, high = (sum >> 16) - (threadIdx.x == kDigits / 2 - 1 ? padding : 0);
  const u64 before = atomicAdd(reinterpret_cast<u64*>(sums) + threadIdx.x, u64(high) << 32 | low);
  s.base[2 * threadIdx.x] = u32(before), s.base[2 * threadIdx.x + 1] = u32(before >> 32);
}

// orderTile puts the block's keys in order of the digit in shared memory. note(slot, digit) learns of each.
template <typename G, typename Digit, typename Note>
GS_DEVICE void orderTile(const GridShared<G>& s, const Share& share, Digit digitOf, Note note, const TileKeys<G>& t,
                         const u32 (&rank)[G::kItems]) {
  const u16* const mine = s.counts + threadIdx.x / 32 * kDigits;
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    const u32 digit = digitOf(i);
    const u32 slot = s.first[digit] + mine[digit] + rank[i];
    note(slot, digit);
    s.keys[slot] = t.k[i];
    if constexpr (G::kPairs) s.values[slot] = t.v[i];
  }
}

// writeTile writes the ordered keys to their runs: neighbouring threads write
// neighbouring places. digitOf(slot, key) is the digit of an ordered key. The last pass adds `low` and decodes.
// Padding, which is the last, stays away.
template <typename G, typename Digit>
GS_DEVICE void writeTile(const GridShared<G>& s, const GridArgs& a, const Share& share, Digit digitOf, bool last,
                         KeyOf<G> low = 0) {
  typedef typename G::Key K;
  K* const keys = static_cast<K*>(a.keysAlt);
  ValueOf<G>* const values = static_cast<ValueOf<G>*>(a.valuesIO);
  const u32 slots = share.slots - share.padding(a.n);
  constexpr int kUnroll = sizeof(K) == 8 || (G::kPairs && G::kItems > 5) ? 1 : 4;
#pragma unroll kUnroll
  for (u32 slot = threadIdx.x; slot < slots; slot += G::kThreads) {
    const K key = s.keys[slot];
    const u32 at = s.base[digitOf(slot, key)] + slot;
    if (!last) {
      keys[at] = key;
    } else if (a.mode != kModeArgsort) {
      keys[at] = decode(a.codec, K(key + low));
    }
    if constexpr (G::kPairs) values[at] = s.values[slot];
  }
}

// countGrid ranks the block's keys by the digit, publishes the block's totals, and works out where its keys go. While
// it waits for the other blocks' totals it orders its keys in shared memory; it reads and writes no global memory then.
// digitOf(i) and digitAgain(i) are both the digit of a thread's i-th key: the second one is made again, rather than
// kept in a register. See orderTile for note, and placeDigits for the result.
//
// If kUnordered, the keys of one digit come block by block in the order of the blocks' atomics on `sums`, which are 0
// before. No block reads every other block's totals then. Keys without values may be split so if they are sorted by
// all their bits afterwards. Begins like rankDigits, ends with a barrier, and has one barrier of the grid.
template <typename G, bool kCleared = false, bool kUnordered = false, typename Digit, typename Again, typename Note>
GS_DEVICE u32 countGrid(const GridShared<G>& s, const GridArgs& a, const Share& share, Digit digitOf, Again digitAgain,
                        Note note, const TileKeys<G>& t, u32* sums = nullptr) {
  u32 rank[G::kItems];
  rankDigits<G, kCleared>(s.counts, share, digitOf, rank);
  if (threadIdx.x < kPairsOfDigits) {
    const u32 sum = sumRows<G>(s.counts);
    reinterpret_cast<u32*>(s.totals)[threadIdx.x] = sum;
    if constexpr (kUnordered) {
      addToSums(s, sums, sum, share.padding(a.n));
    } else {
      a.totals[blockIdx.x * kPairsOfDigits + threadIdx.x] = sum;
    }
  }
  const GridToken token = gridArrive();
  placeOwn(s);
  orderTile(s, share, digitAgain, note, t, rank);
  gridWait(token);
  if constexpr (!kUnordered) addColumns(s, a.totals);
  return placeDigits<G, kUnordered>(s, sums);
}

// fetchTile reads a thread's `held` items, past the L1, since other blocks may have written them. keys and values point
// to its first item. The items that are not held get the largest key.
template <typename G>
GS_DEVICE void fetchTile(TileKeys<G>& t, const KeyOf<G>* keys, const ValueOf<G>* values, u32 held) {
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) t.k[i] = KeyOf<G>(~KeyOf<G>(0));
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    t.k[i] = __ldcg(keys + 32 * i);
    if constexpr (G::kPairs) t.v[i] = __ldcg(values + 32 * i);
  }
}

// reloadTile reads the block's new share behind a pass.
template <typename G> GS_DEVICE void reloadTile(TileKeys<G>& t, const GridArgs& a, const Share& share) {
  const u32 at = share.first + share.slot();
  fetchTile<G>(t, static_cast<const KeyOf<G>*>(a.keysAlt) + at, static_cast<const ValueOf<G>*>(a.valuesIO) + at,
               share.held(a.n));
}

}  // namespace gs

#endif
