// A cluster's keys, one a thread, sorted by merging alone: what skew there is makes no
// difference. Keys are ranked among 16 neighbours; then, again and again, four lists become
// one: a key's place there is its place in its own list and, by a binary search, its ranks in
// the three others.
//
//   lists of           probe of                             probes a key
//   16                 all                                  16
//   64, 256, 1,024     the block's own                      15, 21, 27
//   4,096              those of three other blocks, copied  33
//   16,384             some of those of twelve              42: its place in the whole
//
// In one step 16 lists of 1,024 would be 165 probes, of which shared memory serves a warp's
// with 64 bits in two clocks each. Of the last step a block copies the parts that its keys lie in, about half. Equal
// keys keep their order: a key is behind the equal ones of lists before its own, and before those of lists behind.
// Values stay where they are read; a key takes along where that is.
#ifndef GS_BLOCK_MERGING
#define GS_BLOCK_MERGING

#include "block/lists.cuh"
#include "block/tile.cuh"
#include "warp/cluster.cuh"

namespace gs {

// MergingShared lies where counters, keys and values of TileShared do, which are in registers then.
template <typename G> struct MergingShared {
  typedef typename G::Key K;
  typedef typename G::Value V;
  static constexpr u32 kLog = 10, kRows = G::kBlocks * G::kThreads * sizeof(K), kFirsts = kRows + G::kThreads * sizeof(K), kFrom = kFirsts + G::kBlocks * sizeof(K);
  static constexpr u32 kValues = kFrom + (G::kPairs ? 4 * G::kThreads : 0);
  static_assert(G::kThreads == 1 << kLog && G::kBlocks * G::kThreads < 1 << 16, "places of 16 bits");
  K* lists;   // [kBlocks][kThreads]: row blockIdx.x is this block's
  K* row;     // [kThreads] its row of the longer lists
  K* firsts;  // [kBlocks] the first key of each block's such row
  u16* from;  // [2][kThreads] the places in the input of the keys of its rows
  V* values;  // [kThreads] as read
  GS_DEVICE explicit MergingShared(char* base)
      : lists(reinterpret_cast<K*>(base)), row(reinterpret_cast<K*>(base + kRows)), firsts(reinterpret_cast<K*>(base + kFirsts)),
        from(reinterpret_cast<u16*>(base + kFrom)), values(reinterpret_cast<V*>(base + kValues)) {}
};

// copyRows brings `many` rows, a power of 2, from number `first` on to this block's lists from the blocks whose they
// are, first or second ones, if their bit is set. Each block begins behind its own: else all would read one block's
// at a time.
template <typename G, bool kSecond> GS_DEVICE void copyRows(const MergingShared<G>& s, u32 first, u32 many, u32 bits) {
  constexpr u32 kVectors = G::kThreads * sizeof(typename G::Key) / sizeof(uint4);
  uint4 *const lists = reinterpret_cast<uint4*>(s.lists), *const row = reinterpret_cast<uint4*>(s.row);
#pragma unroll 4
  for (u32 i = threadIdx.x; i < many * kVectors; i += G::kThreads) {
    const u32 at = first * kVectors + ((i + (blockIdx.x + 1) * kVectors) & (many * kVectors - 1)), block = at / kVectors;
    if (bits >> block & 1) lists[at] = *peerShared(kSecond ? row + at % kVectors : lists + at, block);
  }
}

// rowOf is the row of a list of kMergedLists, whose rows begin with these keys, that the place of a key with that
// bound is in.
template <typename K> GS_DEVICE u32 rowOf(const K* firsts, K bound) {
  u32 row = 0;
#pragma unroll
  for (u32 k = 1; k < kMergedLists; k++) row += firsts[k] < bound;
  return row;
}

// rowsMet are the rows of other lists that places of this block's keys are in, a bit each: the same in a warp.
template <typename G> GS_DEVICE u32 rowsMet(const MergingShared<G>& s, u32 many, u32 own) {
  typedef typename G::Key K;
  const u32 number = laneID(), list = number / kMergedLists;
  bool met = false;
  if (list < many && list != own) {
    const K smallest = s.row[0], largest = s.row[G::kThreads - 1], more = list < own;
    const K* const firsts = s.firsts + list * kMergedLists;
    const u32 low = rowOf<K>(firsts, smallest + more), high = largest + more < more ? kMergedLists : rowOf<K>(firsts, largest + more);
    met = number % kMergedLists >= low && number % kMergedLists <= high;
  }
  return __ballot_sync(kAllLanes, met);
}

// sortByMerging sorts n keys, of which the thread has `key` and value, of place blockIdx.x · kThreads
// + threadIdx.x; behind n they are the largest. Launch: one cluster of 2, 4, 8 or 16 blocks. Begins
// after a barrier.
//
// Others read what a block has written before a barrier of the cluster, and write nothing but its second
// row, once, between the first and the second.
template <typename G>
GS_DEVICE void sortByMerging(const MergingShared<G>& s, typename G::Key key, typename G::Value value, typename G::Key* keys, typename G::Value* values, u32 n,
                             u32 codec, u32 mode) {
  typedef typename G::Key K;
  constexpr u32 kLog = MergingShared<G>::kLog, kRow = 1 << kLog;
  const u32 thread = threadIdx.x, rank = blockIdx.x, blocks = gridDim.x, near = blocks < kMergedLists ? blocks : kMergedLists, first = rank & ~(near - 1);
  const bool moves = G::kPairs && mode != kModeArgsort;
  K* const list = s.lists + rank * kRow;
  u32 from = rank * kRow + thread;
  list[thread] = key;
  if constexpr (G::kPairs) s.values[thread] = value;
  __syncwarp();
  u32 at = thread / kRanked * kRanked + rankInList(sharedAt(list + thread / kRanked * kRanked), key);
#pragma unroll 1
  for (u32 log = 4;; log += 2) {
    __syncthreads();
    list[at] = key;
    if constexpr (G::kPairs) s.from[at] = u16(from);
    __syncthreads();
    key = list[thread];
    if constexpr (G::kPairs) from = s.from[thread];
    if (log == kLog) break;
    const u32 begin = thread >> (log + 2) << (log + 2);
    at = begin + (thread & ((1u << log) - 1)) + rankInOthers(sharedAt(list + begin), Others<K>(kMergedLists, thread >> log & (kMergedLists - 1), key), log);
  }
  clusterArrive();
  clusterWait();
  copyRows<G, false>(s, first, near, ~(1u << rank));
  if (blocks <= near && !moves) clusterArrive();  // it reads no more of others
  __syncthreads();
  at = thread + rankInOthers(sharedAt(s.lists + first * kRow), Others<K>(near, rank - first, key), kLog);
  if (blocks > near) {
    const u32 block = first + at / kRow, slot = at % kRow;
    *peerShared(s.row + slot, block) = key;
    if constexpr (G::kPairs) *peerShared(s.from + kRow + slot, block) = u16(from);
    if (slot == 0) {
      for (u32 b = 0; b < blocks; b++) *peerShared(s.firsts + block, b) = key;
    }
    clusterArrive();
    clusterWait();
    key = s.row[thread];
    if constexpr (G::kPairs) from = s.from[kRow + thread];
    const Others<K> others(blocks / kMergedLists, rank / kMergedLists, key);
    copyRows<G, true>(s, 0, blocks, rowsMet(s, others.many, others.own));
    if (!moves) clusterArrive();
    u32 row[kOthers], begin[kOthers], in[kOthers];
    K bound[kOthers];
#pragma unroll
    for (u32 j = 0; j < kOthers; j++) {
      bound[j] = others.bound(j), row[j] = rowOf(s.firsts + others.list(j) * kMergedLists, bound[j]);
      begin[j] = sharedAt(s.lists + (others.list(j) * kMergedLists + row[j]) * kRow);
    }
    __syncthreads();
    search(kLog, begin, bound, in);
#pragma unroll
    for (u32 j = 0; j < kOthers; j++) in[j] += row[j] * kRow;
    at = (rank - first) * kRow + thread + others.sum(in, kMergedLists * kRow);
  }
  if constexpr (G::kPairs) {
    value = typename G::Value(from);
    if (moves) {
      value = *peerShared(s.values + from % kRow, from / kRow);
      clusterArrive();
    }
  }
  if (at < n) {
    if (mode != kModeArgsort) keys[at] = decode(codec, key);
    if constexpr (G::kPairs) values[at] = value;
  }
  clusterWait();
}

}  // namespace gs

#endif
