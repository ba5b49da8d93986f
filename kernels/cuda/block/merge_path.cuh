// The three kernels of merge-path: a sort of one tile per block, then for each
// doubling of the runs a partition and a merge pass. Stable. No block waits for
// another; launches are the only order between blocks.
#ifndef GS_BLOCK_MERGE_PATH
#define GS_BLOCK_MERGE_PATH

#include "block/control.cuh"
#include "block/merge_network.cuh"
#include "block/merge_tile.cuh"

namespace gs {

// sortMergeTile is mergeBlock for one tile, whose first item is number `first` and
// that has `valid` items. kThreads: the number of threads, if the compiler knows
// it; the tile is then full. 0: any number of threads and items.
template <typename G, u32 kThreads>
GS_DEVICE void sortMergeTile(const MergeShared<G>& s, const KeyOf<G>* in, KeyOf<G>* out, const ValueOf<G>* valuesIn,
                             ValueOf<G>* valuesOut, u64 first, u32 valid, u32 codecIn, u32 codecOut, u32 flags) {
  typedef typename G::Key K;
  constexpr bool kFull = kThreads != 0;
  const u32 threads = kFull ? kThreads : blockDim.x, t = threadIdx.x;
  K k[G::kItems];
  u32 x[G::kPairs ? G::kItems : 1];
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    if (kFull || i * threads + t < valid) k[i] = in[first + i * threads + t];
  }
  encodeAll(codecIn, k);
#pragma unroll
  for (int i = 0; i < G::kItems; i++) s.keys[i * threads + t] = kFull || i * threads + t < valid ? k[i] : K(~K(0));
  __syncthreads();
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    k[i] = s.keys[t * G::kItems + i];
    if constexpr (G::kPairs) x[i] = t * G::kItems + i;
  }
  networkSort<G::kPairs>(k, x);
#pragma unroll 1
  for (u32 width = 1; width < threads; width *= 2) {
    __syncthreads();  // others have read what this thread now replaces
    storeBlocked<G>(s, k, x);
    __syncthreads();
    const u32 before = t & (2 * width - 1), len = width * G::kItems;
    const u32 a0 = (t - before) * G::kItems, b0 = a0 + len, diagonal = before * G::kItems;
    const u32 a = mergePath(s.keys + a0, len, s.keys + b0, len, diagonal);
    mergeSerial<G::kPairs>(s.keys, a0 + a, b0, b0 + diagonal - a, b0 + len, k, x);
    if constexpr (G::kPairs) {
#pragma unroll
      for (int i = 0; i < G::kItems; i++) x[i] = s.from[x[i]];
    }
  }
  __syncthreads();
  storeBlocked<G>(s, k, x);
  __syncthreads();
  if (!(flags & kMergeDropKeys)) storeStriped<G, kFull>(s, out + first, threads, valid, codecOut);
  if constexpr (G::kPairs) {
    if (flags & kMergePositions) {
      for (u32 j = t; j < valid; j += threads) valuesOut[first + j] = ValueOf<G>(first + s.from[j]);
    } else {
      __syncthreads();  // the keys have left
#pragma unroll
      for (int i = 0; i < G::kItems; i++) {
        if (kFull || i * threads + t < valid) s.values[i * threads + t] = valuesIn[first + i * threads + t];
      }
      __syncthreads();
#pragma unroll
      for (int i = 0; i < G::kItems; i++) {
        if (kFull || i * threads + t < valid) valuesOut[first + i * threads + t] = s.values[s.from[i * threads + t]];
      }
    }
  }
  __syncthreads();
}

