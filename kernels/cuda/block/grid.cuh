// A whole sort in one cooperative launch: every multiprocessor holds a share of
// the keys, and barriers of the grid take the place of launches. Keys are split by
// their highest varying bits and sorted in blocks. Where a digit would have too many,
// digits between splitters, of a model or of quantile splitters take their place, or keys pass by
// dictionary ranks of few values or by all digits.
#ifndef GS_BLOCK_GRID
#define GS_BLOCK_GRID

#include "block/grid_merge.cuh"

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
    countGrid(s, a, share, [&](u32 i) { return digitOf(t.k[i]); }, [&](u32 i) { return digitAgain(t.k[i]); }, [](u32, u32, u32) {}, t);
    const bool last = pass + 1 == sizeof(K) || varying >> (kDigitBits * (pass + 1)) == 0;
    writeTile(s, a, share, [&](u32, K key) { return digitAgain(key); }, last);
    if (last) return;
    gridSync();
    reloadTile(t, a, share);
  }
}

// GridBytes is a grid's dynamic shared memory: a model, or a dictionary, outlives what lies before them.
template <typename G> struct GridBytes {
  static constexpr u32 kModel = GridShared<G>::kBytes > TileShared<G>::kBytes ? GridShared<G>::kBytes : TileShared<G>::kBytes;
  typedef typename G::Key K;
  static constexpr u32 kTables = Dictionary<K>::kBytes > FoldedModel<K>::kAllBytes ? Dictionary<K>::kBytes : FoldedModel<K>::kAllBytes;
  static constexpr u32 kAll = kModel + (kProbes<G> ? kTables : 0);
  static_assert(kModel % 8 == 0, "aligned words");
};

template <typename G> GS_DEVICE char* gridModel(uint4* shared) { return reinterpret_cast<char*>(shared) + GridBytes<G>::kModel; }

// splitAgain splits what did not fit by the highest bits by digits of a model or quantile splitters, unless
// these do not fit, either: then it returns false, and nothing has been moved. Begins
// after a barrier, the sample being staged, and ends with one.
template <typename G, typename Model> GS_COLD bool splitAgain(GridDigits* digits) {
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  const GridShared<G> s(dynamicShared);
  TileKeys<G> t;
  const Share share = takeAside<G, true>(s, a.n, t);
  return splitBy<G>(Model(gridModel<G>(dynamicShared)), s, a, share, t, *digits);
}

// sortCoded sorts the digits of splitAgain, of models whose bins of one key are as large as Model's, and returns as
// of sortDigits.
template <typename G, typename Model> GS_COLD bool sortCoded(GridDigits* digits) {
  const GridArgs& a = digits->args;
  return sortDigits<G>(a, *digits, [&](const PartFrom<G>& p, u32 from, u32 to) { return sortCodedPart<G, Model>(p, keptCodes<G>(a) + digits->at[from], from, to - 1); });
}

// mergeGrid sorts what lies in shared memory by splitters and merging, or returns as splitAgain; the sample is
// staged, before and behind it. Begins after a barrier.
template <typename G> GS_COLD bool mergeGrid(GridDigits* digits) {
  typedef typename G::Key K;
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  if (!splitAgain<G, Splitters<K>>(digits)) {
    stageSample<G>(GridShared<G>(dynamicShared), a, shareOf<G>(a.n));  // again: columns took its place
    return false;
  }
  sortDigits<G>(a, *digits, [](const PartFrom<G>& p, u32, u32) { return mergePart<G>(p); }, MergedPart<G>::kMost);
  return true;
}

// isMagnified says whether keys may be split by magnitudes: those of 64 bits with kMagnifiedShare a block are merged
// as fast; with fewer digits than kMagnifiedDigits they pass as fast, and of more than kPassedKeys and kSampledKeys
// with one more, each (measured). Of more than kSampledKeys a tile has too few digits for any to be much larger than
// others, so that more of the sample is counted.
constexpr u32 kMagnifiedShare = 512, kMagnifiedDigits = 3, kPassedKeys = 1 << 18, kSampledKeys = 1 << 19;
template <typename G> GS_DEVICE bool isMagnified(const GridArgs& a, u64 varying) {
  if (!kModelsLarge<G>) return digitsVarying(varying) >= kNarrowDigits;
  return a.n > gridDim.x * kMagnifiedShare && digitsVarying(varying) >= kMagnifiedDigits + u32(a.n > kPassedKeys) + u32(a.n > kSampledKeys);
}

