// A level's segments before their keys move: a sample guesses the digit to split
// by, all keys are counted by it, and the counts become places.
#ifndef GS_BLOCK_MSD_MEASURE
#define GS_BLOCK_MSD_MEASURE

#include "block/msd_segments.cuh"

namespace gs {

// scatter is a place in [0, items) for number x: spread, and in no rhythm that
// keys may have.
GS_DEVICE u32 scatter(u32 x, u32 items) {
  u32 h = (x + 1) * 0x9e3779b9u;
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  return u32(u64(h) * items >> 32);
}

// sampleSegments chooses each segment's digit: the highest bit in which some of
// its keys differ, and those below. A warp per segment, any grid. It also clears
// the segment's entries and lists its tiles and units.
template <typename K> GS_DEVICE void sampleSegments(const MsdLargeRoom& r, u32 level, const K* keys, const K* alt, u32 tile) {
  const u32 lane = laneID(), listed = r.large->segments[level];
  for (u32 i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < listed; i += gridDim.x * blockDim.x / 32) {
    MsdSegment s = r.of(level)[i];
    u32 rest = s.rest;
    if (rest != 0 && !s.exact) {
      const K* const in = (s.place ? alt : keys) + s.begin;
      K differ = 0;
#pragma unroll
      for (u32 j = 0; j < 4; j++) differ |= in[scatter(j * 32 + lane, s.items)] ^ in[0];
      differ = warpOr(differ);
      if (differ != 0) rest = highestBit(differ) + 1;
    }
    s.bits = (unsigned char)smaller(s.room, rest);
    s.shift = (unsigned char)(rest - s.bits);
    s.what = rest == 0 ? kSegmentEqual : kSegmentSplit;
    s.differ = 0;
    __syncwarp();  // all lanes have read the segment
    if (lane == 0) r.of(level)[i] = s;
    for (u32 j = lane; j < 1u << s.room; j += 32) r.pool[s.entry + j] = 0;
    for (u32 j = lane; j < 1u << s.room >> 3; j += 32) r.units[s.entry / 8 + j] = i;
    const u32 tiles = segmentTiles(s.begin, s.items, tile);
    for (u32 j = lane; j < tiles; j += 32) r.tiles[s.tile + j] = i;
  }
}

// A tile's keys: [base+lo, base+hi), base a multiple of 32.
struct SegmentTile {
  u32 base, lo, hi;
  GS_DEVICE SegmentTile(const MsdSegment& s, u32 at, u32 tile) {
    base = (s.begin & ~31u) + (at - s.tile) * tile;
    lo = s.begin > base ? s.begin - base : 0;
    hi = smaller(s.begin + s.items - base, tile);
  }
};

// countSegments counts the keys of each segment by its digit and notes the bits in
// which they differ. A block counts neighbouring tiles and adds its counts once per
// segment. Counter (digit, lane) is half digit%2 of word (digit/2)·32+lane: lanes
// never meet in a bank. A column grows by threads/32·items per tile, below 256: 256
// tiles at most before a half would overflow. Dynamic shared memory: 16 KB.
template <typename S> GS_DEVICE void countSegments(const MsdLargeRoom& r, u32 level, const typename S::K* keys, const typename S::K* alt, u32 codec) {
  typedef typename S::K K;
  extern __shared__ uint4 dynamicShared[];
  u32* const words = reinterpret_cast<u32*>(dynamicShared);
  const u32 t = threadIdx.x, lane = laneID();
  const u32 tiles = r.large->tiles[level], each = (tiles + gridDim.x - 1) / gridDim.x;
  const u32 end = smaller((blockIdx.x + 1) * each, tiles);
  MsdSegment* const segments = r.of(level);
  for (u32 at = blockIdx.x * each; at < end;) {
    const u32 index = r.tiles[at];
    const MsdSegment s = segments[index];
    u32 behind = s.tile + segmentTiles(s.begin, s.items, S::kTile);
    behind = smaller(smaller(behind, end), at + 256);
    if (s.what == kSegmentEqual) {
      at = behind;
      continue;
    }
    for (u32 i = t; i < 1024; i += S::kThreads) dynamicShared[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    const K* const in = s.place ? alt : keys;
    const u32 encoding = s.raw ? codec : 0, mask = (1u << s.bits) - 1;
    const K first = encode(encoding, in[s.begin]);
    K differ = 0;
    for (; at < behind; at++) {
      const SegmentTile tile(s, at, S::kTile);
      K k[S::kItems];
#pragma unroll
      for (int i = 0; i < S::kItems; i++) {
        const u32 p = t + i * S::kThreads;
        k[i] = 0;
        if (p >= tile.lo && p < tile.hi) k[i] = in[tile.base + p];
      }
#pragma unroll
      for (int i = 0; i < S::kItems; i++) {
        const u32 p = t + i * S::kThreads;
        if (p < tile.lo || p >= tile.hi) continue;
        const K key = encode(encoding, k[i]);
        const u32 d = u32(key >> s.shift) & mask;
        differ |= key ^ first;
        atomicAdd(&words[(d >> 1) * 32 + lane], 1u << (d & 1) * 16);
      }
    }
    __syncthreads();
    if (t <= mask) {
      u32 sum = 0;
      for (u32 j = 0; j < 32; j++) sum += words[(t >> 1) * 32 + ((j + (t >> 1)) & 31)] >> (t & 1) * 16 & 0xffff;
      if (sum != 0) atomicAdd(&r.pool[s.entry + t], sum);
    }
    differ = warpOr(differ);
    if (lane == 0 && (u64(differ) & ~*(volatile u64*)&segments[index].differ)) atomicOr(&segments[index].differ, u64(differ));
    __syncthreads();  // the counters are cleared for the next segment
  }
}

// placeSegments turns counts into the places of each digit's first key and lists
// parts that are too large at the next level. A warp per segment, any grid.
// Entries beyond the digits are set so that they look empty.
GS_DEVICE void placeSegments(const MsdLargeRoom& r, u32 level, u32 capacity, u32 tile) {
  const u32 lane = laneID(), listed = r.large->segments[level];
  for (u32 i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < listed; i += gridDim.x * blockDim.x / 32) {
    MsdSegment s = r.of(level)[i];
    if (s.what == kSegmentEqual) continue;
    __syncwarp();  // all lanes have read the segment
    const u32 top = s.differ == 0 ? 0 : highestBit(s.differ);
    if (s.differ == 0 || top >= u32(s.shift) + s.bits) {
      s.what = s.differ == 0 ? kSegmentEqual : kSegmentAgain;
      if (lane != 0) continue;
      r.of(level)[i].what = s.what;
      if (s.what == kSegmentEqual) continue;
      s.rest = (unsigned char)(top + 1);
      s.exact = 1;
      addSegment(r, level + 1, s, tile);
      continue;
    }
    u32 begin = s.begin;
    for (u32 from = 0; from < 1u << s.room; from += 32) {
      const u32 d = from + lane;
      const u32 count = d < 1u << s.bits ? r.pool[s.entry + d] : 0, inclusive = inclusiveSum(count), mine = begin + inclusive - count;
      if (d < 1u << s.room) r.pool[s.entry + d] = mine;
      if (count > capacity) {
        MsdSegment part = s;
        part.begin = mine, part.items = count;
        part.rest = s.shift, part.place = 1 - s.place, part.raw = part.exact = 0;
        addSegment(r, level + 1, part, tile);
      }
      begin += __shfl_sync(kAllLanes, inclusive, 31);
    }
  }
}

}  // namespace gs

#endif
