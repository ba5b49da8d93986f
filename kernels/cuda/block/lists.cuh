// Keys sorted by their ranks in lists that are in order: what skew there is makes no difference. A key
// is ranked among 16 neighbours by looking at all of them; then, again and again, four lists become
// one, where its place is that in its own list and, by a binary search, its ranks in the three
// others. Equal keys keep their order: a key is behind the equal ones of lists before its own, and
// before those of lists behind.
#ifndef GS_BLOCK_LISTS
#define GS_BLOCK_LISTS

#include "warp/match.cuh"

namespace gs {

// Words of shared memory by address. Of a pointer that is swapped or chosen the compiler does not know that it points
// there: it would take 64 bits, and loads that look where they lead.
#if !defined(GS_EMULATE)  // emulate/warp.cuh has the host forms
// sharedAt is the address of what p points to in this block's shared memory.
GS_DEVICE u32 sharedAt(const void* p) { return u32(__cvta_generic_to_shared(p)); }

// loadAt reads the word at an address, and kOffset bytes, which cost no instruction.
template <typename T, u32 kOffset = 0> GS_DEVICE T loadAt(u32 at) {
  T x;
  if constexpr (sizeof(T) == 8) asm volatile("ld.shared.u64 %0, [%1+%2];" : "=l"(x) : "r"(at), "n"(kOffset) : "memory");
  if constexpr (sizeof(T) == 4) asm volatile("ld.shared.u32 %0, [%1+%2];" : "=r"(x) : "r"(at), "n"(kOffset) : "memory");
  if constexpr (sizeof(T) == 2) asm volatile("ld.shared.u16 %0, [%1+%2];" : "=h"(x) : "r"(at), "n"(kOffset) : "memory");
  return x;
}

template <typename T> GS_DEVICE void storeAt(u32 at, T x) {
  if constexpr (sizeof(T) == 8) asm volatile("st.shared.u64 [%0], %1;" ::"r"(at), "l"(x) : "memory");
  if constexpr (sizeof(T) == 4) asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(x) : "memory");
  if constexpr (sizeof(T) == 2) asm volatile("st.shared.u16 [%0], %1;" ::"r"(at), "h"(x) : "memory");
}
#endif

constexpr u32 kRanked = 16, kMergedLists = 4;

// rankInList is the rank of the lane's key among its half warp's, which lie at `list` in shared memory, equal ones in
// lanes' order.
template <typename K> GS_DEVICE u32 rankInList(u32 list, K key) {
  u32 less = 0;
#pragma unroll
  for (u32 i = 0; i < kRanked; i++) less += loadAt<K>(list + i * sizeof(K)) < key;
  // Equal keys have as many that are less.
  const u32 half = laneID() / kRanked;
  return less + __popc(matchDigit(less + half * kRanked) & lanesBelow());
}

// Others are the lists that a key of list number `own` of `many`, 2 or 4, is looked for in: number own ^ (j + 1).
// bound: one behind the largest key that the key comes behind.
constexpr u32 kOthers = kMergedLists - 1;
template <typename K> struct Others {
  u32 many, own;
  K key, next;  // of the largest key 0: all of lists before its own come before it
  GS_DEVICE Others(u32 many_, u32 own_, K key_) : many(many_), own(own_), key(key_), next(key_ + 1) {}
  GS_DEVICE u32 list(u32 j) const { return (own ^ (j + 1)) < many ? own ^ (j + 1) : own; }
  GS_DEVICE K bound(u32 j) const { return list(j) < own ? next : key; }
  // sum adds up the ranks in them, whose length is that.
  GS_DEVICE u32 sum(const u32 (&rank)[kOthers], u32 length) const {
    u32 all = 0;
#pragma unroll
    for (u32 j = 0; j < kOthers; j++) {
      if (list(j) != own) all += next == 0 && list(j) < own ? length : rank[j];
    }
    return all;
  }
};

// probe is one step each in kOthers lists: for the key `kKeys` behind the last one found less, whose address is
// last[j].
template <u32 kKeys, typename K> GS_DEVICE void probe(u32 (&last)[kOthers], const K (&bound)[kOthers]) {
#pragma unroll
  for (u32 j = 0; j < kOthers; j++) {
    if (loadAt<K, kKeys * sizeof(K)>(last[j]) < bound[j]) last[j] += kKeys * u32(sizeof(K));
  }
}

