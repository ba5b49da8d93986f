// The stages of an LSD sort that move no keys: analyze, upsweep, scan.
#ifndef GS_BLOCK_LSD_SWEEP
#define GS_BLOCK_LSD_SWEEP

#include "block/lsd_state.cuh"
#include "warp/codec.cuh"

namespace gs {

// analyze finds which bits vary and how neighbours are ordered.
// In: keys[n].  Out: the control block.  Launch: any number of blocks.
template <typename K, int kThreads, int kUnroll> GS_DEVICE void lsdAnalyze(const K* keys, u32* ctl, u64 n, u32 codec, u32 tile) {
  constexpr u32 kRound = kThreads * kUnroll;
  const BlockRange r(n, tile);
  K ones = 0, zeros = 0;
  u32 seen = 0;
  for (u64 base = r.begin; base < r.end; base += kRound) {
    K here[kUnroll], next[kUnroll];
    const bool full = base + kRound < r.end;
    // Positions past the end repeat the last key: they show no new bit and no
    // order, and their tie is not counted.
#pragma unroll
    for (u32 i = 0; i < kUnroll; i++) {
      const u64 at = base + i * kThreads + threadIdx.x;
      here[i] = keys[full || at < n ? at : n - 1];
      next[i] = keys[full || at + 1 < n ? at + 1 : n - 1];
    }
#pragma unroll
    for (u32 i = 0; i < kUnroll; i++) {
      const K a = encode(codec, here[i]), b = encode(codec, next[i]);
      ones |= a;
      zeros |= K(~a);
      if (a > b) seen |= kSeenDescent;
      if (a < b) seen |= kSeenAscent;
      if (a == b && (full || base + i * kThreads + threadIdx.x + 1 < n)) seen |= kSeenEqual;
    }
  }
  report(ctl, ones, zeros, seen);
}

// upsweep counts each block's digits: counters[256][gridDim.x]. Blocks and tile
// are the downsweep's. Each warp counts in its own row, so that skewed digits
// collide less.
template <typename K, int kThreads, int kUnroll>
GS_DEVICE void lsdUpsweep(K* keys, K* alt, const u32* ctl, u64* counters, u64 n, u32 pass, u32 codec, u32 mode, u32 tile) {
  constexpr u32 kWarps = kThreads / 32, kRound = kThreads * kUnroll;
  __shared__ u32 counts[kWarps * kDigits];
  const LsdState s = readLsdState(ctl, pass, mode);
  if (!s.active) return;
  for (u32 i = threadIdx.x; i < kWarps * kDigits; i += kThreads) counts[i] = 0;
  __syncthreads();
  const K* in = s.source(keys, alt);
  const BlockRange r(n, tile);
  const DigitOf<K> digitOf(pass);
  u32* mine = counts + threadIdx.x / 32 * kDigits;
  const u32 load = s.first() ? codec : 0;  // codec 0 changes nothing
  u64 base = r.begin;
  for (; base + kRound <= r.end; base += kRound) {
    K k[kUnroll];
#pragma unroll
    for (u32 i = 0; i < kUnroll; i++) k[i] = in[base + i * kThreads + threadIdx.x];
    if (load != 0) {
#pragma unroll
      for (u32 i = 0; i < kUnroll; i++) k[i] = encode(load, k[i]);
    }
#pragma unroll
    for (u32 i = 0; i < kUnroll; i++) atomicAdd(&mine[digitOf(k[i])], 1u);
  }
  for (u64 at = base + threadIdx.x; at < r.end; at += kThreads) atomicAdd(&mine[digitOf(encode(load, in[at]))], 1u);
  __syncthreads();
  for (u32 d = threadIdx.x; d < kDigits; d += kThreads) {
    u32 sum = 0;
#pragma unroll
    for (u32 w = 0; w < kWarps; w++) sum += counts[w * kDigits + d];
    counters[u64(d) * gridDim.x + blockIdx.x] = sum;
  }
}

// scan turns counters[digit][column] into exclusive prefixes along the digit's
// row and writes the row sums to totals[256]. Every downsweep block scans those
// itself, so that two levels serve any n. Launch: one block per digit.
template <int kThreads> GS_DEVICE void lsdScan(const u32* ctl, u64* counters, u64* totals, u32 columns, u32 pass, u32 mode) {
  __shared__ u64 warpSums[kThreads / 32];
  if (!readLsdState(ctl, pass, mode).active) return;
  u64* row = counters + u64(blockIdx.x) * columns;
  u64 before = 0;
  for (u32 begin = 0; begin < columns; begin += kThreads) {
    const u32 c = begin + threadIdx.x;
    const u64 x = c < columns ? row[c] : 0;
    u64 sum = inclusiveSum(x);
    if (laneID() == 31) warpSums[threadIdx.x / 32] = sum;
    __syncthreads();
    u64 round = 0;
#pragma unroll
    for (u32 w = 0; w < kThreads / 32; w++) {
      if (w < threadIdx.x / 32) sum += warpSums[w];
      round += warpSums[w];
    }
    if (c < columns) row[c] = before + sum - x;
    before += round;
    __syncthreads();
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

}  // namespace gs

#endif
