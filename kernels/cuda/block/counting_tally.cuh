// Counting past shared memory: counters in device memory, one per value of the
// range or, where the range is too wide for that, one per distinct key.
#ifndef GS_BLOCK_COUNTING_TALLY
#define GS_BLOCK_COUNTING_TALLY

#include "block/counting_state.cuh"
#include "warp/lookback.cuh"

namespace gs {

// kCacheSlots: counters that a block keeps in shared memory, first come first
// served, so that frequent keys do not meet in one word of the L2: 32 KB.
constexpr u32 kCacheSlots = 4096;
GS_CONSTANT(CountingCacheBytes, 2 * kCacheSlots * sizeof(u32))
// kMaxDistinct: distinct keys that are counted by hashing. They are ranked by
// comparing all with all, 2^26 comparisons. kTableSlots leaves the table three
// quarters empty, so that probes are short.
constexpr u32 kMaxDistinct = 8192;
constexpr u32 kTableSlots = 4 * kMaxDistinct;
// kMaxProbes ends the search of a full table: more blocks than one may find the
// table overflowing at the same time.
constexpr u32 kMaxProbes = 256;

// A slot is named by the place of the first key that took it, plus one, and 0
// while it is free: 32 bits that one atomic claims, for keys of any width. The
// key itself is read from the input, which nobody writes yet.
struct DistinctTable {
  u32 tags[kTableSlots];
  u32 counts[kTableSlots];
};
GS_CONSTANT(CountingMaxDistinct, kMaxDistinct)
GS_CONSTANT(CountingTableSlots, kTableSlots)
GS_CONSTANT(CountingTableBytes, sizeof(DistinctTable))

// mix spreads encoded keys over slots (Stafford's variant 13 of the MurmurHash3
// finalizer).
GS_DEVICE u64 mix(u64 x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

// addDistinct adds `times` to the counter of the key at keys[place], whose encoded key
// is given. Relaxed order is enough: a tag is a whole word, and counters are
// read by later launches.
template <typename K>
GS_DEVICE void addDistinct(const K* keys, u64 encoded, u32 place, u32 times, DistinctTable* table, CountingState* state,
                           u32 codec) {
  u32 slot = u32(mix(encoded) >> 32) % kTableSlots;
  for (u32 probe = 0; probe < kMaxProbes && loadWord(&state->overflow) == 0; probe++) {
    u32 tag = loadWord(&table->tags[slot]);
    if (tag == 0) {
      tag = atomicCAS(&table->tags[slot], 0u, place + 1);
      if (tag == 0) {
        atomicAdd(&table->counts[slot], times);
        if (atomicAdd(&state->distinct, 1u) >= kMaxDistinct) storeWord(&state->overflow, 1u);
        return;
      }
    }
    if (u64(encode(codec, keys[tag - 1])) == encoded) {
      atomicAdd(&table->counts[slot], times);
      return;
    }
    slot = (slot + 1) % kTableSlots;
  }
  storeWord(&state->overflow, 1u);
}

// tally counts on the routes kCountGlobal, into counts, and kCountDistinct, into
// table; both are zero. On any other it does nothing. After an overflow of the
// table what it counted is worthless, and it only reads on. Launch: any blocks and
// multiple of 32 threads; dynamic shared memory 8*kCacheSlots.
template <typename K>
GS_DEVICE void tally(const K* keys, u64 n, CountingState* state, u32* counts, DistinctTable* table, u32 codec) {
  extern __shared__ uint4 dynamicShared[];
  u32* const tags = reinterpret_cast<u32*>(dynamicShared);
  u32* const cached = tags + kCacheSlots;
  const u32 route = state->route;
  if (route != kCountGlobal && route != kCountDistinct) return;
  // Narrow keys have no range that is too wide: their code has no such case.
  const bool distinct = sizeof(K) > 2 && route == kCountDistinct;
  const u64 lo = state->lo;
  for (u32 i = threadIdx.x; i < 2 * kCacheSlots; i += blockDim.x) tags[i] = 0;
  __syncthreads();
  // A slot's tag is its counter's number plus one, or as in the table.
  auto add = [&](K key, u64 place) {
    const u64 encoded = encode(codec, key);
    const u32 own = distinct ? u32(place) + 1 : u32(encoded - lo) + 1;
    const u32 slot = u32(mix(encoded)) % kCacheSlots;
    u32 tag = *(volatile u32*)&tags[slot];
    if (tag == 0) tag = atomicCAS(&tags[slot], 0u, own);
    if (tag == 0 || tag == own || distinct && u64(encode(codec, keys[tag - 1])) == encoded) {
      atomicAdd(&cached[slot], 1u);
    } else if (distinct) {
      addDistinct(keys, encoded, u32(place), 1, table, state, codec);
    } else {
      atomicAdd(&counts[own - 1], 1u);
    }
  };
  bool over = false;
  eachVector<K, 1>(keys, n, [&](const KeyVector<K>& v, u64 place, bool valid) {
    if (distinct && !over) over = loadWord(&state->overflow) != 0;
    if (!valid || over) return;
#pragma unroll
    for (u32 j = 0; j < KeyVector<K>::kKeys; j++) add(v.k[j], place + j);
  });
  eachEnd<K>(keys, n, add);
  __syncthreads();
  for (u32 i = threadIdx.x; i < kCacheSlots; i += blockDim.x) {
    if (tags[i] == 0) continue;
    if (distinct) {
      addDistinct(keys, u64(encode(codec, keys[tags[i] - 1])), tags[i] - 1, cached[i], table, state, codec);
    } else {
      atomicAdd(&counts[tags[i] - 1], cached[i]);
    }
  }
}

// gatherDistinct lists the encoded keys and counters of the table in any order and
// settles the route: radix sort after an overflow, else as many counters as
// distinct keys. Launch: kTableSlots threads in all.
template <typename K>
GS_DEVICE void gatherDistinct(const K* keys, CountingState* state, const DistinctTable* table, u64* encodedKeys,
                              u32* tallies, u32 codec) {
  // Another block may have settled it already: both words say the same.
  if (*(volatile u32*)&state->route != kCountDistinct) return;
  const u32 slot = blockIdx.x * blockDim.x + threadIdx.x;
  if (state->overflow != 0) {
    if (slot == 0) state->route = kCountRadix;
    return;
  }
  if (slot == 0) state->bins = state->distinct;
  if (slot >= kTableSlots || table->tags[slot] == 0) return;
  const u32 i = atomicAdd(&state->gathered, 1u);
  encodedKeys[i] = u64(encode(codec, keys[table->tags[slot] - 1]));
  tallies[i] = table->counts[slot];
}

// rankDistinct puts the distinct encoded keys in order, with their counters: an
// encoded key's place is the number of smaller ones. Launch: 256 threads a block,
// kMaxDistinct in all.
GS_DEVICE void rankDistinct(const CountingState* state, const u64* encodedKeys, const u32* tallies, u64* sorted,
                            u32* counts) {
  __shared__ u64 stage[256];
  if (state->route != kCountDistinct) return;
  const u32 bins = state->bins, i = blockIdx.x * 256 + threadIdx.x;
  const u64 mine = i < bins ? encodedKeys[i] : 0;
  u32 rank = 0;
  for (u32 from = 0; from < bins; from += 256) {
    __syncthreads();
    stage[threadIdx.x] = from + threadIdx.x < bins ? encodedKeys[from + threadIdx.x] : ~u64(0);
    __syncthreads();
#pragma unroll 16
    for (u32 j = 0; j < 256; j++) rank += stage[j] < mine;
  }
  if (i < bins) {
    sorted[rank] = mine;
    counts[rank] = tallies[i];
  }
}

}  // namespace gs

#endif
