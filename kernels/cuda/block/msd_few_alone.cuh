// Few different keys alone: they are written anew from their counts. The unlisted keys, if any, are
// put together, sorted by msdLarge as a segment of their own, and end up between the runs of
// listed keys. Only code compiled for sm_90 includes this: see warp/grid.cuh.
#ifndef GS_BLOCK_MSD_FEW_ALONE
#define GS_BLOCK_MSD_FEW_ALONE

#include "block/msd_few_move.cuh"

namespace gs {

// What packOthers has in the hash table's place.
template <typename K> struct FewPackShared {
  K encodedKeys[kFewMost];  // of the list
  u32 gaps[kFewMost];  // unlisted keys of the block behind so many of the list
};

// packOthers moves the `count` keys that the block has put aside from `from` on to the
// caller's memory, which everybody has read, behind those of other blocks, in any order, and
// counts their gaps. Behind a barrier of the grid.
template <typename G> GS_COLD void packOthers(FewArgs<G> a, u32 from, u32 count) {
  typedef typename G::K K;
  typedef FewPackShared<K> S;
  static_assert(sizeof(S) <= FewShared<G>::kBytes - FewShared<G>::kAt, "the hash table's place has room");
  extern __shared__ uint4 dynamicShared[];
  __shared__ u32 begin;
  S& s = *reinterpret_cast<S*>(FewShared<G>(dynamicShared).table);
  const u32 t = threadIdx.x, listed = a.few->count;
  if (t == 0) begin = atomicAdd(&a.few->together, count);
  for (u32 i = t; i < kFewMost; i += G::kThreads) s.gaps[i] = 0, s.encodedKeys[i] = encode(a.codec, K(a.few->keys[i]));
  __syncthreads();
  const K* const in = a.unlisted.keys + from;
  K* const to = a.keys + begin;
#pragma unroll 4
  for (u32 i = t; i < count; i += G::kThreads) {
    const K key = in[i];
    to[i] = key;
    atomicAdd(&s.gaps[fewGap(s.encodedKeys, listed, encode(a.codec, key))], 1u);
  }
  __syncthreads();
  for (u32 i = t; i < kFewMost; i += G::kThreads) {
    if (s.gaps[i] != 0) atomicAdd(&a.few->gaps[i], s.gaps[i]);
  }
}

// msdFewAlone sorts if the route is kRouteFew and there are no unlisted keys. It returns how many
// there are: then they are at the begin of the caller's memory, for msdLarge, and the listed
// keys in the dictionary's counts alone. If a key is not in the dictionary, whose list is too
// long for unlisted keys, it changes the route to kRouteOnesweep, whose launches are behind this one,
// and leaves the keys as they were. Cooperative launch, G::kThreads threads, any grid that is
// resident; dynamic shared memory FewShared<G>::kBytes.
//
// Every thread has read the route before the barrier of the grid; only then it is changed.
// (msdLarge, which follows in the same launch, takes neither of the two.)
template <typename G> GS_DEVICE u32 msdFewAlone(const FewArgs<G>& a, FewStarts<typename G::K>& f) {
  extern __shared__ uint4 dynamicShared[];
  static_assert(G::kThreads >= kDigits, "a thread per rank");
  if (a.state->route != kRouteFew) return 0;
  __shared__ u32 aside;
  const FewShared<G> s(dynamicShared);
  const FewRun<G> run(a.n);
  if (threadIdx.x == 0) aside = 0;
  clearCounts<G::kThreads>(s.counts);
  makeTable(s, a.few);
  countFew(a, s, run, &aside);
  sumFew(a, s);
  gridSync();
  if (__ldcg(&a.few->missed) != 0) {
    giveUpFew(a.state);
    return 0;
  }
  const u32 unlisted = a.few->unlisted != 0 ? __ldcg(&a.few->totals[kFewUnlisted]) : 0;
  if (unlisted != 0) {
    packOthers(a, run.from, aside);
  } else {
    startFew(a, f, false);
    fillFew(a.keys, a.n, f);
  }
  return unlisted;
}

// fillAmong writes the listed keys and, from a.unlisted.keys, the sorted unlisted keys between them.
// Behind a barrier of the grid. A thread writes a vector, as in fillFew.
template <typename G> GS_COLD void fillAmong(FewArgs<G> a, FewStarts<typename G::K>& f) {
  typedef typename G::K K;
  constexpr u32 kKeys = FewVector<K>::kKeys;
  startFew(a, f, true);
  const u32 skew = fewSkew(a.keys), vectors = (a.n + skew + kKeys - 1) / kKeys, step = gridDim.x * G::kThreads;
  for (u32 i = blockIdx.x * G::kThreads + threadIdx.x; i < vectors; i += step) {
    const u32 begin = i == 0 ? 0 : i * kKeys - skew, end = smaller((i + 1) * kKeys - skew, a.n);
    u32 d = 0;  // the last number whose keys start at or before begin; 0 before all of them
#pragma unroll
    for (u32 half = kDigits / 2; half > 0; half /= 2) {
      if (f.starts[d + half] <= begin) d += half;
    }
    const auto at = [&](u32 x) {
      while (x >= f.starts[d + 1]) d++;
      if (x < f.starts[d]) return __ldcg(a.unlisted.keys + x);
      return x < f.at[d] ? f.keys[d] : __ldcg(a.unlisted.keys + f.behind[d] + x - f.at[d]);
    };
    if (end - begin == kKeys) {
      FewVector<K> v;
#pragma unroll
      for (u32 j = 0; j < kKeys; j++) v.k[j] = at(begin + j);
      *reinterpret_cast<uint4*>(a.keys + begin) = v.raw;
    } else {
      for (u32 x = begin; x < end; x++) a.keys[x] = at(x);
    }
  }
}

}  // namespace gs

#endif
