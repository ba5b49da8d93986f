// The host forms of what in warp/match.cuh and block/lists.cuh is inline assembly, and of warp/grid.cuh, whose header
// only nvcc has.
#ifndef GS_EMULATE
#define GS_EMULATE
#define GS_WARP_GRID

#include "emulate/fibers.h"
#include "warp/word.cuh"

namespace gs {

inline u32 lanesBelow() { return (1u << (threadIdx.x & 31)) - 1; }
inline u32 lanesAbove() { return ~(lanesBelow() << 1 | 1); }

template <typename K> struct DigitOf {
  u32 pass;
  explicit DigitOf(u32 p) : pass(p) {}
  DigitOf again() const { return *this; }
  u32 operator()(K k) const { return u32(k >> 8 * pass) & 255; }
};

inline u32* inOneRegister(u32* p) { return p; }

inline u32 matchDigit(u32 digit) { return emulated::match(digit); }

// An address is the distance from where dynamic shared memory begins.
inline char* dynamicBytes() { return reinterpret_cast<char*>(static_cast<uint4*>(emulated::dynamic)); }
inline u32 sharedAt(const void* p) { return u32(static_cast<const char*>(p) - dynamicBytes()); }
template <typename T, u32 kOffset = 0>
T loadAt(u32 at) { return *reinterpret_cast<T*>(dynamicBytes() + u32(at + kOffset)); }
template <typename T> void storeAt(u32 at, T x) { *reinterpret_cast<T*>(dynamicBytes() + at) = x; }

typedef u32 GridToken;
inline GridToken gridArrive() { return __syncthreads(), emulated::arriveGrid(), 0; }
inline void gridWait(GridToken) { emulated::waitGrid(); }
inline void gridSync() { emulated::arriveGrid(), emulated::waitGrid(); }

}  // namespace gs

#endif
