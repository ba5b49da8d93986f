// The stages of an LSD sort that move keys and values: downsweep, split, finish.
#ifndef GS_BLOCK_LSD_MOVE
#define GS_BLOCK_LSD_MOVE

#include "block/finish.cuh"
#include "block/lsd_state.cuh"
#include "block/pass.cuh"

namespace gs {

struct LsdArgs {
  void *keys, *alt, *values, *altValues;
  const u32* ctl;
  const u64 *counters, *totals;  // scanned
  u64 n;
  u32 pass, codec, mode;
};

// downsweep moves every key (and value) to its place in this pass. Each block
// takes its tiles in order; thread d < 256 carries digit d's next place along,
// so that no block waits for another. Dynamic shared memory:
// PassShared<G>::kBytes.
template <typename G> GS_DEVICE void lsdDownsweep(const LsdArgs& a) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  extern __shared__ uint4 dynamicShared[];
  __shared__ u64 sums[kDigits / 32];
  const PassShared<G> s(dynamicShared);
  const LsdState state = readLsdState(a.ctl, a.pass, a.mode);
  if (!state.active) return;
  const bool last = state.last(), makeValues = a.mode == kModeArgsort && state.first();
  const K* in = state.source(static_cast<K*>(a.keys), static_cast<K*>(a.alt));
  K* out = state.target(static_cast<K*>(a.keys), static_cast<K*>(a.alt));
  const bool toIO = state.valuesToIO(a.mode);
  const V* valuesIn = static_cast<const V*>(toIO ? a.altValues : a.values);
  V* valuesOut = static_cast<V*>(toIO ? a.values : a.altValues);
  const u32 lane = laneID(), warp = threadIdx.x / 32;

  u64 next = 0, total = 0;
  if (threadIdx.x < kDigits) {
    total = a.totals[threadIdx.x];
    next = inclusiveSum(total);
    if (lane == 31) sums[warp] = next;
  }
  __syncthreads();
  if (threadIdx.x < kDigits) {
    next -= total;
#pragma unroll
    for (u32 w = 0; w < kDigits / 32; w++) {
      if (w < warp) next += sums[w];
    }
    next += a.counters[u64(threadIdx.x) * gridDim.x + blockIdx.x];
  }

  const BlockRange r(a.n, G::kTile);
  const u32 slot = warp * 32 * G::kItems + lane;
  const u32 below = lanesBelow(), above = lanesAbove();
  u32* mine = s.counts + warp * kDigits;
  const DigitOf<K> countDigit(a.pass);
  for (u64 at = r.begin; at < r.end; at += G::kTile) {
    const u32 valid = r.end - at < G::kTile ? u32(r.end - at) : G::kTile;
    const bool full = valid == G::kTile;
    K k[G::kItems];
    // Padding is the largest key behind all others: its ranks are the last.
#pragma unroll
    for (int i = 0; i < G::kItems; i++) {
      k[i] = K(~K(0));
      if (full || slot + 32 * i < valid) k[i] = in[at + slot + 32 * i];
    }
    if (state.first() && a.codec != 0) {
#pragma unroll
      for (int i = 0; i < G::kItems; i++) {
        if (full || slot + 32 * i < valid) k[i] = encode(a.codec, k[i]);
      }
    }
    clearCounts<G::kThreads>(s.counts);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < G::kItems; i++) atomicAdd(&mine[countDigit(k[i])], 1u);
    __syncthreads();
    u32 count, first;
    digitOffsets<G::kThreads>(s.counts, s.warpSums, count, first, [](u32) {}, [] {});
    const DigitOf<K> digitOf = countDigit.again();
    if constexpr (G::kPairs) {
      V v[G::kItems];
      if (makeValues) {
#pragma unroll
        for (int i = 0; i < G::kItems; i++) v[i] = V(at + slot + 32 * i);
      } else {
#pragma unroll
        for (int i = 0; i < G::kItems; i++) {
          if (full || slot + 32 * i < valid) v[i] = valuesIn[at + slot + 32 * i];
        }
      }
#pragma unroll
      for (int i = 0; i < G::kItems; i++) {
        const u32 rank = nextRank(mine, digitOf(k[i]), below, above);
        s.keys[rank] = k[i];
        s.values[rank] = v[i];
      }
    } else {
#pragma unroll
      for (int i = 0; i < G::kItems; i++) s.keys[nextRank(mine, digitOf(k[i]), below, above)] = k[i];
    }
    if (threadIdx.x < kDigits) {
      // next − first may be below 0; slot ≥ first brings the sum back.
      s.keyAt[threadIdx.x] = reinterpret_cast<u64>(out) + (next - first) * sizeof(K);
      if constexpr (G::kPairs) s.valueAt[threadIdx.x] = reinterpret_cast<u64>(valuesOut) + (next - first) * sizeof(V);
      next += count;  // a short tile is the last: that its padding counts too is harmless
    }
    __syncthreads();
    const DigitOf<K> outDigit = countDigit.again();
    if (!full) {
      // writeTile's general form: one short tile in a whole sort.
      if (last && a.mode == kModeArgsort) {
        writeTile<G, false, kDrop>(s, outDigit, a.codec, valid);
      } else if (last) {
        writeTile<G, false, kDecode>(s, outDigit, a.codec, valid);
      } else {
        writeTile<G, false, kPlain>(s, outDigit, a.codec, valid);
      }
    } else if (G::kPairs && last && a.mode == kModeArgsort) {
      writeTile<G, true, kDrop>(s, outDigit, a.codec, valid);
    } else if (last && a.codec != 0) {
      writeTile<G, true, kDecode>(s, outDigit, a.codec, valid);
    } else {
      writeTile<G, true, kPlain>(s, outDigit, a.codec, valid);
    }
    __syncthreads();
  }
}

