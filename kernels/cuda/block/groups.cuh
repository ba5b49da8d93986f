// Groups of equal neighbours: what the launch of one pass (block/groups_sweep.cuh) and that of few tiles
// (block/groups_once.cuh) share. Every key is read once, every result written once.
#ifndef GS_BLOCK_GROUPS
#define GS_BLOCK_GROUPS

#include "block/control.cuh"
#include "block/groups_heads.cuh"

namespace gs {

// GroupsStatus is plan.Status's record.
struct GroupsStatus {
  u32 code, unused;
  u64 number;
};
constexpr u32 kGroupsNoRoom = 1;

// GroupsOut is where results go: values[room], unless mode is kModeArgsort, and starts[room + 1], if there are
// any. n is the number of keys. The record says how many groups there are, and kGroupsNoRoom if they are more
// than room. Then values and starts may hold anything, within their room.
template <typename K, typename I> struct GroupsOut {
  K* values;
  I* starts;
  u64 n, room;
  u32 mode;
  GroupsStatus* status;
};

// GroupsShared carves the dynamic shared memory, which has so many halves: a tile's heads lie in one of them. Keys
// of 4 and 8 bytes that begin a group are gathered in it; of smaller ones, of which sorted input has few, the places
// alone, and the keys are read again.
template <typename K, bool kStarts> struct GroupsShared {
  typedef GroupsTile<K> T;
  static constexpr bool kKeys = sizeof(K) >= 4, kPlaces = kStarts || !kKeys;
  static constexpr u32 kHead = 64, kKeyBytes = kKeys ? T::kItems * sizeof(K) : 0;
  static constexpr u32 kHalf = kKeyBytes + (kPlaces ? T::kItems * sizeof(unsigned short) : 0);
  static GS_DEVICE constexpr u32 bytes(u32 halves) { return kHead + halves * kHalf; }
  static_assert(T::kItems <= 65536, "a place in a tile has 16 bits");
  u32* sums;    // heads of each warp
  u32* next;    // the block's next tile
  u64* before;  // groups that begin before the tile
  char* heads;
  GS_DEVICE explicit GroupsShared(void* base) {
    char* const at = static_cast<char*>(base);
    sums = static_cast<u32*>(base), next = sums + kGroupsThreads / 32, before = reinterpret_cast<u64*>(at + kHead - 8);
    heads = at + kHead;
  }
  // keys and places are the heads of a tile, in order, and where in the tile each lies.
  GS_DEVICE K* keys(u32 half) const { return reinterpret_cast<K*>(heads + half * kHalf); }
  GS_DEVICE unsigned short* places(u32 half) const {
    return reinterpret_cast<unsigned short*>(heads + half * kHalf + kKeyBytes);
  }
};
static_assert(kGroupsThreads / 32 * 4 + 4 <= 56, "what lies before the heads has 64 bytes");

// GroupsKeys are the keys, counted from the 16-byte boundary at or below the first.
template <typename K> struct GroupsKeys {
  const K* base;
  u64 begin, end;
  GS_DEVICE GroupsKeys(const K* keys, u64 n) : begin(reinterpret_cast<u64>(keys) % 16 / sizeof(K)) {
    base = keys - begin, end = begin + n;
  }
  GS_DEVICE u32 tiles() const { return u32((end + GroupsTile<K>::kItems - 1) / GroupsTile<K>::kItems); }
};

// gatherHeads puts the heads of a tile into a half of the shared memory and returns how many they are. It calls
// publish with that number as soon as it is known, and ends without a barrier. All threads of the block.
template <bool kStarts, typename K, typename Publish>
GS_DEVICE u32 gatherHeads(const GroupsShared<K, kStarts>& shared, const GroupsTile<K>& rows, const Heads<K>& heads,
                          u32 half, Publish publish) {
  typedef GroupsShared<K, kStarts> Shared;
  const u32 warp = threadIdx.x / 32;
  if (laneID() == 0) shared.sums[warp] = heads.total;
  __syncthreads();  // the heads that lay in this half are written, too
  u32 rank = 0, all = 0;
#pragma unroll
  for (u32 w = 0; w < kGroupsThreads / 32; w++) {
    const u32 sum = shared.sums[w];
    if (w < warp) rank += sum;
    all += sum;
  }
  publish(all);
  K* const keys = shared.keys(half);
  unsigned short* const places = shared.places(half);
  heads.each(rank, [&](u32 to, u32 r, u32 j) {
    if constexpr (Shared::kKeys) keys[to] = rows.v[r].x[j];
    if constexpr (Shared::kPlaces) places[to] = (unsigned short)GroupsTile<K>::place(r, j);
  });
  return all;
}

// writeGroups writes the `all` groups that begin in a tile, which lie in a half of the shared memory; `before` is how
// many begin before it. The last tile's block writes the record. All threads of the block, behind a barrier.
template <bool kStarts, typename K, typename I>
GS_DEVICE void writeGroups(const GroupsShared<K, kStarts>& shared, const GroupsKeys<K>& keys,
                           const GroupsOut<K, I>& out, u32 tile, u32 half, u64 before, u32 all) {
  typedef GroupsShared<K, kStarts> Shared;
  const K* const headKeys = shared.keys(half);
  const unsigned short* const places = shared.places(half);
  const u64 left = before < out.room ? out.room - before : 0, first = u64(tile) * GroupsTile<K>::kItems;
  const u32 fit = left < all ? u32(left) : all;
#pragma unroll 4
  for (u32 i = threadIdx.x; i < fit; i += kGroupsThreads) {
    if (!kStarts || out.mode != kModeArgsort) {
      if constexpr (Shared::kKeys)
        out.values[before + i] = headKeys[i];
      else
        out.values[before + i] = keys.base[first + places[i]];
    }
    if constexpr (kStarts) out.starts[before + i] = I(first + places[i] - keys.begin);
  }
  if (first + GroupsTile<K>::kItems >= keys.end && threadIdx.x == 0) {
    const u64 number = before + all;
    *out.status = GroupsStatus{number > out.room ? kGroupsNoRoom : 0, 0, number};
    if (kStarts && number <= out.room) out.starts[number] = I(out.n);
  }
}

}  // namespace gs

#endif
