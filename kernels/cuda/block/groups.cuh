// Groups of equal neighbours in one pass: which keys begin a group, how many before them
// do, by decoupled look-back (Merrill and Garland 2016), and an ordered compaction of
// those keys and their positions. Every key is read once, every result written once.
#ifndef GS_BLOCK_GROUPS
#define GS_BLOCK_GROUPS

#include "block/control.cuh"
#include "block/groups_heads.cuh"
#include "block/groups_lookback.cuh"

namespace gs {

// GroupsStatus is plan.Status's record.
struct GroupsStatus {
  u32 code, unused;
  u64 number;
};
constexpr u32 kGroupsNoRoom = 1;

// GroupsShared carves the dynamic shared memory. Keys of 4 and 8 bytes that begin a group
// are gathered in it; of smaller ones, of which sorted input has few, the places alone, and
// the keys are read again.
template <typename K, bool kStarts> struct GroupsShared {
  typedef GroupsTile<K> T;
  static constexpr bool kKeys = sizeof(K) >= 4, kPlaces = kStarts || !kKeys;
  static constexpr u32 kHead = 64, kKeyBytes = kKeys ? T::kItems * sizeof(K) : 0;
  static constexpr u32 kBytes = kHead + kKeyBytes + (kPlaces ? T::kItems * sizeof(unsigned short) : 0);
  static_assert(T::kItems <= 65536, "a place in a tile has 16 bits");
  u32* sums;               // heads of each warp
  u32* next;               // the block's next tile
  u64* before;             // groups that begin before the tile
  K* keys;                 // heads of the tile, in order
  unsigned short* places;  // and where in the tile each lies
  GS_DEVICE explicit GroupsShared(void* base) {
    char* const at = static_cast<char*>(base);
    sums = static_cast<u32*>(base), next = sums + kGroupsThreads / 32, before = reinterpret_cast<u64*>(at + kHead - 8);
    keys = reinterpret_cast<K*>(at + kHead), places = reinterpret_cast<unsigned short*>(at + kHead + kKeyBytes);
  }
};
static_assert(kGroupsThreads / 32 * 4 + 4 <= 56, "what lies before the keys has 64 bytes");

// findGroups writes the first key of each group of keys[0, n), n > 0, to values, unless mode is
// kModeArgsort, and, if kStarts, where each begins to starts, and n behind the last; at most
// `room` of them, and one more start. The record says how many groups there are, and
// kGroupsNoRoom if they are more than room. Launch: kGroupsThreads threads, any grid. words,
// one of each tile, and *ticket are zero; of one tile both are left alone. Tiles count from the 16-byte
// boundary at or below keys.
//
// Tile numbers come from a ticket: the tiles before one are done, or in blocks that run now.
// A block takes its next ticket before it looks back from this tile, but holds no other
// tile up by that: it finishes its tiles in rising order, and of the tiles not finished the
// first waits for none. The next tile's keys are under way while this one looks back.
// Words hold a count with its status and hand nothing else over (block/groups_lookback.cuh);
// values and starts are read by later launches alone.
template <typename K, typename I, bool kStarts>
GS_DEVICE void findGroups(const K* keys, u64 n, K* values, I* starts, u64 room, u32 mode, u64* words, u32* ticket,
                          GroupsStatus* status) {
  typedef GroupsTile<K> T;
  typedef GroupsShared<K, kStarts> Shared;
  extern __shared__ uint4 dynamicShared[];
  const Shared shared(dynamicShared);
  const u64 begin = reinterpret_cast<u64>(keys) % 16 / sizeof(K), end = begin + n;
  const K* const base = keys - begin;
  const u32 tiles = u32((end + T::kItems - 1) / T::kItems), t = threadIdx.x, warp = t / 32;

  if (t == 0) *shared.next = tiles == 1 ? 0 : atomicAdd(ticket, 1u);
  __syncthreads();
  u32 tile = *shared.next;
  __syncthreads();
  T rows;
  if (tile < tiles) rows.load(base, begin, end, tile);
  while (tile < tiles) {  // whole block
    if (t == 0) *shared.next = tiles == 1 ? 1 : atomicAdd(ticket, 1u);
    Heads<K> heads(rows, begin, end, tile);
    if (laneID() == 0) shared.sums[warp] = heads.total;
    __syncthreads();  // the heads before are written, too

    u32 rank = 0, all = 0;
#pragma unroll
    for (u32 w = 0; w < kGroupsThreads / 32; w++) {
      const u32 sum = shared.sums[w];
      if (w < warp) rank += sum;
      all += sum;
    }
    const u32 next = *shared.next;
    if (t == 0 && tiles > 1) publishGroups(words, tile, tile == 0 ? kGroupsInclusive : kGroupsPartial, all);
    heads.each(rank, [&](u32 to, u32 r, u32 j) {
      if constexpr (Shared::kKeys) shared.keys[to] = rows.v[r].x[j];
      if constexpr (Shared::kPlaces) shared.places[to] = (unsigned short)T::place(r, j);
    });
    if (next < tiles) rows.load(base, begin, end, next);
    if (warp == 0) {
      u64 sum = 0;
      if (tile != 0) {
        sum = groupsBefore(words, tile);
        if (laneID() == 0) publishGroups(words, tile, kGroupsInclusive, sum + all);
      }
      if (laneID() == 0) *shared.before = sum;
    }
    __syncthreads();

    const u64 before = *shared.before, left = before < room ? room - before : 0, first = u64(tile) * T::kItems;
    const u32 fit = left < all ? u32(left) : all;
#pragma unroll 4
    for (u32 i = t; i < fit; i += kGroupsThreads) {
      if (!kStarts || mode != kModeArgsort) {
        if constexpr (Shared::kKeys)
          values[before + i] = shared.keys[i];
        else
          values[before + i] = base[first + shared.places[i]];
      }
      if constexpr (kStarts) starts[before + i] = I(first + shared.places[i] - begin);
    }
    if (tile == tiles - 1 && t == 0) {
      const u64 number = before + all;
      *status = GroupsStatus{number > room ? kGroupsNoRoom : 0, 0, number};
      if (kStarts && number <= room) starts[number] = I(n);
    }
    tile = next;
  }
}

}  // namespace gs

#endif
