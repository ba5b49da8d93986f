// Prefix sum in one pass over the data: chained scan with decoupled look-back
// (Merrill and Garland 2016). Each element is read once and written once.
#ifndef GS_BLOCK_SCAN_LOOKBACK
#define GS_BLOCK_SCAN_LOOKBACK

#include "block/scan_state.cuh"
#include "warp/lookback.cuh"
#include "warp/match.cuh"
#include "warp/vector.cuh"

namespace gs {

// A tile's word in the look-back array holds a status in its high half and 32
// bits of a sum in its low half: one 64-bit word, read and written whole, so
// that who sees a status sees the sum that belongs to it and relaxed order is
// enough. A 64-bit sum takes two words, each with the status of its half; a
// reader that finds two different statuses has met the writer half way and
// looks again. A status is written once per tile, so that equal statuses mean
// one sum.
constexpr u32 kTilePartial = 1;    // sum of the tile alone
constexpr u32 kTileInclusive = 2;  // sum of the tile and all before it

template <typename T> GS_DEVICE void publishTile(u64* words, u32 tile, u32 status, T sum) {
  constexpr u32 kWords = sizeof(T) / 4;
#pragma unroll
  for (u32 i = 0; i < kWords; i++)
    storeWord<u64>(words + u64(tile) * kWords + i, u64(status) << 32 | u32(u64(sum) >> 32 * i));
}

// readTile returns the status of a tile, 0 if it has none yet, and its sum.
template <typename T> GS_DEVICE u32 readTile(const u64* words, u32 tile, T& sum) {
  constexpr u32 kWords = sizeof(T) / 4;
  const u64 low = loadWord(words + u64(tile) * kWords);
  sum = T(u32(low));
  if constexpr (kWords == 2) {
    const u64 high = loadWord(words + u64(tile) * kWords + 1);
    sum += T(high << 32);
    if (high >> 32 != low >> 32) return 0;
  }
  return u32(low >> 32);
}

// settle waits until the sums of the tiles before have probably arrived. Looks that
// come too early only delay the publishing of those sums: on an H200, 2^28 u32 in
// tiles of 24 KB take 0.63 ms without the wait, 0.60 with 0.7 microseconds, 0.57
// with 3. The first tiles, which start together and have few before them, do not
// wait. Older devices cannot sleep.
GS_DEVICE void settle(u32 tile) {
#if __CUDA_ARCH__ >= 700
  constexpr u32 kFirstTiles = 1024, kNanoseconds = 3000;
  if (tile >= kFirstTiles) __nanosleep(kNanoseconds);
#endif
}

// tilesBefore sums all tiles before `tile`, which is not 0. One whole warp: lane
// i reads the i-th tile before the nearest that is not summed yet, so that one
// trip to the L2 covers 32 tiles. The lanes meet in votes, never at a barrier of
// the block. It ends because the tiles before hold smaller tickets: they have
// started, and a started tile publishes its own sum without waiting for anybody.
template <typename T> GS_DEVICE T tilesBefore(const u64* words, u32 tile) {
  T before = 0;
  settle(tile);
  for (long long at = (long long)tile - 1 - laneID();; at -= 32) {
    T sum = 0;
    u32 status = kTileInclusive, inclusive;  // before the first tile lies nothing
    for (bool first = true;; first = false) {
      if (at >= 0 && (first || status == 0)) status = readTile(words, u32(at), sum);
      inclusive = __ballot_sync(kAllLanes, status == kTileInclusive);
      // Lanes beyond the nearest inclusive sum do not matter.
      const u32 needed = inclusive ? (inclusive & (0u - inclusive)) - 1 : kAllLanes;
      if ((__ballot_sync(kAllLanes, status == 0) & needed) == 0) break;
    }
    const u32 nearest = inclusive ? u32(__ffs(int(inclusive))) - 1 : 31;
    if (at < 0 || laneID() > nearest) sum = 0;
    before += warpSum(sum);
    if (inclusive) return before;
  }
}

// lookbackTile sums one tile: base points at the 16-byte boundary, elements
// [begin, end) from there are the data. All threads; ends with shared memory
// free for the next tile once all have passed a barrier.
template <typename T, int kVectors>
GS_DEVICE void lookbackTile(T* base, u64 begin, u64 end, u32 tile, u64 tileItems, bool inclusive, u64* words,
                            T* warpSums) {
  constexpr u32 kEach = 16 / sizeof(T), kRow = 32 * kEach;
  const u32 lane = laneID(), warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const u64 first = tile * tileItems, row0 = first + u64(warp) * kVectors * kRow;
  const bool whole = first >= begin && first + tileItems <= end;

  KeyVector<T> v[kVectors];
  if (whole) {
#pragma unroll
    for (int r = 0; r < kVectors; r++) v[r].raw = __ldcs(reinterpret_cast<const uint4*>(base + row0 + r * kRow) + lane);
  } else {
#pragma unroll
    for (int r = 0; r < kVectors; r++) {
#pragma unroll
      for (u32 j = 0; j < kEach; j++) {
        const u64 at = row0 + r * kRow + lane * kEach + j;
        v[r].k[j] = at >= begin && at < end ? base[at] : T(0);
      }
    }
  }
  // Exclusive sums within the warp: v[r] becomes what lies before each element.
  T total = 0;
#pragma unroll
  for (int r = 0; r < kVectors; r++) {
    T mine = 0;
#pragma unroll
    for (u32 j = 0; j < kEach; j++) mine += v[r].k[j];
    const T upTo = inclusiveSum(mine);
    T running = total + upTo - mine;
#pragma unroll
    for (u32 j = 0; j < kEach; j++) {
      const T x = v[r].k[j];
      v[r].k[j] = running + (inclusive ? x : T(0));
      running += x;
    }
    total += __shfl_sync(kAllLanes, upTo, 31);
  }
  if (lane == 0) warpSums[warp] = total;
  __syncthreads();
  if (warp == 0) {
    const T mine = lane < warps ? warpSums[lane] : T(0), upTo = inclusiveSum(mine);
    const T all = __shfl_sync(kAllLanes, upTo, 31);
    if (lane == 0) publishTile(words, tile, tile == 0 ? kTileInclusive : kTilePartial, all);
    T before = 0;
    if (tile != 0) {
      before = tilesBefore<T>(words, tile);
      if (lane == 0) publishTile(words, tile, kTileInclusive, T(before + all));
    }
    if (lane < warps) warpSums[lane] = before + upTo - mine;
  }
  __syncthreads();
  const T before = warpSums[warp];
#pragma unroll
  for (int r = 0; r < kVectors; r++) {
#pragma unroll
    for (u32 j = 0; j < kEach; j++) v[r].k[j] += before;
    if (whole) {
      __stcs(reinterpret_cast<uint4*>(base + row0 + r * kRow) + lane, v[r].raw);
    } else {
#pragma unroll
      for (u32 j = 0; j < kEach; j++) {
        const u64 at = row0 + r * kRow + lane * kEach + j;
        if (at >= begin && at < end) base[at] = v[r].k[j];
      }
    }
  }
}

// lookbackScan replaces data[0, n) by its prefix sums. Launch: blockDim a
// multiple of 32, any grid; a tile is blockDim*kVectors vectors of 16 bytes, tiles
// count from the 16-byte boundary at or below data. words and the ticket are
// zero. Dynamic shared memory: 33 elements and 8 bytes.
//
// Tile numbers come from an atomic ticket and not from blockIdx: then every tile
// before this one is done or runs now, and a grid of any size makes progress. A
// warp holds kVectors rows of 32 vectors; a row is one coalesced access, and its
// sums meet in shuffles, so that the data never passes through shared memory.
template <typename T, int kVectors> GS_DEVICE void lookbackScan(T* data, ScanSpan span, u64* words, u32* ticket) {
  constexpr u32 kEach = 16 / sizeof(T);
  extern __shared__ uint4 dynamicShared[];
  T* const warpSums = reinterpret_cast<T*>(dynamicShared);  // one per warp
  u32* const sharedTile = reinterpret_cast<u32*>(warpSums + 33);
  const u64 n = span.items(), offset = reinterpret_cast<u64>(data) % 16 / sizeof(T);
  const u64 tileItems = u64(blockDim.x) * kVectors * kEach, tiles = (n + offset + tileItems - 1) / tileItems;
  do {
    if (threadIdx.x == 0) *sharedTile = atomicAdd(ticket, 1u);
    __syncthreads();
    const u32 tile = *sharedTile;
    if (tile >= tiles) return;  // whole block
    lookbackTile<T, kVectors>(data - offset, offset, n + offset, tile, tileItems, span.inclusive, words, warpSums);
  } while (gridDim.x < tiles);
}

}  // namespace gs

#endif
