// Ranking within a warp: which lanes hold the same digit.
#ifndef GS_WARP_MATCH
#define GS_WARP_MATCH

#include "warp/word.cuh"

namespace gs {

constexpr u32 kAllLanes = 0xffffffffu;

GS_DEVICE u32 laneID() { return threadIdx.x & 31; }

#if !defined(GS_EMULATE)  // emulate/warp.cuh has the host forms
GS_DEVICE u32 lanesBelow() {
  u32 m;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(m));
  return m;
}

GS_DEVICE u32 lanesAbove() {
  u32 m;
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(m));
  return m;
}

// DigitOf extracts digit number `pass`, counted from the least significant.
// One byte permutation per key (and a select for 64 bits) instead of a shift
// and a mask.
template <typename K> struct DigitOf {
  u32 selector;
  bool high;
  GS_DEVICE explicit DigitOf(u32 pass) : selector(0x4440u | (pass & 3)), high(pass >= 4) {}
  // again returns an equal extractor whose results the compiler cannot know to
  // be equal. Used between the phases of a tile: otherwise it would keep every
  // digit in a register from one phase to the next.
  GS_DEVICE DigitOf again() const {
    DigitOf d = *this;
    asm volatile("" : "+r"(d.selector));
    return d;
  }
  GS_DEVICE u32 operator()(K k) const {
    if constexpr (sizeof(K) == 8) {
      u32 word = high ? u32(k >> 32) : u32(k);
      return __byte_perm(word, 0, selector);
    } else {
      return __byte_perm(u32(k), 0, selector);
    }
  }
};

// inOneRegister is p, an address in shared memory, which the compiler cannot take
// apart. Of p = table + row it would add the row to each index and the table
// behind that: two additions for every access instead of one.
GS_DEVICE u32* inOneRegister(u32* p) {
  u32 at = u32(__cvta_generic_to_shared(p));
  asm volatile("" : "+r"(at));
  return static_cast<u32*>(__cvta_shared_to_generic(at));
}

// matchDigit returns the mask of lanes whose digit equals this lane's. All 32
// lanes take part. One vote per bit: on the measured devices faster than the
// match instruction, whose time grows with the number of distinct values.
// Written out because the compiler's own code for a vote and its conditional
// complement takes twice the instructions.
#define GS_MATCH_BIT(bit, votes)                 \
  " and.b32 t, %1, " bit ";\n"                   \
  " setp.ne.u32 p, t, 0;\n"                      \
  " vote.sync.ballot.b32 " votes ", p, 0xffffffff;\n" \
  " @!p not.b32 " votes ", " votes ";\n"
GS_DEVICE u32 matchDigit(u32 digit) {
  static_assert(kDigitBits == 8, "one GS_MATCH_BIT per bit");
  u32 peers;
  asm volatile(
      "{\n"
      " .reg .pred p;\n"
      " .reg .b32 t, a, b;\n"  //
      GS_MATCH_BIT("1", "%0") GS_MATCH_BIT("2", "a") GS_MATCH_BIT("4", "b")
      " lop3.b32 %0, %0, a, b, 0x80;\n"  // and
      GS_MATCH_BIT("8", "a") GS_MATCH_BIT("16", "b")
      " lop3.b32 %0, %0, a, b, 0x80;\n"
      GS_MATCH_BIT("32", "a") GS_MATCH_BIT("64", "b")
      " lop3.b32 %0, %0, a, b, 0x80;\n"
      GS_MATCH_BIT("128", "a")
      " and.b32 %0, %0, a;\n"
      "}\n"
      : "=&r"(peers)
      : "r"(digit));
  return peers;
}
#undef GS_MATCH_BIT
#endif

// warpSum is the sum over the warp.
template <typename T> GS_DEVICE T warpSum(T x) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 4) return __reduce_add_sync(kAllLanes, x);
#endif
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(kAllLanes, x, d);
  return x;
}

// warpOr is the OR over the warp.
template <typename K> GS_DEVICE K warpOr(K x) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(K) == 8) {
    return K(__reduce_or_sync(kAllLanes, u32(x >> 32))) << 32 | __reduce_or_sync(kAllLanes, u32(x));
  } else {
    return K(__reduce_or_sync(kAllLanes, u32(x)));
  }
#else
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x = K(x | __shfl_xor_sync(kAllLanes, x, d));
  return x;
#endif
}

// warpGreatest is the greatest of the warp, and warpLeast the least.
template <typename K> GS_DEVICE K warpGreatest(K x) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(K) == 8) {
    const u32 high = __reduce_max_sync(kAllLanes, u32(x >> 32)),
        low = __reduce_max_sync(kAllLanes, u32(x >> 32) == high ? u32(x) : 0);
    return K(high) << 32 | low;
  } else {
    return K(__reduce_max_sync(kAllLanes, u32(x)));
  }
#else
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    const K other = K(__shfl_xor_sync(kAllLanes, x, d));
    x = x < other ? other : x;
  }
  return x;
#endif
}
template <typename K> GS_DEVICE K warpLeast(K x) { return K(~warpGreatest(K(~x))); }

// inclusiveSum is the inclusive prefix sum over the warp.
template <typename T> GS_DEVICE T inclusiveSum(T x) {
#pragma unroll
  for (u32 d = 1; d < 32; d *= 2) {
    T y = __shfl_up_sync(kAllLanes, x, d);
    if (laneID() >= d) x += y;
  }
  return x;
}

// matchKey returns the mask of lanes whose key equals this lane's. All 32 lanes take part. For keys that are looked
// at once: the match instruction takes turns with their values.
template <typename K> GS_DEVICE u32 matchKey(K key) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  return __match_any_sync(kAllLanes, key);
#else
  u32 same = 1u << laneID();
#pragma unroll 1
  for (u32 apart = 1; apart < 32; apart++) {
    const bool equal = __shfl_xor_sync(kAllLanes, key, apart) == key;  // by all lanes
    same |= u32(equal) << (laneID() ^ apart);
  }
  return same;
#endif
}

}  // namespace gs

#endif
