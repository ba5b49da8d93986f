// warp/shared.cuh for the host: an address is the distance from where dynamic shared memory begins.
#ifndef GS_WARP_SHARED
#define GS_WARP_SHARED

#include "emulate/fibers.h"

namespace gs {

inline u32 sharedAt(const void* p) { return u32(static_cast<const char*>(p) - reinterpret_cast<const char*>(static_cast<uint4*>(emulated::dynamic))); }
template <typename T, u32 kOffset = 0> T loadAt(u32 at) { return *reinterpret_cast<T*>(reinterpret_cast<char*>(static_cast<uint4*>(emulated::dynamic)) + u32(at + kOffset)); }
template <typename T> void storeAt(u32 at, T x) { *reinterpret_cast<T*>(reinterpret_cast<char*>(static_cast<uint4*>(emulated::dynamic)) + at) = x; }

}  // namespace gs

#endif
