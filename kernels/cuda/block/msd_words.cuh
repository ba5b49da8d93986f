// Argsort by an MSD sort of words: the encoded key above, its place below. Words
// differ, so that splits need not be stable. Groups: see MsdGroups.
#ifndef GS_BLOCK_MSD_WORDS
#define GS_BLOCK_MSD_WORDS

#include "block/msd_runs.cuh"
#include "block/msd_split.cuh"
#include "block/small.cuh"

namespace gs {

// Places of a group's words: all words before, and room for the first group's.
struct MsdRoom {
  u64 *words, *spare;  // spare need not be aligned to 8 bytes
  // of returns where item `from` of all would lie, if the group's second place
  // went so far.
  GS_DEVICE u64* of(const MsdGroups* groups, u32 group) const {
    u64* const first = group == 0 ? reinterpret_cast<u64*>((reinterpret_cast<u64>(spare) + 7) & ~u64(7))
        : words + groups->begin[group];
    return first - groups->begin[group + 1];
  }
};

// msdPack is the first split. It reads the caller's keys and makes the words.
// One block per tile of S::kTile keys.
template <typename S, typename Key>
GS_DEVICE void msdPack(const Key* keys, u64* words, u32 n, u32* cursors, const MsdState* state, u32 bits1, u32 codec,
                       u32 indexBits) {
  if (state->route != kRouteSplit) return;
  const u32 base = blockIdx.x * S::kTile;
  msdSplit<S>(PackSource<Key>(keys, &state->skip, codec, indexBits), UpperDigit{32 - bits1, 255}, Cursors{cursors},
              Stored<u64>{words}, base, 0, least(S::kTile, n - base));
}

// msdGroup is the second split of one group. One block per tile of msdPrepare's
// list; the grid is an upper bound of the group's.
template <typename S>
GS_DEVICE void msdGroup(const MsdRoom& room, u32* cursors, const uint4* tiles, const MsdState* state,
                        const MsdGroups* groups, u32 group, u32 bits1, u32 bits2) {
  if (state->route != kRouteSplit) return;
  const u32 at = groups->tile[group + 1] + blockIdx.x;
  if (at >= groups->tile[group]) return;
  const uint4 tile = tiles[at];
  msdSplit<S>(KeySource<u64>(room.words, 0, 0), UpperDigit{32 - bits1 - bits2, (1u << bits2) - 1},
              Cursors{cursors + (tile.w << bits2) * kPad}, Stored<u64>{room.of(groups, group)}, tile.x, tile.y, tile.z);
}

// WordOrder is the order of words by key, then place. Words of 64-bit keys that
// agree in the bits above the place say nothing of the lower bits: there the
// keys themselves decide, whole: upper bits that were shifted out are the same.
template <typename Key> struct WordOrder {
  const Key* keys;
  u32 codec, indexBits;
  GS_DEVICE u64 place(u64 word) const { return sizeof(Key) == 4 ? u32(word) : word & ((u64(1) << indexBits) - 1); }
  GS_DEVICE bool before(u64 a, u64 b) const {
    if constexpr (sizeof(Key) == 8) {
      if (a >> indexBits == b >> indexBits) {
        const u64 x = encode(codec, keys[place(a)]), y = encode(codec, keys[place(b)]);
        if (x != y) return x < y;
      }
    }
    return a < b;
  }
};

// msdIndices sorts a group's buckets and writes the places, which are the
// argsort. A block takes one bucket after the other, so that any grid will do;
// one bucket per block is usual. L::kRunsBytes of dynamic shared memory.
template <typename L, typename Key, typename V>
GS_DEVICE void msdIndices(const WordOrder<Key>& order, const MsdRoom& room, V* indices, const u32* starts,
                          MsdState* state, const MsdGroups* groups, u32* slow, u32 group, u32 bits1, u32 bits2) {
  extern __shared__ uint4 dynamicShared[];
  if (state->route != kRouteSplit) return;
  const u32 end = groups->part[group] << bits2;
  u64* const all = room.of(groups, group);
  for (u32 b = (groups->part[group + 1] << bits2) + blockIdx.x; b < end; b += gridDim.x) {
    const u32 begin = starts[b], items = starts[b + 1] - begin;
    if (items == 0) continue;
    const Bucket<u64> bucket(all, begin, items);
    if (sortRuns<L>(bucket, TopValue{bits1 + bits2}, order)) {
      const u64* sorted = RunsShared<L>(dynamicShared).sorted + bucket.skew;
      for (u32 i = threadIdx.x; i < items; i += L::kThreads) indices[begin + i] = V(order.place(sorted[i]));
    } else {
      toSlow(state, slow, b);
    }
    __syncthreads();  // the next bucket uses the same shared memory
  }
}

// The order of words by place, whose top 16 bits start at shift.
template <typename Key> struct PlaceOrder {
  const WordOrder<Key>& order;
  u32 shift;
  GS_DEVICE u32 operator()(u64 word) const { return u32(order.place(word) >> shift) & 0xffff; }
  GS_DEVICE bool before(u64 a, u64 b) const { return order.place(a) < order.place(b); }
};

// msdSlowIndices sorts those of the listed buckets that belong to the group: by
// place, then stably by key, with the words' memory for the keys. Equal keys come
// from all over the input as a rule, so that 16 bits at once sort the places; if
// not, digits do, of words for 32-bit keys, else of places. Places are below
// 1 << placeBits, which is 16 or more. Geometry: L, as for msdIndices; GSingle for
// words or places; GPairs for keys with places, all of one number of threads; any
// grid; dynamic shared memory as the largest needs.
template <typename L, typename GSingle, typename GPairs, typename Key, typename V>
GS_DEVICE void msdSlowIndices(const WordOrder<Key>& order, const MsdRoom& room, V* indices, const u32* starts,
                              const MsdState* state, const MsdGroups* groups, const u32* slow, u32 group, u32 bits2,
                              u32 placeBits) {
  static_assert(L::kThreads == GSingle::kThreads && L::kThreads == GPairs::kThreads, "one launch");
  constexpr u32 kThreads = L::kThreads;
  extern __shared__ uint4 dynamicShared[];
  const u32 t = threadIdx.x, listed = state->slow;
  for (u32 i = blockIdx.x; i < listed; i += gridDim.x) {
    const u32 b = slow[i], part = b >> bits2;
    if (part >= groups->part[group] || part < groups->part[group + 1]) continue;
    const u32 begin = starts[b], items = starts[b + 1] - begin;
    u64* const words = room.of(groups, group) + begin;
    Key* const keys = reinterpret_cast<Key*>(words);
    V* const places = indices + begin;
    typename GSingle::Value* const none = nullptr;
    // A barrier behind a loop: what the block wrote is there for all its threads.
    const PlaceOrder<Key> byPlace = {order, placeBits - 16};
    const bool spread = sortRuns<L>(Bucket<u64>(words, 0, items), byPlace, byPlace);
    __syncthreads();
    if (spread) {
      // The words are in shared memory; theirs takes 32-bit keys at once.
      const u64* const sorted = RunsShared<L>(dynamicShared).sorted + Bucket<u64>(words, 0, items).skew;
      for (u32 j = t; j < items; j += kThreads) {
        places[j] = V(order.place(sorted[j]));
        if constexpr (sizeof(Key) == 4) keys[j] = u32(sorted[j] >> 32);
      }
      __syncthreads();
    } else if constexpr (sizeof(Key) == 4) {
      sortTile<GSingle>(words, none, items, 0, 0, kModeKeys);
      __syncthreads();
      for (u32 j = t; j < items; j += kThreads) places[j] = V(order.place(words[j]));
      __syncthreads();
      continue;
    } else {
      for (u32 j = t; j < items; j += kThreads) places[j] = V(order.place(words[j]));
      __syncthreads();
      sortTile<GSingle>(places, none, items, 0, 0, kModeKeys);
      __syncthreads();
    }
    if constexpr (sizeof(Key) == 8) {
      for (u32 j = t; j < items; j += kThreads) keys[j] = encode(order.codec, order.keys[places[j]]);
      __syncthreads();
    }
    sortTile<GPairs>(keys, places, items, 0, 0, kModePairs);
    __syncthreads();
  }
}

}  // namespace gs

#endif
