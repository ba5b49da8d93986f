// Module scan: prefix sums of 32- and 64-bit words, modulo 2^32 and 2^64, in
// place. Three methods, planned by internal/algo/scan: hillis (one launch per
// doubling), blelloch_tiles and blelloch_add (a tree per tile, recursively over
// the tiles' sums), lookback (one pass). Threads and
// blocks come with the launch, the vectors of a look-back tile from the policy.
//
// flags: 1 inclusive, 2 the number of elements is *limit where that is below n.
#include "block/scan_ladder.cuh"
#include "block/scan_lookback.cuh"
#include "policy/zscan.cuh"

using namespace gs;

#define GS_INSTANCE(bits, valueBytes, suffix, threads, vectors, ladderThreads, ladderBlocks) \
  GS_SHARED(scan_blelloch_tiles_##bits, padded(2 * 1024) * (bits / 8)) \
  GS_GLOBAL __launch_bounds__(256, 2) gs_scan_lookback_##bits( \
      WordOf<bits>* data, u64 n, const u32* limit, u32 flags, u64* words, u32* ticket) { \
    lookbackScan<WordOf<bits>, vectors>(data, spanOf(n, limit, flags), words, ticket); \
  } \
  GS_GLOBAL __launch_bounds__(1024) gs_scan_hillis_##bits( \
      const WordOf<bits>* in, WordOf<bits>* out, u64 n, const u32* limit, u32 flags, u64 distance, u32 shift) { \
    hillisStep<WordOf<bits>>(in, out, spanOf(n, limit, flags), distance, shift != 0); \
  } \
  GS_GLOBAL __launch_bounds__(1024) gs_scan_blelloch_tiles_##bits( \
      WordOf<bits>* data, u64 n, const u32* limit, u32 flags, WordOf<bits>* sums, u32 wantSums) { \
    blellochTiles<WordOf<bits>>(data, spanOf(n, limit, flags), wantSums ? sums : nullptr); \
  } \
  GS_GLOBAL __launch_bounds__(1024) gs_scan_blelloch_add_##bits( \
      WordOf<bits>* data, u64 n, const u32* limit, u32 flags, const WordOf<bits>* sums) { \
    blellochAdd<WordOf<bits>>(data, spanOf(n, limit, flags), sums); \
  }

GS_SCAN_POLICIES(GS_INSTANCE)

GS_GLOBAL gs_scan_policy(u64* hash) { *hash = GS_SCAN_POLICY_HASH; }