// mergeOverfull merges a part whose bins are overfull, or returns false, with nothing done, if it is too large.
template <typename G> GS_COLD bool mergeOverfull(const PartFrom<G>& p) {
  __syncthreads();  // bins have been compared
  return p.n <= MergedPart<G>::kMost && mergePart<G>(p);
}

// sortMagnified sorts the digits of magnifyGrid, and returns as of sortDigits.
template <typename G> GS_COLD bool sortMagnified(GridDigits* digits) {
  const GridArgs& a = digits->args;
  return sortDigits<G>(a, *digits, [&](const PartFrom<G>& p, u32 from, u32 to) {
    if (sortCodedPart<G, Magnitudes<typename G::Key>>(p, keptCodes<G>(a) + digits->at[from], from, to - 1)) return true;
    if constexpr (kModelsLarge<G>) return mergeOverfull<G>(p);
    return false;
  });
}

// magnifyGrid splits what lies in shared memory by magnitudes, of which a thread has a key of the sample, or returns
// false, as splitAgain; the sample is not staged.
template <typename G> GS_COLD bool magnifyGrid(GridDigits* digits, typename G::Key key, bool valid) {
  typedef typename G::Key K;
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  const Magnitudes<K> m(gridModel<G>(dynamicShared));
  static_assert(m.kBytes <= FoldedModel<K>::kAllBytes, "fits in its place");
  const GridShared<G> s(dynamicShared);
  const u32 times = a.n > kSampledKeys ? ForTop<G>::kStep / 2 : 1;
  const auto sample = [&](u32 j) { return j == 0 ? key : ForTop<G>::at(a, j); };
  if (!modelMagnitudes<G::kThreads, K>(m, sample, times, valid, times * ForTop<G>::size(a, shareOf<G>(a.n)), a.codec, digits->top(), a.n, G::kTile)) return false;
  const Share share = shareOf<G>(a.n);
  codesByMagnitude<G>(m, s, share, a.n);
  TileKeys<G> t;
  takeAside<G, true>(s, a.n, t);
  u32 code[G::kItems];
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= share.used) break;
    code[i] = s.codes[share.slot() + 32 * i];
  }
  return splitByCodes<G>(s, a, share, code, t, *digits);
}

// gridFolded is isFolded of the sample.
template <typename G> GS_COLD bool gridFolded(const GridDigits* digits, u32 equal) {
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  return isFolded<G::kThreads>(FoldedModel<typename G::Key>(gridModel<G>(dynamicShared)), a.codec, stagedSample<G>(GridShared<G>(dynamicShared), a, shareOf<G>(a.n), true), equal);
}

// sortRanked sorts what lies in shared memory by the dictionary ranks of few different keys, or returns false, with a
// barrier of the grid: then it still lies there, in order of the ranks.
template <typename G> GS_DEVICE bool sortRanked(const GridShared<G>& s, const GridArgs& a, const Dictionary<typename G::Key>& set) {
  TileKeys<G> t;
  const Share share = takeAside<G, true>(s, a.n, t);
  PackedDigits<G::kItems> number;
  rankKeysOf<G>(set, share, share.first + share.slot(), a.n, t, number);
  const u32 start = countGrid(s, a, share, number, number, [&](u32, u32 slot, u32 digit) { s.tags[slot] = u8(digit); }, t);
  const bool fits = !__syncthreads_or(threadIdx.x == kNoRank && start < a.n);
  if (fits) writeTile(s, a, share, [&](u32 slot, typename G::Key) { return u32(s.tags[slot]); }, true);
  else gridSync();  // totals may be written again
  return fits;
}

