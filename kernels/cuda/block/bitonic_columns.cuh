// Several steps of a bitonic network in one pass over device memory. A thread
// takes a column: 2^kSteps elements that lie 2^low apart, and runs the steps at
// distances 2^(low+kSteps-1) to 2^low in registers. In the first pass of a merge
// the upper half of a column is the mirrored one: then both ends of a mirrored
// comparator, and of all later ones, are in the same thread.
#ifndef GS_BLOCK_BITONIC_COLUMNS
#define GS_BLOCK_BITONIC_COLUMNS

#include "block/bitonic_step.cuh"

namespace gs {

// bitonicColumns runs the steps on data[n]. `columns` counts the columns whose
// first element is below n. Consecutive threads take consecutive columns, so
// that from low = 5 on every access of a warp is one line. Launch: any blocks ×
// threads.
template <int kBits, int kSteps>
GS_DEVICE void bitonicColumns(BitonicMemory<kBits>* data, u64 n, u64 columns, u32 low, u32 mirror) {
  typedef BitonicRegister<kBits> R;
  constexpr int kCount = 1 << kSteps;
  const u64 within = (1ull << low) - 1;
  for (u64 c = bitonicThread(); c < columns; c += bitonicThreads()) {
    const u64 base = c >> low << (low + kSteps), column = c & within;
    const u64 upper = mirror ? column ^ within : column;
    const auto at = [&](int r) { return base + (u64(r) << low) + (r < kCount / 2 ? column : upper); };
    R x[kCount];
    if (base + (u64(kCount) << low) <= n) {
#pragma unroll
      for (int r = 0; r < kCount; r++) x[r] = bitonicLoad<kBits>(data + at(r), 0);
    } else {
#pragma unroll
      for (int r = 0; r < kCount; r++) x[r] = at(r) < n ? bitonicLoad<kBits>(data + at(r), 0) : bitonicInfinity<R>();
    }
    if (mirror)
      registerSteps<kSteps, true>(x);
    else
      registerSteps<kSteps, false>(x);
    if (base + (u64(kCount) << low) <= n) {
#pragma unroll
      for (int r = 0; r < kCount; r++) bitonicStore<kBits>(data + at(r), 0, x[r]);
    } else {
#pragma unroll
      for (int r = 0; r < kCount; r++) {
        if (at(r) < n) bitonicStore<kBits>(data + at(r), 0, x[r]);
      }
    }
  }
}

}  // namespace gs

#endif
