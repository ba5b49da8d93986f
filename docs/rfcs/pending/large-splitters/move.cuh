// Moving a tile's keys to the runs of their digits, which are known: block/msd_split.cuh with digits that keys do not tell.
#ifndef GS_LARGE_MOVE
#define GS_LARGE_MOVE

#include "state.cuh"

namespace gs {

struct MoveShared {
  u32 prefixes[kDigits / 2 * 32];   // half-words (digit, lane)
  union {
    uint4 columns[512];             // bytes (digit, lane)
    u64 sorted[kTile];
  };
  u8 tags[kTile];
};
constexpr u32 kMoveBytes = sizeof(MoveShared);

// moveTile moves keys[0, items), items at most kTile. cursors[d] is the next place of digit d in out. Places without
// a key have the last digit, and so the last slots.
GS_DEVICE void moveTile(const u64* keys, const u8* codes, u64* out, u32 items, u32* cursors, u32 buckets) {
  extern __shared__ uint4 dynamicShared[];
  MoveShared& s = *reinterpret_cast<MoveShared*>(dynamicShared);
  __shared__ uint4 counts4[64];
  __shared__ u32 outBase[kDigits], warpSums[8];
  u32* const counts = reinterpret_cast<u32*>(counts4);
  const u32 t = threadIdx.x, lane = laneID();
  u64 k[kMoveItems];
  u32 digits[(kMoveItems + 3) / 4], ranks[(kMoveItems + 3) / 4];
#pragma unroll
  for (int i = 0; i < (kMoveItems + 3) / 4; i++) digits[i] = ranks[i] = 0;
#pragma unroll
  for (int i = 0; i < kMoveItems; i++) {
    const u32 at = t + i * kMoveThreads;
    const bool valid = at < items;
    k[i] = valid ? keys[at] : 0;
    digits[i / 4] |= (valid ? u32(codes[at]) : kNoDigit) << 8 * (i & 3);
  }
  for (u32 i = t; i < 512; i += kMoveThreads) s.columns[i] = make_uint4(0, 0, 0, 0);
  __syncthreads();
  u32* const column = reinterpret_cast<u32*>(s.columns) + lane;
#pragma unroll
  for (int i = 0; i < kMoveItems; i++) {
    const u32 d = digits[i / 4] >> 8 * (i & 3) & 255, by = (d & 3) * 8;
    ranks[i / 4] |= (atomicAdd(&column[(d >> 2) * 32], 1u << by) >> by & 255) << 8 * (i & 3);
  }
  __syncthreads();
  constexpr int kTurns = (512 + kMoveThreads - 1) / kMoveThreads;
  constexpr u32 kBytesOf = 0x00ff00ff;
  u32 even[kTurns], odd[kTurns];
#pragma unroll
  for (int x = 0; x < kTurns; x++) {
    const u32 id = t + x * kMoveThreads;
    if (id >= 512) continue;
    const u32 g = id >> 3, q = id & 7;
    const uint4 v = s.columns[id];
    const u32 e = (v.x & kBytesOf) + (v.y & kBytesOf) + (v.z & kBytesOf) + (v.w & kBytesOf);
    const u32 o = (v.x >> 8 & kBytesOf) + (v.y >> 8 & kBytesOf) + (v.z >> 8 & kBytesOf) + (v.w >> 8 & kBytesOf);
    u32 sumE = e, sumO = o;
#pragma unroll
    for (u32 d = 1; d < 8; d *= 2) {
      const u32 a = __shfl_up_sync(kAllLanes, sumE, d, 8), b = __shfl_up_sync(kAllLanes, sumO, d, 8);
      if (q >= d) sumE += a, sumO += b;
    }
    if (q == 7) counts4[g] = make_uint4(sumE & 0xffff, sumO & 0xffff, sumE >> 16, sumO >> 16);
    even[x] = sumE - e, odd[x] = sumO - o;
  }
  __syncthreads();
  u32 mine = 0, place = 0, inclusive = 0;
  if (t < u32(kDigits)) {
    mine = counts[t];
    if (mine && t < buckets) place = atomicAdd(&cursors[t], mine);
    inclusive = inclusiveSum(mine);
    counts[t] = inclusive - mine;
    if (lane == 31) warpSums[t >> 5] = inclusive;
  }
  __syncthreads();
#pragma unroll
  for (int x = 0; x < kTurns; x++) {
    const u32 id = t + x * kMoveThreads;
    if (id >= 512) continue;
    const u32 g = id >> 3, q = id & 7;
    const uint4 v = s.columns[id], c = counts4[g];
    u32 before = 0;
#pragma unroll
    for (u32 w = 0; w < 7; w++) before += w < (id >> 6) ? warpSums[w] : 0;
    const u32 e0 = even[x] + (c.x | c.z << 16) + before * 0x10001u, o0 = odd[x] + (c.y | c.w << 16) + before * 0x10001u;
    const u32 e1 = e0 + (v.x & kBytesOf), o1 = o0 + (v.x >> 8 & kBytesOf);
    const u32 e2 = e1 + (v.y & kBytesOf), o2 = o1 + (v.y >> 8 & kBytesOf);
    const u32 e3 = e2 + (v.z & kBytesOf), o3 = o2 + (v.z >> 8 & kBytesOf);
    uint4* const to = reinterpret_cast<uint4*>(s.prefixes) + g * 16 + q;
    to[0] = make_uint4(__byte_perm(e0, o0, 0x5410), __byte_perm(e1, o1, 0x5410), __byte_perm(e2, o2, 0x5410), __byte_perm(e3, o3, 0x5410));
    to[8] = make_uint4(__byte_perm(e0, o0, 0x7632), __byte_perm(e1, o1, 0x7632), __byte_perm(e2, o2, 0x7632), __byte_perm(e3, o3, 0x7632));
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kMoveItems; i++) {
    const u32 d = digits[i / 4] >> 8 * (i & 3) & 255;
    const u32 slot = reinterpret_cast<u16*>(s.prefixes)[(d >> 1) * 64 + lane * 2 + (d & 1)] + (ranks[i / 4] >> 8 * (i & 3) & 255);
    s.sorted[slot] = k[i];
    s.tags[slot] = u8(d);
  }
  if (t < u32(kDigits)) {
    u32 first = inclusive - mine;
#pragma unroll
    for (u32 w = 0; w < 7; w++) first += w < (t >> 5) ? warpSums[w] : 0;
    outBase[t] = place - first;  // may be below 0: a slot from first on brings the sum back
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kMoveItems; i++) {
    const u32 slot = i * kMoveThreads + t;
    if (slot < items) out[outBase[s.tags[slot]] + slot] = s.sorted[slot];
  }
}

// largeMove: a block for each kTile keys, kMoveThreads threads, kMoveBytes of dynamic shared memory.
GS_DEVICE void largeMove(const u64* keys, const u8* codes, u64* alt, u32 n, Split* s) {
  const u32 begin = blockIdx.x * kTile;
  moveTile(keys + begin, codes + begin, alt, n - begin < kTile ? n - begin : kTile, s->cursors, kParts);
}

// largePartMove: a block for each tile of the list.
GS_DEVICE void largePartMove(const u64* alt, const u8* codes, u64* keys, const Tile* tiles, u32* cursors, const Split* s) {
  if (blockIdx.x >= s->tiles) return;
  const Tile t = tiles[blockIdx.x];
  if (s->parts[t.part].constant) {
    const u64 key = alt[t.begin];
    for (u32 i = threadIdx.x; i < t.items; i += kMoveThreads) keys[t.begin + i] = key;
    return;
  }
  moveTile(alt + t.begin, codes + t.begin, keys, t.items, cursors + s->parts[t.part].first, s->parts[t.part].buckets);
}

}  // namespace gs

#endif
