// A key's rank among the keys of its bin. Bins lie one behind the other in shared memory.
//
// Ranks are counted down: `negative` is minus the rank, since subtracting 1 if a comparison holds is one instruction.
#ifndef GS_BLOCK_COMPARE
#define GS_BLOCK_COMPARE

#include "block/tile.cuh"

namespace gs {

// lessOneIf is negative − 1 if word < other, else negative. The compiler's own code for that has a selection more.
template <typename W> GS_DEVICE u32 lessOneIf(u32 negative, W word, W other) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(W) == 8)
    asm("{ .reg .pred p; setp.lt.u64 p, %1, %2; @p add.u32 %0, %0, -1; }" : "+r"(negative) : "l"(word), "l"(other));
  else
    asm("{ .reg .pred p; setp.lt.u32 p, %1, %2; @p add.u32 %0, %0, -1; }" : "+r"(negative) : "r"(word), "r"(other));
  return negative;
#else
  return negative - (word < other);
#endif
}

// lessOneIf of keys with numbers compares the keys, and the numbers of equal keys.
GS_DEVICE u32 lessOneIf(u32 negative, u32 key, u32 number, u32 other, u32 otherNumber) {
  return lessOneIf(negative, u64(key) << 32 | number, u64(other) << 32 | otherNumber);
}

// The same of 64-bit keys. A chain of three 32-bit subtractions with borrow compares key and number: its last borrow
// says which is less, by half of the instructions that comparing the words takes.
GS_DEVICE u32 lessOneIf(u32 negative, u64 key, u32 number, u64 other, u32 otherNumber) {
#ifdef __CUDA_ARCH__
  asm("{ .reg .u32 t; sub.cc.u32 t, %1, %4; subc.cc.u32 t, %2, %5; subc.cc.u32 t, %3, %6; "
      "subc.u32 t, 0, 0; add.u32 %0, %0, t; }"
      : "+r"(negative)
      : "r"(number), "r"(u32(key)), "r"(u32(key >> 32)), "r"(otherNumber), "r"(u32(other)), "r"(u32(other >> 32)));
  return negative;
#else
  return negative - (key < other || (key == other && number < otherNumber));
#endif
}

// kComparesVectors: words in bins are read 16 bytes at a time. 64-bit keys take longer that way (measured). Keys of
// less than 32 bits are seldom compared.
template <typename G> constexpr bool kComparesVectors = G::kJoins || sizeof(KeyOf<G>) == 4;

// Compared are the words of kMany slots, which are read at once.
template <typename G> struct Compared {
  static constexpr u32 kBytes = G::kJoins ? sizeof(typename G::Joined) : sizeof(KeyOf<G>), kMany = 16 / kBytes;
  typedef typename Word<kBytes>::type W;
  W w[kMany];
  GS_DEVICE Compared(const TileShared<G>& s, u32 slot) {
    static_assert(TileShared<G>::kKeys % 16 == 0 && TileShared<G>::kJoined % (G::kJoins ? 16 : 1) == 0,
                  "aligned vectors");
    const W* words;
    if constexpr (G::kJoins) words = s.joined;
    else words = s.keys;
    const uint4 v = *reinterpret_cast<const uint4*>(words + slot);
    if constexpr (kMany == 4) w[0] = v.x, w[1] = v.y, w[2] = v.z, w[3] = v.w;
    else w[0] = u64(v.y) << 32 | v.x, w[1] = u64(v.w) << 32 | v.z;
  }
};

// padBins writes the largest word to the slots behind the last key, up to the end of its vector, which are compared,
// too. A barrier must come before they are read.
template <typename G> GS_DEVICE void padBins(const TileShared<G>& s, u32 n) {
  if constexpr (kComparesVectors<G>) {
    constexpr u32 kMany = Compared<G>::kMany;
    static_assert(G::kTile % kMany == 0, "within the tile");
    const u32 at = n + threadIdx.x;
    if (threadIdx.x >= kMany || at % kMany <= threadIdx.x) return;
    if constexpr (G::kJoins) {
      s.joined[at] = typename G::Joined(~typename G::Joined(0));
    } else {
      s.keys[at] = KeyOf<G>(~KeyOf<G>(0));
      if constexpr (G::kPairs) s.from[at] = 0xffff;
    }
  }
}

// kComparesAtOnce is how far the loop over a bin's keys is unrolled where they are not read as vectors. Most bins have
// few keys, and pairs read more for each: for them four take longer than two (measured).
template <typename G> constexpr u32 kComparesAtOnce = G::kPairs ? 2 : 4;

// rankInBin is the rank among all keys of the key in slot j, whose bin has the slots [first, end). Before it come the
// keys of lower bins, the smaller keys of its bin, and the equal ones from earlier places in the input. A vector may
// reach beyond the bin: keys before the bin are less and are counted, keys behind it and the padding are not less.
template <typename G> GS_DEVICE u32 rankInBin(const TileShared<G>& s, u32 j, KeyOf<G> key, u32 first, u32 end) {
  if (end - first <= 1) return first;
  u32 came = j;
  if constexpr (G::kPairs && !G::kJoins) came = s.from[j];
  if constexpr (kComparesVectors<G>) {
    typedef Compared<G> C;
    u32 at = first / C::kMany * C::kMany, negative = 0 - at;
    typename C::W mine = 0;
    if constexpr (G::kJoins) mine = s.joined[j];
#pragma unroll 1
    do {
      const C other(s, at);
#pragma unroll
      for (u32 i = 0; i < C::kMany; i++) {
        // Slots are counted from kMany up: none is less than 0 then.
        if constexpr (G::kJoins) negative = lessOneIf(negative, other.w[i], mine);
        else if constexpr (G::kPairs) negative = lessOneIf(negative, other.w[i], s.from[at + i], key, came);
        else negative = lessOneIf(negative, other.w[i], at + C::kMany, key, came + C::kMany - i);
      }
      at += C::kMany;
    } while (at < end);
    return 0 - negative;
  } else {
    constexpr int kAtOnce = kComparesAtOnce<G>;
    u32 negative = 0 - first;
#pragma unroll kAtOnce
    for (u32 other = first; other < end; other++) {
      // Both are read at once, rather than the second where the first is equal.
      const typename Word<sizeof(KeyOf<G>) == 8 ? 8 : 4>::type k = s.keys[other], mine = key;
      negative = lessOneIf(negative, k, G::kPairs ? u32(s.from[other]) : other, mine, came);
    }
    return 0 - negative;
  }
}

}  // namespace gs

#endif