// sortByRanks sorts what lies in shared memory by dictionary ranks of few different keys, which
// the sample has, or returns false: then it still lies there, in order of the ranks, and the sample is staged. Begins
// after a barrier.
template <typename G> GS_COLD bool sortByRanks(const GridDigits* digits) {
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  const Dictionary<typename G::Key> set(gridModel<G>(dynamicShared));
  const GridShared<G> s(dynamicShared);
  if (!rankBySample<G::kThreads>(set, stagedSample<G>(s, a, shareOf<G>(a.n), true))) return false;
  const bool fits = sortRanked<G>(s, a, set);
  if (!fits) stageSample<G>(s, a, shareOf<G>(a.n));
  return fits;
}

// sortByOwnRanks is sortByRanks by one key of the sample in each thread, if it is valid; the sample is requested, or
// then staged. With 1,024 keys up to some 120 values have been met twice. One value alone would be none that others
// are told from.
template <typename G> GS_COLD bool sortByOwnRanks(const GridDigits* digits, typename G::Key key, bool valid) {
  typedef typename G::Key K;
  extern __shared__ uint4 dynamicShared[];
  const Dictionary<K> set(gridModel<G>(dynamicShared));
  const auto own = [&](u32, bool& isKey) {
    isKey = valid;
    return key;
  };
  if (!rankListed<G::kThreads, K>(set, true, 1, own) || *set.used + (*set.free != 0) < 2) return false;
  if constexpr (kModelsLarge<G>) awaitSample();  // where columns will be
  const GridShared<G> s(dynamicShared);
  const bool fits = sortRanked<G>(s, digits->args, set);
  if (kModelsLarge<G> && !fits) stageSample<G>(s, digits->args, shareOf<G>(digits->args.n));
  return fits;
}

// sortByDigits sorts what lies in shared memory by passes. Begins after a barrier.
template <typename G> GS_COLD void sortByDigits(const GridDigits* digits) {
  const GridArgs& a = digits->args;
  extern __shared__ uint4 dynamicShared[];
  const GridShared<G> s(dynamicShared);
  TileKeys<G> t;
  const Share share = takeAside<G, true>(s, a.n, t);
  passGrid<G>(s, a, share, digits->varying, t);
}