// mergeBlock sorts each tile of in to out, which may be the same memory: a tile
// is read whole before any of it is written. Values: kMergePositions makes them
// from the items' positions. Keys are encoded at the load with codecIn and
// decoded at the store with codecOut. For full tiles of launches with kThreads
// threads, the policy's, there is code that knows this.
//
// Each thread sorts kItems neighbouring items in registers; then runs double,
// log2(threads) times, by a merge path per thread in shared memory. The last
// tile is filled with the largest key, which stays behind equal keys of the
// input because it comes later.
template <typename G, u32 kThreads>
GS_DEVICE void mergeBlock(const KeyOf<G>* in, KeyOf<G>* out, const ValueOf<G>* valuesIn, ValueOf<G>* valuesOut, u64 n,
                          u32 codecIn, u32 codecOut, u32 flags) {
  extern __shared__ uint4 dynamicShared[];
  const u32 tile = blockDim.x * G::kItems;
  const MergeShared<G> s(dynamicShared, tile);
  for (u64 first = u64(blockIdx.x) * tile; first < n; first += u64(gridDim.x) * tile) {
    const u32 valid = u32(least(u64(tile), n - first));
    if (valid == kThreads * G::kItems && blockDim.x == kThreads)
      sortMergeTile<G, kThreads>(s, in, out, valuesIn, valuesOut, first, valid, codecIn, codecOut, flags);
    else
      sortMergeTile<G, 0>(s, in, out, valuesIn, valuesOut, first, valid, codecIn, codecOut, flags);
  }
}

// MergePair is the pair of runs that tile `tile` of the output belongs to.
// perPair tiles make a pair of full runs.
struct MergePair : RunPair {
  u64 diagonal, end;  // of the tile within the pair
  GS_DEVICE MergePair(u64 n, u64 run, u32 perPair, u32 tile, u32 tileItems) : RunPair(n, run, tile / perPair) {
    diagonal = u64(tile % perPair) * tileItems;
    end = least(diagonal + tileItems, lenA + lenB);
  }
};

// mergePartition writes for each of `tiles` output tiles how many items of the
// pair's first run lie before it, unless the gate is open. 2^kPartitionLog lanes search
// for one.
constexpr int kPartitionLog = 3;
GS_CONSTANT(MergePartitionLanes, 1 << kPartitionLog)
template <typename K>
GS_DEVICE void mergePartition(const K* in, u64* splits, u64 n, u64 run, u32 perPair, u32 tiles, u32 tileItems,
                              const u32* gate) {
  if (gateIsOpen(gate)) return;
  constexpr u32 kPerWarp = 32 >> kPartitionLog;
  const u32 warps = blockDim.x / 32, first = (blockIdx.x * warps + threadIdx.x / 32) * kPerWarp;
  for (u32 base = first; base < tiles; base += gridDim.x * warps * kPerWarp) {
    const u32 tile = least(base + (laneID() >> kPartitionLog), tiles - 1);
    const MergePair p(n, run, perPair, tile, tileItems);
    splits[tile] = mergePathLanes<kPartitionLog>(in + p.first, p.lenA, in + p.first + p.lenA, p.lenB, p.diagonal);
  }
}

// PassTile is one tile of a pass: where it is read and written. fromA and fromB
// are indexed by the place in the tile as it is loaded, lenA items of A first.
template <typename G> struct PassTile {
  const KeyOf<G> *fromA, *fromB;
  KeyOf<G>* out;
  const ValueOf<G> *valuesA, *valuesB;
  ValueOf<G>* valuesOut;
  u32 lenA, len;
};

// mergeTile merges one tile. kThreads as in sortMergeTile.
template <typename G, u32 kThreads>
GS_DEVICE void mergeTile(const MergeShared<G>& s, const PassTile<G>& p, u32 codecOut, u32 flags) {
  constexpr bool kFull = kThreads != 0;
  const u32 threads = kFull ? kThreads : blockDim.x, t = threadIdx.x, lenB = p.len - p.lenA;
  KeyOf<G> k[G::kItems];
  u32 x[G::kPairs ? G::kItems : 1];
  const KeyOf<G> *const fromA = p.fromA + t, *const fromB = p.fromB + t;
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    if (kFull || i * threads + t < p.len) k[i] = (i * threads + t < p.lenA ? fromA : fromB)[i * threads];
  }
