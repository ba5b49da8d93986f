// A whole sort in one cooperative launch: every multiprocessor holds a share of
// the keys, and barriers of the grid take the place of launches. Keys are split by
// their highest varying bits, or by digits that a model of them makes, and sorted in
// blocks, or pass by all digits.
#ifndef GS_BLOCK_GRID
#define GS_BLOCK_GRID

#include "block/grid_split.cuh"

namespace gs {

// passGrid orders the keys by the digits that vary, from the lowest. It begins with
// the keys, encoded, in registers.
//
// Keys are written where other blocks' keys were: between the barrier of the
// totals, before which every block has taken its keys, and that of the exchange.
template <typename G> GS_DEVICE void passGrid(const GridShared<G>& s, const GridArgs& a, const Share& share, u64 varying, TileKeys<G>& t) {
  typedef typename G::Key K;
  for (u32 pass = 0; pass < sizeof(K); pass++) {
    if ((varying >> (kDigitBits * pass)) % kDigits == 0) continue;
    const DigitOf<K> digitOf(pass), digitAgain = digitOf.again();
    countGrid(s, a, share, [&](u32 i) { return digitOf(t.k[i]); }, [&](u32 i) { return digitAgain(t.k[i]); }, [](u32, u32) {}, t);
    const bool last = pass + 1 == sizeof(K) || varying >> (kDigitBits * (pass + 1)) == 0;
    writeTile(s, a, share, [&](u32, K key) { return digitAgain(key); }, last);
    if (last) return;
    gridSync();
    reloadTile(t, a, share);
  }
}

// GridBytes is a grid's dynamic shared memory: a model outlives what lies before it.
template <typename G> struct GridBytes {
  static constexpr u32 kModel = GridShared<G>::kBytes > TileShared<G>::kBytes ? GridShared<G>::kBytes : TileShared<G>::kBytes;
  static constexpr u32 kAll = kModel + (kModelsLarge<G> ? ModelShared<typename G::Key>::kAllBytes : 0);
};

template <typename G> GS_DEVICE char* gridModel(uint4* shared) { return reinterpret_cast<char*>(shared) + GridBytes<G>::kModel; }

// splitAgain splits what did not fit by the highest bits by digits of a model, unless
// these do not fit, either: then it returns false, and nothing has been moved. Begins
// after a barrier of the grid and ends with one of the block.
template <typename G> GS_COLD bool splitAgain(GridDigits* digits) {
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  const GridShared<G> s(dynamicShared);
  TileKeys<G> t;
  const Share share = takeAside<G, true>(s, a.n, t);
  return splitByModel<G>(s, a, ModelShared<typename G::Key>(gridModel<G>(dynamicShared)), share, t, *digits);
}

// sortModelled sorts the digits of splitAgain, and returns as of sortDigits.
template <typename G> GS_COLD bool sortModelled(GridDigits* digits) {
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  const ModelShared<typename G::Key> m(gridModel<G>(dynamicShared));
  return sortDigits<G>(a, shareOf<G>(a.n), *digits, [&](const PartFrom<G>& p, u32 from, u32 to) { return sortModelledPart<G, true>(p, m, a.n, from, to - 1); });
}

// sortByNumbers sorts what lies in shared memory by numbers of few different keys, which
// the sample has, or returns false: then it still lies there, in order of the numbers. Begins
// after a barrier.
template <typename G> GS_COLD bool sortByNumbers(const GridDigits* digits) {
  typedef typename G::Key K;
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  const Numbers<K> set(gridModel<G>(dynamicShared));
  if (!numberBySample<G::kThreads>(set, leftSample<G>(a, shareOf<G>(a.n), true))) return false;
  const GridShared<G> s(dynamicShared);
  TileKeys<G> t;
  const Share share = takeAside<G, true>(s, a.n, t);
  PackedDigits<G::kItems> number;
  numberTile<G>(set, share, share.first + share.slot(), a.n, t, number);
  const u32 start = countGrid(s, a, share, number, number, [&](u32 slot, u32 digit) { s.tags[slot] = u8(digit); }, t);
  const bool fits = !__syncthreads_or(threadIdx.x == kNoNumber && start < a.n);
  if (fits) {
    writeTile(s, a, share, [&](u32 slot, K) { return u32(s.tags[slot]); }, true);
  } else {
    gridSync();  // totals may be written again
  }
  return fits;
}

// sortByDigits sorts what lies in shared memory by passes. Begins after a barrier.
template <typename G> GS_COLD void sortByDigits(const GridDigits* digits, u64 varying) {
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  const GridShared<G> s(dynamicShared);
  TileKeys<G> t;
  const Share share = takeAside<G, true>(s, a.n, t);
  passGrid<G>(s, a, share, varying, t);
}

// modelParts sorts the crowded parts by models of them. It leaves in the list those that
// it does not sort, and returns whether there are any. top is as of splitByTop. Begins
// after a barrier.
template <typename G> GS_COLD bool modelParts(u32 top, GridDigits* digits) {
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  const u32 crowds = digits->crowds;
  u32 left = 0;
#pragma unroll 1
  for (u32 i = 0; i < crowds; i++) {
    const u32 crowd = digits->crowd[i], from = crowd & 0xffff, to = crowd >> 16;
    const u32 low = binsOfDigits<G>(typename G::Key(0), top, from, to - 1).shift;
    if (!sortPartByModel<G, true>(partOf<G>(a, *digits, from, to), gridModel<G>(dynamicShared), low)) {
      // All have read those before; this one, if none was sorted, stays as it is.
      if (threadIdx.x == 0 && left != i) digits->crowd[left] = crowd;
      left++;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) digits->crowds = left;
  return left != 0;
}

// passParts sorts the crowded parts by all digits. Begins without a barrier.
template <typename G> GS_COLD void passParts(const GridDigits* digits) {
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
#pragma unroll 1
  for (u32 i = 0; __syncthreads(), i < digits->crowds; i++) {
    passPart<G, true>(partOf<G>(a, *digits, digits->crowd[i] & 0xffff, digits->crowd[i] >> 16), gridModel<G>(dynamicShared));
  }
}

// sortCrowded sorts the crowded parts that sortTop left. Begins after a barrier.
template <typename G> GS_DEVICE void sortCrowded(u32 top, GridDigits* digits) {
  if constexpr (kModelsLarge<G>) {
    if (!modelParts<G>(top, digits)) return;
  }
  passParts<G>(digits);
}

// sortAgain sorts what lies in shared memory because the highest bits do not split it.
// Begins after a barrier.
template <typename G> GS_DEVICE void sortAgain(u32 codec, u64 varying, GridDigits* digits) {
  if constexpr (kModelsLarge<G>) {
    if (isWorthModel(varying, codec) && splitAgain<G>(digits)) {
      if (sortModelled<G>(digits)) passParts<G>(digits);
      return;
    }
    if (digitsVarying(varying) >= kNumberedDigits && sortByNumbers<G>(digits)) return;
  }
  sortByDigits<G>(digits, varying);
}

// sortTop sorts the digits of splitByTop, and returns as of sortDigits.
template <typename G> GS_DEVICE bool sortTop(const GridArgs& a, const Share& share, typename G::Key sample, u32 top, GridDigits& digits) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  return sortDigits<G>(a, share, digits, [&](const PartFrom<G>& p, u32 from, u32 to) {
    return sortPart<G, true>(s, binsOfDigits<G>(sample, top, from, to - 1), p);
  });
}

// sortGrid sorts 1 <= n <= gridDim · kTile items stably. Cooperative launch of at
// most as many blocks as multiprocessors; GridBytes<G>::kAll of dynamic shared memory:
// for GridShared<G> and, later, TileShared<G>, and behind them for a model. Scratch needs no initial contents.
template <typename G> GS_DEVICE void sortGrid(const GridArgs& a) {
  typedef typename G::Key K;
  typedef typename G::Value V;
  extern __shared__ uint4 dynamicShared[];
  __shared__ GridDigits digits;
  const GridShared<G> s(dynamicShared);
  const K* const keys = static_cast<const K*>(a.keysIO);
  const Share share = shareOf<G>(a.n);
  TileKeys<G> t;
  K sample = keys[0];
  loadTile<G>(t, share, keys, static_cast<const V*>(a.valuesIO), a.n, a.mode);
  sample = encode(a.codec, sample);
  const u64 own = blockVarying<G>(s.warpVarying, encodeTile<G>(t, share, a.n, a.codec, sample));
  if (threadIdx.x == 0) a.varying[blockIdx.x] = own;
  if constexpr (kModelsLarge<G>) leaveSample<G>(a, share, t, sample);
  gridSync();
  K differ = 0;
  for (u32 b = threadIdx.x; b < gridDim.x; b += G::kThreads) differ |= K(__ldcg(a.varying + b));
  const u64 varying = blockVarying<G>(s.warpVarying, differ);
  const u32 top = 64 - __clzll(varying);
  if (varying == 0) {  // all keys equal: in order as they are
    if (a.mode == kModeArgsort) storeTile<G>(t, share, nullptr, static_cast<V*>(a.valuesIO), a.n, a.codec, a.mode);
    return;
  }
  bool split = false;
  if (top > kDigitBits) {
    split = splitByTop<G>(s, a, share, top, t, digits);
  } else {
    putAside<G>(s, share, t);
  }
  if (split && !sortTop<G>(a, share, sample, top, digits)) return;
  if (threadIdx.x == 0) digits.args = a;
  __syncthreads();
  if (split) {
    sortCrowded<G>(top, &digits);
  } else {
    sortAgain<G>(a.codec, varying, &digits);
  }
}

}  // namespace gs

#endif
