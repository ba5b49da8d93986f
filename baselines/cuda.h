// What the CUDA baselines share: one function per family and problem, which
// with temp == nullptr only stores the temporary storage that it needs.
#pragma once
#include <cstdint>

#include <cuda_runtime_api.h>

#include "gpusort_peer.h"

enum Family { kRadix, kRadixDouble, kRadixN64, kRadixDoubleN64, kMerge, kThrust, kFamilies };

// A negative code is ours, a positive one a cudaError.
enum Code { kOK = 0, kNoSuchSorter = -1, kUnsupported = -2, kTempTooSmall = -3, kException = -4 };

int radixKeys(bool doubleBuffer, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes);
int radixPairs(bool doubleBuffer, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes);
int radixKeysN64(bool doubleBuffer, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes);
int radixPairsN64(bool doubleBuffer, const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes);
int merge(const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes);
int thrustSort(const gpusort_peer_problem &p, gpusort_peer_buffers &b, size_t &tempBytes);

int operations(uint32_t index, const gpusort_peer_operation &p, gpusort_peer_memory &m, size_t &tempBytes);

inline cudaStream_t stream(const gpusort_peer_buffers &b) { return static_cast<cudaStream_t>(b.stream); }