// eachOverfull calls sort(from, to) for the digits of each overfull part. It leaves in the list
// those for which that is false, and returns whether there are any. Begins without a barrier.
template <typename Sort> GS_DEVICE bool eachOverfull(GridDigits* digits, Sort sort) {
  __syncthreads();
  const u32 overfullParts = digits->overfullParts;
  u32 left = 0;
#pragma unroll 1
  for (u32 i = 0; i < overfullParts; i++) {
    const u32 overfullPart = digits->overfullPart[i];
    if (!sort(overfullPart & 0xffff, overfullPart >> 16)) {
      // All have read those before; this one, if none was sorted, stays as it is.
      if (threadIdx.x == 0 && left != i) digits->overfullPart[left] = overfullPart;
      left++;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) digits->overfullParts = left;
  return left != 0;
}

// equalBinParts sorts the overfull parts of splitByTop by bins of one value each, as eachOverfull; modelParts also by
// merging or models of them; quantileParts any by quantile splitters; passParts as passPart. Of pairs, whose places
// must order each such bin, passes take less.
template <typename G> GS_COLD bool equalBinParts(GridDigits* digits) {
  return eachOverfull(digits, [&](u32 from, u32 to) {
    return sortEqualBins<G, true>(binsOfDigits<G>(typename G::Key(digits->any), digits->top(), from, to - 1), partOf<G>(digits->args, *digits, from, to));
  });
}

template <typename G> GS_COLD bool modelParts(GridDigits* digits) {
  extern __shared__ uint4 dynamicShared[];
  return eachOverfull(digits, [&](u32 from, u32 to) {
    const PartFrom<G> p = partOf<G>(digits->args, *digits, from, to);
    const Bins<typename G::Key> bins = binsOfDigits<G>(typename G::Key(digits->any), digits->top(), from, to - 1);
    if constexpr (!G::kPairs) {
      if (sortEqualBins<G, true>(bins, p)) return true;
    }
    if (p.n <= kMergedPart) return mergePart<G>(p);
    return sortPartByModel<G, true>(p, gridModel<G>(dynamicShared), bins.shift);
  });
}

template <typename G> GS_COLD bool quantileParts(GridDigits* digits) {
  extern __shared__ uint4 dynamicShared[];
  return eachOverfull(digits, [&](u32 from, u32 to) { return quantilePart<G, true>(partOf<G>(digits->args, *digits, from, to), gridModel<G>(dynamicShared)); });
}

template <typename G> GS_COLD bool passParts(GridDigits* digits, bool leave) {
  extern __shared__ uint4 dynamicShared[];
  return eachOverfull(digits, [&](u32 from, u32 to) { return passPart<G, true>(partOf<G>(digits->args, *digits, from, to), gridModel<G>(dynamicShared), leave); });
}

// sortAgain sorts what lies in shared memory because the highest bits do not split it, or leaves
// overfull parts, and returns whether there are any. key is the thread's of the sample, if it is valid. Begins after
// a barrier, the sample being requested, if keys are modelled. A function, so that nothing is to outlive the calls in
// it.
template <typename G> GS_COLD bool sortAgain(GridDigits* digits, typename G::Key key, bool valid, Repeats repeats, bool tried) {
  const u32 many = digitsVarying(digits->varying);
  const Share share = shareOf<G>(digits->args.n);
  const bool merges = kModelsLarge<G> && many >= kMergedPasses && isMerged<G>(digits->args, share);
  if constexpr (kModelsLarge<G>) {
    typedef typename G::Key K;
    extern __shared__ uint4 dynamicShared[];
    EqualPairs pairs = {};
    // Where keys are modelled more of the sample says below whether they are few.
    if (merges && repeatsOf<G::kThreads>(key, valid).isFew() && sortByOwnRanks<G>(digits, key, valid)) return false;
    awaitSample();
    if (merges && mergeGrid<G>(digits)) return false;
    if (many >= kRankedDigits) {
      pairs = equalPairs<G::kThreads>(stagedSample<G>(GridShared<G>(dynamicShared), digits->args, share, true));
      if (pairs.isRepeated() && sortByRanks<G>(digits)) return false;
    }
    if (many >= kModelledDigits && !pairs.isRepeated()) {
      if (!isFloat(digits->args.codec)) {
        if (splitAgain<G, ModelShared<K>>(digits)) return sortCoded<G, ModelShared<K>>(digits);
      } else if (gridFolded<G>(digits, pairs.found * 1024 / pairs.all)) {
        if (splitAgain<G, FoldedModel<K>>(digits)) return sortCoded<G, ModelShared<K>>(digits);
      }
    }
    if (many >= kQuantileDigits && splitAgain<G, Quantiles<K>>(digits)) return sortCoded<G, Quantiles<K>>(digits);
  } else if constexpr (kModelsGrid<G>) {
    typedef typename G::Key K;
    extern __shared__ uint4 dynamicShared[];
    const GridShared<G> s(dynamicShared);
    const bool few = repeats.isFew();
    if (few && sortByOwnRanks<G>(digits, key, valid)) return false;
    if (many >= kNarrowDigits && !tried && !(isFloat(digits->args.codec) && repeats.equal() > kEqualNarrow)) {
      if (few) stageSample<G>(s, digits->args, share);
      else awaitSample();
      if (!isFloat(digits->args.codec)) {
        if (splitAgain<G, ModelShared<K>>(digits)) return sortCoded<G, ModelShared<K>>(digits);
      } else if (gridFolded<G>(digits, repeats.equal()) && splitAgain<G, FoldedModel<K>>(digits)) {
        return sortCoded<G, ModelShared<K>>(digits);
      }
    } else {
      awaitSample();  // where columns will be
    }
  }
  sortByDigits<G>(digits);
  return false;
}

// sortTop sorts the digits of splitByTop, and returns as of sortDigits.
template <typename G> GS_DEVICE bool sortTop(const GridArgs& a, GridDigits& digits) {
  extern __shared__ uint4 dynamicShared[];
  const TileShared<G> s(dynamicShared);
  return sortDigits<G>(a, digits, [&](const PartFrom<G>& p, u32 from, u32 to) {
    return sortPart<G, true>(s, binsOfDigits<G>(typename G::Key(digits.any), digits.top(), from, to - 1), p);
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
  loadTile<G>(t, share, keys, static_cast<const V*>(a.valuesIO), a.n, a.mode);
  const K sample = firstKey<K>(a.codec, keys);
  const u64 own = blockVarying<G>(s.warpVarying, encodeTile<G>(t, share, a.n, a.codec, sample));
  if (threadIdx.x == 0) a.varying[blockIdx.x] = own;
  if constexpr (!G::kPairs) clearSums<G>(a);
  if constexpr (kProbes<G>) {
    leaveSample<G>(a, share, t, sample);
    if (threadIdx.x < kDigits) s.base[threadIdx.x] = 0;
    clearRows<G>(s.counts);
  }
  gridSync();
  K differ = 0;
  const ForTop<G> forTop(a, share);
#pragma unroll 1
  for (u32 b = threadIdx.x; b < gridDim.x; b += G::kThreads) differ |= K(__ldcg(a.varying + b));
  const u64 varying = blockVarying<G>(s.warpVarying, differ);
  const u32 top = 64 - __clzll(varying);
  if (varying == 0) {  // all keys equal: in order as they are
    if (a.mode == kModeArgsort) storeTile<G>(t, share, nullptr, static_cast<V*>(a.valuesIO), a.n, a.codec, a.mode);
    return;
  }
  if (threadIdx.x == 0) digits.varying = varying, digits.any = sample, digits.splits = 0, digits.args = a;
  if constexpr (!kProbes<G> && !G::kPairs) __syncthreads();
  bool split = top > kDigitBits;
  if constexpr (kProbes<G>) split = split && !forTop.overfull(s.base, top, a.n, share.used);
  Repeats repeats = {};
  bool tried = false, magnified = false;
  if (split) {
    split = splitByTop<G>(s, a, share, top, t, digits);
    if constexpr (kModelsGrid<G>) {
      if (!split) requestSample<G>(s, a, share);
    }
  } else {
    if constexpr (kModelsGrid<G>) {
      bool asks = true;
      if constexpr (!kModelsLarge<G>) {
        asks = digitsVarying(varying) >= kRankedDigits;
        if (asks) repeats = repeatsOf<G::kThreads>(forTop.key, forTop.valid);
      }
      tried = top > kDigitBits && !repeats.isFew() && isMagnified<G>(a, varying) && !forTop.skewed(a, share, top);
      if (!tried && asks && !repeats.isFew()) requestSample<G>(s, a, share);
    }
    putAside<G>(s, share, t);
    if constexpr (kModelsGrid<G>) {
      magnified = tried && magnifyGrid<G>(&digits, forTop.key, forTop.valid);
      if (tried && !magnified) requestSample<G>(s, a, share);
    }
  }
  if (split && !sortTop<G>(a, digits)) return;
  __syncthreads();
  if constexpr (kModelsLarge<G>) {
    const bool overfull = magnified ? sortMagnified<G>(&digits) : split ? modelParts<G>(&digits) : sortAgain<G>(&digits, forTop.key, forTop.valid, repeats, tried);
    if (overfull && passParts<G>(&digits, true) && quantileParts<G>(&digits)) passParts<G>(&digits, false);
  } else if (split) {
    if constexpr (!G::kPairs && sizeof(K) > 1) {
      if (!equalBinParts<G>(&digits)) return;
    }
    passParts<G>(&digits, false);
  } else {
    bool overfull = false;
    if constexpr (kModelsGrid<G>) {
      if (magnified) overfull = sortMagnified<G>(&digits);
    }
    if (!magnified) overfull = sortAgain<G>(&digits, forTop.key, forTop.valid, repeats, tried);
    if (overfull) passParts<G>(&digits, false);
  }
}

}  // namespace gs

#endif
