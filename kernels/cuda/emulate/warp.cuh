// The host forms of warp/match.cuh, warp/shared.cuh and warp/grid.cuh, which have inline assembly or headers that
// only nvcc has; their guards keep the device's away.
#ifndef GS_WARP_MATCH
#define GS_WARP_MATCH
#define GS_WARP_SHARED
#define GS_WARP_GRID

#include "emulate/fibers.h"
#include "warp/word.cuh"

namespace gs {

constexpr u32 kAllLanes = 0xffffffffu;
inline u32 laneID() { return threadIdx.x & 31; }
inline u32 lanesBelow() { return (1u << laneID()) - 1; }
inline u32 lanesAbove() { return ~(lanesBelow() << 1 | 1); }

template <typename K> struct DigitOf {
  u32 pass;
  explicit DigitOf(u32 p) : pass(p) {}
  DigitOf again() const { return *this; }
  u32 operator()(K k) const { return u32(k >> 8 * pass) & 255; }
};

inline u32* inOneRegister(u32* p) { return p; }

template <typename K> u32 matchKey(K key) { return __match_any_sync(~0u, key); }
inline u32 matchDigit(u32 digit) { return emulated::match(digit); }

// warpSum is the sum over the warp.
GS_DEVICE u32 warpSum(u32 x) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(kAllLanes, x, d);
  return x;
}

template <typename T> T inclusiveSum(T x) {
  for (u32 d = 1; d < 32; d *= 2) {
    const T y = __shfl_up_sync(kAllLanes, x, d);
    if (laneID() >= d) x += y;
  }
  return x;
}

// An address is the distance from where dynamic shared memory begins.
inline char* dynamicBytes() { return reinterpret_cast<char*>(static_cast<uint4*>(emulated::dynamic)); }
inline u32 sharedAt(const void* p) { return u32(static_cast<const char*>(p) - dynamicBytes()); }
template <typename T, u32 kOffset = 0> T loadAt(u32 at) { return *reinterpret_cast<T*>(dynamicBytes() + u32(at + kOffset)); }
template <typename T> void storeAt(u32 at, T x) { *reinterpret_cast<T*>(dynamicBytes() + at) = x; }

typedef u32 GridToken;
inline GridToken gridArrive() { return __syncthreads(), emulated::arriveGrid(), 0; }
inline void gridWait(GridToken) { emulated::waitGrid(); }
inline void gridSync() { emulated::arriveGrid(), emulated::waitGrid(); }

}  // namespace gs

#endif
