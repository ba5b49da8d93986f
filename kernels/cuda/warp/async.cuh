// Copies from global to shared memory that pass by the registers, and that a thread need not wait for.
// Only code compiled for sm_90 includes this.
#ifndef GS_WARP_ASYNC
#define GS_WARP_ASYNC

#include "warp/shared.cuh"

namespace gs {

// copyAsync begins to copy a word of 8 bytes, or 4, to an address in shared memory. The word was not read through
// this multiprocessor's L1 before, where it would be found as it was.
GS_DEVICE void copyAsync(u32 to, const u64* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(__cvta_generic_to_global(from)) : "memory");
}

GS_DEVICE void copyAsync(u32 to, const u32* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(__cvta_generic_to_global(from)) : "memory");
}

// awaitCopies waits for all that the thread has begun: it sees them, and others behind a barrier.
GS_DEVICE void awaitCopies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

}  // namespace gs

#endif