#pragma unroll
  for (int i = 0; i < G::kItems; i++) {
    if (kFull || i * threads + t < p.len) s.keys[i * threads + t] = k[i];
  }
  __syncthreads();
  const u32 diagonal = kFull ? t * G::kItems : least(t * G::kItems, p.len),
      a = mergePath(s.keys, p.lenA, s.keys + p.lenA, lenB, diagonal);
  mergeSerial<G::kPairs>(s.keys, a, p.lenA, p.lenA + diagonal - a, p.len, k, x);
  __syncthreads();
  storeBlocked<G>(s, k, x);
  __syncthreads();
  if (!(flags & kMergeDropKeys)) storeStriped<G, kFull>(s, p.out, threads, p.len, codecOut);
  if constexpr (G::kPairs) {
    // A few at a time: all at once would not fit the registers.
    constexpr int kGroup = 4;
#pragma unroll
    for (int first = 0; first < G::kItems; first += kGroup) {
      ValueOf<G> v[kGroup];
#pragma unroll
      for (int i = first; i < first + kGroup && i < G::kItems; i++) {
        if (kFull || i * threads + t < p.len) {
          const u32 from = s.from[i * threads + t];
          v[i - first] = (from < p.lenA ? p.valuesA : p.valuesB)[from];
        }
      }
#pragma unroll
      for (int i = first; i < first + kGroup && i < G::kItems; i++) {
        if (kFull || i * threads + t < p.len) p.valuesOut[i * threads + t] = v[i - first];
      }
    }
  }
  __syncthreads();
}

// mergePass merges each pair of runs of in to out, a tile at a time; in and out
// do not overlap. Values are read where their key came from: the sources of
// neighbouring outputs are two rising sequences, so that these reads are as good
// as coalesced without a stay in shared memory. kThreads as in mergeBlock.
//
// splits is what mergePartition wrote, or null: then the first warp of a block
// finds both ends of its tile itself, sixteen lanes each. That saves a launch
// where few tiles leave the device idle.
//
// If the gate is open nothing is written. It is read behind the splits, so that both
// are on their way together; what these or a search then say does not matter.
template <typename G, u32 kThreads>
GS_DEVICE void mergePass(const KeyOf<G>* in, KeyOf<G>* out, const ValueOf<G>* valuesIn, ValueOf<G>* valuesOut,
                         const u64* splits, u64 n, u64 run, u32 perPair, u32 tiles, u32 codecOut, u32 flags,
                         const u32* gate) {
  extern __shared__ uint4 dynamicShared[];
  __shared__ u64 found[2];
  const u32 tileItems = blockDim.x * G::kItems, t = threadIdx.x;
  const MergeShared<G> s(dynamicShared, tileItems);
  for (u32 tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const MergePair p(n, run, perPair, tile, tileItems);
    const KeyOf<G> *const runA = in + p.first, *const runB = runA + p.lenA;
    u64 a0, a1;
    if (splits != nullptr) {
      a0 = splits[tile];
      a1 = p.lenA;
      if (p.end != p.lenA + p.lenB) a1 = splits[tile + 1];
    } else {
      if (t < 32) {
        const u64 a = mergePathLanes<4>(runA, p.lenA, runB, p.lenB, t < 16 ? p.diagonal : p.end);
        if (t % 16 == 0) found[t / 16] = a;
      }
      __syncthreads();
      a0 = found[0], a1 = found[1];
    }
    if (gateIsOpen(gate)) return;
    PassTile<G> w;
    w.lenA = u32(a1 - a0), w.len = u32(p.end - p.diagonal);
    const u64 atA = p.first + a0, atB = p.first + p.lenA + p.diagonal - a0 - w.lenA, at = p.first + p.diagonal;
    w.fromA = in + atA, w.fromB = in + atB, w.out = out + at;
    w.valuesA = valuesIn + atA, w.valuesB = valuesIn + atB, w.valuesOut = valuesOut + at;
    if (w.len == kThreads * G::kItems && blockDim.x == kThreads)
      mergeTile<G, kThreads>(s, w, codecOut, flags);
    else
      mergeTile<G, 0>(s, w, codecOut, flags);
  }
}

}  // namespace gs

#endif