// split takes one half of every key, for argsort of 32- and 64-bit keys, which
// sorts by the low halves and then by the high ones, as pairs of half a key and
// an index. Keys stay where they are and the two copies of the halves take no
// more memory than one of the keys.
//   high 0   halves[i] = low half of keys[i], values[i] = i
//   high 1   halves[i] = high half of keys[values[i]]
// The bits that vary go to halfCtl; its order flags say "in no order", because
// the order of the whole keys is known from ctl. If that is sorted or reversed,
// high 0 writes the indices and halfCtl stays zero, which stops all passes.
template <typename K, typename H, typename V>
GS_DEVICE void lsdSplit(const K* keys, H* halves, V* values, const u32* ctl, u32* halfCtl, u64 n, u32 codec, u32 high) {
  const LsdState state = readLsdState(ctl, 0, kModeArgsort);
  const Stride s;
  if (state.sorted || state.reversed) {
    for (u64 i = s.first; i < n && !high; i += s.step) values[i] = V(state.sorted ? i : n - 1 - i);
    return;
  }
  H ones = 0, zeros = 0;
#pragma unroll 4
  for (u64 i = s.first; i < n; i += s.step) {
    const K k = encode(codec, keys[high ? u64(values[i]) : i]);
    const H h = H(high ? k >> (8 * sizeof(H)) : k);
    halves[i] = h;
    if (!high) values[i] = V(i);
    ones |= h;
    zeros |= H(~h);
  }
  report(halfCtl, ones, zeros, kSeenDescent | kSeenAscent | kSeenEqual);
}

// finish does what remains when the passes are done: after an odd number of
// them it copies back from the scratch, turns reversed input round, and under
// argsort writes the indices of sorted or reversed input.
template <typename K, typename V, bool kPairs>
GS_DEVICE void lsdFinish(void* keys, const void* alt, void* values, const void* altValues, const u32* ctl, u64 n, u32 mode) {
  const LsdState state = readLsdState(ctl, 0, mode);
  V* v = static_cast<V*>(values);
  if (kPairs && mode == kModeArgsort) {
    if (!state.sorted && !state.reversed) return;
    const Stride s;
    for (u64 i = s.first; i < n; i += s.step) v[i] = V(state.sorted ? i : n - 1 - i);
  } else if (state.reversed) {
    reverseItems(static_cast<K*>(keys), n);
    if (kPairs) reverseItems(v, n);
  } else if (state.count % 2) {
    copyItems(static_cast<K*>(keys), static_cast<const K*>(alt), n);
    if (kPairs) copyItems(v, static_cast<const V*>(altValues), n);
  }
}

}  // namespace gs

#endif
