// A tile of few values. Pairs pass by their values' ranks; without values it is enough to count each, and some other
// keys may be among them: these are compared with each other and with the values, and written out in between.
#ifndef GS_BLOCK_FEWVALUES
#define GS_BLOCK_FEWVALUES

#include "block/dictionary.cuh"

namespace gs {

// kMostUnlisted: each of so many keys is compared with all of them, by all threads together: 256 comparisons a thread
// of 1,024.
constexpr u32 kMostUnlisted = 512;

// UnlistedShared is where sortAmong counts, in place of bins, which are 0, and of keys, behind the dictionary.
template <typename G> struct UnlistedShared {
  typedef typename G::Key K;
  static constexpr u32 kKeysAt = (Dictionary<K>::kBytes + 15) / 16 * 16;
  static_assert(kKeysAt + kMostUnlisted * sizeof(K) <= G::kTile * sizeof(K) && 3 * kDigits + 1 + 2 * kMostUnlisted <= G::kCounters, "fits");
  K* unlisted;  // [kMostUnlisted]
  u32* met;    // [kDigits] how often a value is met, by its rank; then how many keys of values are less
  u32* first;  // [kDigits] how many unlisted keys have so many values before them; then a value's first place
  u32* count;  // how many unlisted keys
  u32* less;   // [kMostUnlisted] unlisted keys that are less than one
  u32* below;  // [kMostUnlisted] values that are less than one
  GS_DEVICE explicit UnlistedShared(const TileShared<G>& s)
      : unlisted(reinterpret_cast<K*>(reinterpret_cast<char*>(s.keys) + kKeysAt)), met(s.bins), first(met + kDigits), count(first + kDigits), less(count + kDigits), below(less + kMostUnlisted) {}
};

// compareUnlisted finds, for each of `many` unlisted keys, how many of them are less, or equal and before it, and how
// many values are. Threads that compare one lie in different warps: a warp's threads read the same word. Begins and
// ends with a barrier.
template <typename G> GS_DEVICE void compareUnlisted(const UnlistedShared<G>& o, const Dictionary<typename G::Key>& set, u32 many) {
  const u32 lanes = many <= 32 ? 32 : 1u << (32 - __clz(int(many - 1)));  // threads that compare different ones
  const u32 mine = threadIdx.x % lanes, step = G::kThreads / lanes, used = *set.used;
  static_assert(kMostUnlisted <= G::kThreads, "a thread for each");
  if (mine < many) {
    const typename G::Key key = o.unlisted[mine];
    u32 less = 0, below = 0;
#pragma unroll 4
    for (u32 i = threadIdx.x / lanes; i < many; i += step) less += u32(o.unlisted[i] < key) | (u32(o.unlisted[i] == key) & u32(i < mine));
#pragma unroll 4
    for (u32 i = threadIdx.x / lanes; i < used; i += step) below += set.list[i] < key;
    if (less != 0) atomicAdd(&o.less[mine], less);
    if (below != 0) atomicAdd(&o.below[mine], below);
  }
  __syncthreads();
}

// sortAmong sorts the n keys of a share that begins at 0 by their ranks, which those that are no value do not have,
// and writes them out, or returns false, in all threads, with nothing written, if there are too many unlisted keys.
// list has no value twice. Bins are 0; begins after a barrier.
template <typename G>
GS_DEVICE bool sortAmong(const TileShared<G>& s, const Dictionary<typename G::Key>& set, const Share& share, u32 n, const PackedDigits<G::kItems>& ranks,
                         const TileKeys<G>& t, typename G::Key* keys, u32 codec) {
  typedef typename G::Key K;
  const UnlistedShared<G> o(s);
  const u32 held = share.held(n);
#pragma unroll
  for (u32 i = 0; i < G::kItems; i++) {
    if (i >= held) break;
    if (ranks(i) != kNoRank) {
      atomicAdd(&o.met[ranks(i)], 1u);
    } else {
      const u32 at = atomicAdd(o.count, 1u);
      if (at < kMostUnlisted) o.unlisted[at] = t.k[i];
    }
  }
  __syncthreads();
  const u32 many = *o.count, d = threadIdx.x;
  if (many > kMostUnlisted) {
    __syncthreads();  // all have read it
    return false;
  }
  if (many != 0) compareUnlisted<G>(o, set, many);
  if (d < many) atomicAdd(&o.first[o.below[d]], 1u);
  __syncthreads();
  // Before a value are the keys of lesser values, and the unlisted keys that have no more values before them.
  const u32 both = d < kDigits ? o.met[d] | o.first[d] << 16 : 0, inclusive = inclusiveSum(both);
  if (laneID() == 31) s.warpSums[d / 32] = inclusive;
  __syncthreads();
  const u32 before = sumOfWarpsBefore(s.warpSums) + inclusive;
  u32 of = both & 0xffff;
  if (d < kDigits) o.met[d] = (before & 0xffff) - of, o.first[d] = (before & 0xffff) - of + (before >> 16);
  __syncthreads();
  if (d < many) keys[o.less[d] + o.met[o.below[d]]] = decode(codec, o.unlisted[d]);
  // A warp writes a value.
  for (u32 i = d / 32; i <= *set.used; i += G::kWarps) {
    const bool free = i == *set.used;
    const K value = free ? set.kFree : set.list[i];
    if (!free && value == set.kFree) continue;  // has no rank
    const u32 rank = free ? i : set.rank[set.find(value)];
    const u32 copies = o.met[rank + 1] - o.met[rank];
    const K decoded = decode(codec, value);
    for (u32 j = laneID(); j < copies; j += 32) keys[o.first[rank] + j] = decoded;
  }
  return true;
}

// kFewSample keys tell whether a tile has few values: each of 20 has come twice among them. More would have others
// wait longer that are asked in vain.
constexpr u32 kFewSample = 256;

// fewComeOnce says, in all threads, whether of kFewSample keys, one of each of the first threads, at most `most` are
// alone in their warp: of 13 values 20 are, of 20 values 51, of 30 values and 5 % of others 105, of AND-ed words of
// 32 bits with an entropy of 0.201, which repeat as much, 133 to 143. One barrier.
template <typename K> GS_DEVICE bool fewComeOnce(K key, u32 most) {
  bool alone = false;
  if (threadIdx.x < kFewSample) alone = matchKey(key) == 1u << laneID();
  return u32(__syncthreads_count(alone)) < most;
}

// sortFewValues sorts a tile of few values, some of which lie in one bin, so that these are overfull with several, by
// their ranks, without values also if an eighth of the keys are unlisted, or returns false, in all threads, with bins
// cleared. Begins after a barrier and, if false, ends with one.
template <typename G>
GS_DEVICE bool sortFewValues(const TileShared<G>& s, const Share& share, u32 n, TileKeys<G>& t, typename G::Key* keys, typename G::Value* values, u32 codec, u32 mode) {
  typedef typename G::Key K;
  const bool held = share.slot() < n;
  if (!repeatsOf<G::kThreads>(t.k[0], held).isFewAmongMore()) return false;
  if (!fewComeOnce(t.k[0], G::kPairs ? kFewSample * 2 / 5 : kFewSample * 12 / 25)) return false;
  static_assert(Dictionary<K>::kBytes <= G::kTile * sizeof(K) && kFewSample <= G::kThreads, "fits where keys are exchanged");
  const Dictionary<K> set(s.keys);
  const auto next = [&](u32, bool& valid) {
    valid = held && threadIdx.x < kFewSample;
    return t.k[0];
  };
  if (!rankListed<G::kThreads, K>(set, true, 1, next, G::kPairs ? 0 : kFewSample / 8)) return false;
  PackedDigits<G::kItems> digits;
  rankKeysOf<G>(set, share, share.slot(), n, t, digits);
  if constexpr (G::kPairs) {
    if (passByRanks<G>(s, Alone(), share, n, digits, t)) {
      storeTile<G>(t, share, keys, values, n, codec, mode);
      return true;
    }
  } else {
    if (sortAmong<G>(s, set, share, n, digits, t, keys, codec)) return true;
  }
  clearBins<G>(s);
  __syncthreads();
  return false;
}

}  // namespace gs

#endif
