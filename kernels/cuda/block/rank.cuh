// Stable ranking of a tile's keys by one digit, within a block.
//
// A tile's keys lie in registers, warp-striped: key i of lane l of warp w is
// the tile's key number (w·items + i)·32 + l. So each warp owns a run of the
// tile, and within a warp item-major order is input order. counts[w][d] first
// holds how many keys of warp w have digit d, then the rank of the next of
// them in the sorted tile.
#ifndef GS_BLOCK_RANK
#define GS_BLOCK_RANK

#include "warp/match.cuh"

namespace gs {

template <int kThreads> GS_DEVICE void clearCounts(u32* counts) {
  constexpr int kVectors = kThreads / 32 * kDigits / 4;
  static_assert(kVectors % kThreads == 0, "whole rounds");
#pragma unroll
  for (int i = 0; i < kVectors / kThreads; i++)
    reinterpret_cast<uint4*>(counts)[i * kThreads + threadIdx.x] = make_uint4(0, 0, 0, 0);
}

// digitOffsets turns the per-warp counts into ranks. Thread d < kDigits learns
// the digit's number of keys and its first rank; publish(total) runs in those
// threads as soon as the total is known, betweenBarriers() in all threads
// between the two barriers. warpSums holds kDigits/32 words.
// Begins after, and ends with, a barrier.
template <int kThreads, typename Publish, typename Between>
GS_DEVICE void digitOffsets(u32* counts, u32* warpSums, u32& total, u32& first, Publish publish,
                            Between betweenBarriers) {
  constexpr int kWarps = kThreads / 32;
  static_assert(kWarps % 2 == 0, "counts are kept in pairs");
  const u32 d = threadIdx.x;
  u32 c[kWarps / 2];  // two 16-bit counts each: a warp has fewer than 2^16 keys
  u32 inclusive = 0;
  total = first = 0;
  if (d < kDigits) {
#pragma unroll
    for (int w = 0; w < kWarps / 2; w++) {
      const u32 even = counts[2 * w * kDigits + d], odd = counts[(2 * w + 1) * kDigits + d];
      c[w] = even | odd << 16;
      total += even + odd;
    }
    publish(total);
    inclusive = inclusiveSum(total);
    if (laneID() == 31) warpSums[d / 32] = inclusive;
  }
  __syncthreads();
  betweenBarriers();
  if (d < kDigits) {
    first = inclusive - total;
#pragma unroll
    for (u32 w = 0; w < kDigits / 32; w++) {
      if (w < d / 32) first += warpSums[w];
    }
    u32 run = first;
#pragma unroll
    for (int w = 0; w < kWarps / 2; w++) {
      counts[2 * w * kDigits + d] = run;
      run += c[w] & 0xffff;
      counts[(2 * w + 1) * kDigits + d] = run;
      run += c[w] >> 16;
    }
  }
  __syncthreads();
}

// warpRow is this warp's row of counts.
GS_DEVICE u32* warpRow(u32* counts) { return inOneRegister(counts + threadIdx.x / 32 * kDigits); }

// nextRank returns the rank of this lane's key among all keys of the tile, and
// counts it. Keys are ranked in order of item, lanes in order. mine is the
// warp's row of counts; the two warp barriers keep the reads of all lanes
// before the write of the highest peer, and that before the next item's reads.
GS_DEVICE u32 nextRank(u32* mine, u32 digit, u32 below, u32 above) {
  const u32 peers = matchDigit(digit);
  const u32 rank = mine[digit] + __popc(peers & below);
  __syncwarp();
  if ((peers & above) == 0) mine[digit] = rank + 1;
  __syncwarp();
  return rank;
}

}  // namespace gs

#endif