// search finds how many of the 2^log keys from address first[j] on are less than bound[j]; log: 4, 6, 8 or 10. Steps
// are constants: a probe is a load, a comparison and an addition.
template <typename K>
GS_DEVICE void search(u32 log, const u32 (&first)[kOthers], const K (&bound)[kOthers], u32 (&rank)[kOthers]) {
  constexpr u32 kKey = sizeof(K);
  u32 last[kOthers];
#pragma unroll
  for (u32 j = 0; j < kOthers; j++) last[j] = first[j] - kKey;
  if (log > 8) probe<512>(last, bound), probe<256>(last, bound);
  if (log > 6) probe<128>(last, bound), probe<64>(last, bound);
  if (log > 4) probe<32>(last, bound), probe<16>(last, bound);
  probe<8>(last, bound), probe<4>(last, bound), probe<2>(last, bound), probe<1>(last, bound);
  probe<1>(last, bound);
#pragma unroll
  for (u32 j = 0; j < kOthers; j++) rank[j] = (last[j] + kKey - first[j]) / kKey;
}

// rankInOthers is the rank of a key in other lists of 2^log keys that lie one behind the other from address `lists` on.
template <typename K> GS_DEVICE u32 rankInOthers(u32 lists, const Others<K>& others, u32 log) {
  u32 first[kOthers], rank[kOthers];
  K bound[kOthers];
#pragma unroll
  for (u32 j = 0; j < kOthers; j++)
    first[j] = lists + (others.list(j) * u32(sizeof(K)) << log), bound[j] = others.bound(j);
  search(log, first, bound, rank);
  return others.sum(rank, 1u << log);
}

// Two rows of keys in shared memory, by address, and of what moves with them where kPairs: `from`, the keys' places.
// Rows have room for n keys, up to a multiple of 32 and of 2^listedLog(n).
template <typename K, bool kPairs> struct Rows {
  u32 keys, next, from, nextFrom;

  GS_DEVICE K key(u32 i) const { return loadAt<K>(keys + i * u32(sizeof(K))); }
  GS_DEVICE u32 place(u32 i) const { return loadAt<u16>(from + 2 * i); }
  GS_DEVICE void put(u32 at, K key, u32 place) const {
    storeAt<K>(next + at * u32(sizeof(K)), key);
    if constexpr (kPairs) storeAt<u16>(nextFrom + 2 * at, u16(place));
  }
  GS_DEVICE void swap() {
    const u32 k = keys, f = from;
    keys = next, next = k, from = nextFrom, nextFrom = f;
  }
};

// listedLog is the logarithm of the lists that n keys are sorted as, at most four, before they are one.
GS_DEVICE u32 listedLog(u32 n) {
  u32 log = 4;
  while (n > kMergedLists << log) log += 2;
  return log;
}

// mergeKey puts key number i where it belongs among four lists of 2^log of `all` keys.
template <bool kPairs, typename K> GS_DEVICE void mergeKey(const Rows<K, kPairs>& rows, u32 i, u32 all, u32 log) {
  const u32 begin = i >> (log + 2) << (log + 2), lists = ((all - begin - 1) >> log) + 1;
  const K key = rows.key(i);
  const Others<K> others(lists < kMergedLists ? lists : kMergedLists, (i - begin) >> log, key);
  const u32 at = begin + (i & ((1u << log) - 1)) + rankInOthers(rows.keys + begin * u32(sizeof(K)), others, log);
  rows.put(at, key, kPairs ? rows.place(i) : 0);
}

// sortRows sorts n keys, at most 4,096, in order of their places in the row `keys`, and leaves them there: it swaps the
// rows. kThreads threads take a key each in turn, whole warps up to a multiple of 32. Begins with a barrier and ends
// with one.
//
// Between two barriers keys are read from one row and written to the other: every place up to a
// multiple of 32 by the one key of that rank. Behind that the largest keys stay, which
// no search takes for smaller ones.
template <u32 kThreads, bool kPairs, typename K> GS_DEVICE void sortRows(Rows<K, kPairs>& rows, u32 n) {
  constexpr u32 kKey = sizeof(K);
  const u32 last = listedLog(n), all = (n + 31) / 32 * 32, whole = (((n - 1) >> last) + 1) << last,
      padded = whole > all ? whole : all;
  for (u32 i = n + threadIdx.x; i < padded; i += kThreads)
    storeAt<K>(rows.keys + i * kKey, K(~K(0))), storeAt<K>(rows.next + i * kKey, K(~K(0)));
  __syncthreads();
#pragma unroll 1
  for (u32 i = threadIdx.x; i < all; i += kThreads) {
    const u32 first = i / kRanked * kRanked;
    const K key = rows.key(i);
    rows.put(first + rankInList(rows.keys + first * kKey, key), key, i);
  }
#pragma unroll 1
  for (u32 log = 4; log <= last && 1u << log < all; log += 2) {
    rows.swap();
    __syncthreads();
#pragma unroll 1
    for (u32 i = threadIdx.x; i < all; i += kThreads) mergeKey(rows, i, all, log);
  }
  rows.swap();
  __syncthreads();
}

}  // namespace gs

#endif
