// A tile of keys in registers, and its heads: the keys that differ from the one before.
#ifndef GS_BLOCK_GROUPS_HEADS
#define GS_BLOCK_GROUPS_HEADS

#include "warp/match.cuh"

namespace gs {

// A block of 256 threads has a tile of 32 KB, 128 bytes of each thread under way; three fill the registers of a
// multiprocessor and keep 96 KB of it in flight. Larger tiles are slower where the input has few. Other cards have
// tiles of 16 KB, whose places fit in 48 KB of shared memory for keys of any width.
constexpr u32 kGroupsThreads = 256;
constexpr u32 kGroupsVectors90 = 8, kGroupsBlocks90 = 3;
constexpr u32 kGroupsVectorsPTX = 4, kGroupsBlocksPTX = 4;
#if defined(GS_TARGET_SM_90)
constexpr u32 kGroupsVectors = kGroupsVectors90, kGroupsBlocks = kGroupsBlocks90;
#else
constexpr u32 kGroupsVectors = kGroupsVectorsPTX, kGroupsBlocks = kGroupsBlocksPTX;
#endif
GS_CONSTANT(GroupsThreads, kGroupsThreads)
GS_CONSTANT(GroupsTileBytes90, 16 * kGroupsThreads * kGroupsVectors90)
GS_CONSTANT(GroupsTileBytesPTX, 16 * kGroupsThreads * kGroupsVectorsPTX)
GS_CONSTANT(GroupsBlocks90, kGroupsBlocks90)
GS_CONSTANT(GroupsBlocksPTX, kGroupsBlocksPTX)

// GroupsVector is one load.
template <typename K> union GroupsVector {
  static constexpr u32 kEach = 16 / sizeof(K);
  uint4 raw;
  K x[kEach];
};

// GroupsTail ends with a key: a register of the one before a vector. Of small keys it is that of
// the whole word, for which a vote and a shift are enough.
template <typename K> struct GroupsTail {
  typedef u32 type;
  static GS_DEVICE u32 of(const GroupsVector<K>& v) { return v.raw.w; }
  static GS_DEVICE u32 of(K k) { return u32(k) << (32 - 8 * sizeof(K)); }
};
template <> struct GroupsTail<u64> {
  typedef u64 type;
  static GS_DEVICE u64 of(const GroupsVector<u64>& v) { return v.x[1]; }
  static GS_DEVICE u64 of(u64 k) { return k; }
};

// headsOf returns, as bits, which keys of v differ from the one before; previous ends with the one
// before the first.
template <typename K> GS_DEVICE u32 headsOf(const GroupsVector<K>& v, typename GroupsTail<K>::type previous) {
  u32 heads = 0;
  if constexpr (sizeof(K) >= 4) {
#pragma unroll
    for (u32 j = 0; j < GroupsVector<K>::kEach; j++) {
      heads |= u32(v.x[j] != previous) << j;
      previous = v.x[j];
    }
  } else {
    constexpr u32 kBits = 8 * sizeof(K);
    const u32 word[4] = {v.raw.x, v.raw.y, v.raw.z, v.raw.w};
#pragma unroll
    for (u32 i = 0; i < 4; i++) {
      const u32 d = word[i] ^ (word[i] << kBits | previous >> (32 - kBits));  // keys that are not 0 are heads
      if constexpr (kBits == 16) {
        heads |= (u32((d & 0xffffu) != 0) | u32(d >> 16 != 0) << 1) << 2 * i;
      } else {
        // The upper bit of every byte that is not 0, and those four bits side by side.
        const u32 upper = (((d & 0x7f7f7f7fu) + 0x7f7f7f7fu) | d) & 0x80808080u;
        heads |= (upper >> 7) * 0x10204080u >> 28 << 4 * i;
      }
      previous = word[i];
    }
  }
  return heads;
}

// GroupsTile is what a thread has of a tile. A warp holds kGroupsVectors rows of 32 vectors; a
// row is one coalesced access.
template <typename K> struct GroupsTile {
  typedef GroupsVector<K> Vector;
  static constexpr u32 kEach = Vector::kEach, kRow = 32 * kEach, kItems = kGroupsThreads * kGroupsVectors * kEach;
  Vector v[kGroupsVectors];
  K previous;  // lane 0: the key before the warp's first

  // place is where in the tile item j of this thread's vector r lies.
  static GS_DEVICE u32 place(u32 r, u32 j) {
    return (threadIdx.x / 32 * kGroupsVectors + r) * kRow + laneID() * kEach + j;
  }

  // inner reports whether a tile has neither the first key nor places behind the last.
  static GS_DEVICE bool inner(u64 begin, u64 end, u32 tile) {
    const u64 first = u64(tile) * kItems;
    return first > begin && first + kItems <= end;
  }

  // load reads a tile of base[begin, end); base is a multiple of 16.
  GS_DEVICE void load(const K* base, u64 begin, u64 end, u32 tile) {
    const u64 mine = u64(tile) * kItems + place(0, 0);
    previous = 0;
    if (laneID() == 0 && mine > begin && mine < end) previous = base[mine - 1];
    if (inner(begin, end, tile)) {
#pragma unroll
      for (u32 r = 0; r < kGroupsVectors; r++) {
        v[r].raw = __ldcs(reinterpret_cast<const uint4*>(base + mine + r * kRow));
      }
      return;
    }
#pragma unroll
    for (u32 r = 0; r < kGroupsVectors; r++) {
      const u64 at = mine + r * kRow;
      if (at >= begin && at + kEach <= end) {
        v[r].raw = *reinterpret_cast<const uint4*>(base + at);
      } else {
#pragma unroll
        for (u32 j = 0; j < kEach; j++) v[r].x[j] = at + j >= begin && at + j < end ? base[at + j] : K(0);
      }
    }
  }
};

// Heads are those of a tile: bits of this thread's vectors, and how many lie before each.
template <typename K> struct Heads {
  typedef GroupsTile<K> T;
  // Counts of kPack rows are summed in one word: a row's field holds all of its keys.
  static constexpr u32 kField = T::kRow == 64 ? 7 : T::kRow == 128 ? 8 : T::kRow == 256 ? 9 : 10;
  static constexpr u32 kPack = 32 / kField, kScans = (kGroupsVectors + kPack - 1) / kPack;
  static_assert(T::kRow < 1u << kField, "a row's count fits");
  u32 bits[kGroupsVectors];
  u32 before[kScans], rows[kScans];  // in the lanes below, in all lanes
  u32 total;                         // of the warp

  static GS_DEVICE u32 field(const u32* packed, u32 r) {
    return packed[r / kPack] >> r % kPack * kField & ((1u << kField) - 1);
  }

  // All threads of the block.
  GS_DEVICE Heads(const T& tile, u64 begin, u64 end, u32 number) {
    typedef GroupsTail<K> Tail;
    auto last = Tail::of(tile.previous);
#pragma unroll
    for (u32 r = 0; r < kGroupsVectors; r++) {
      const auto below = __shfl_sync(kAllLanes, Tail::of(tile.v[r]), (laneID() + 31) & 31);
      bits[r] = headsOf<K>(tile.v[r], laneID() == 0 ? last : below);
      last = below;  // lane 0's is that of the row's last lane
    }
    if (!T::inner(begin, end, number)) trim(begin, end, number);
    total = 0;
#pragma unroll
    for (u32 s = 0; s < kScans; s++) {
      u32 packed = 0;
#pragma unroll
      for (u32 f = 0; f < kPack; f++) {
        if (s * kPack + f < kGroupsVectors) packed |= u32(__popc(bits[s * kPack + f])) << f * kField;
      }
      const u32 upTo = inclusiveSum(packed);
      before[s] = upTo - packed, rows[s] = __shfl_sync(kAllLanes, upTo, 31);
    }
#pragma unroll
    for (u32 r = 0; r < kGroupsVectors; r++) total += field(rows, r);
  }

  // trim takes the bits of places behind the last key away, and makes the first key a head. Before the first key
  // lie zeros, as load has left them, of which none is a head.
  GS_DEVICE void trim(u64 begin, u64 end, u32 number) {
#pragma unroll
    for (u32 r = 0; r < kGroupsVectors; r++) {
      const u64 at = u64(number) * T::kItems + T::place(r, 0);
      if (at <= begin) bits[r] |= 1u << begin;  // which is below one vector
      bits[r] &= (1u << (end > at ? u32(least(end - at, u64(T::kEach))) : 0)) - 1;
    }
  }

  // each calls f(rank, r, j) for every head, key j of vector r; rank counts from that of the warp's first.
  template <typename F> GS_DEVICE void each(u32 rank, F f) const {
#pragma unroll
    for (u32 r = 0; r < kGroupsVectors; r++) {
      if (bits[r] != 0) {
        u32 to = rank + field(before, r);
#pragma unroll
        for (u32 j = 0; j < T::kEach; j++) {
          if (bits[r] >> j & 1) f(to++, r, j);
        }
      }
      rank += field(rows, r);
    }
  }
};

}  // namespace gs

#endif
