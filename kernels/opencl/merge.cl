// The merge sorts merge-path (block, then partition and pass for each doubling
// of the runs) and merge-separators (sector, then separators and segments).
// Stages, arguments, launch geometry and the reasons are those of the CUDA
// kernels of the same names (kernels/cuda/block/merge_*.cuh), with local memory
// and barriers in place of shuffles and ballots; internal/algo/merge plans both.
// Barriers and local memory are all they need; no group waits for another.
//
// The build gives GS_TARGET_GPU (a group's items run side by side) or
// GS_TARGET_CPU (one after the other), GS_WIDTH, the keys' bits, and GS_V, the
// values' bytes (0: none), so that a program holds only what one sort runs.
// The size of a work-group is the launch's, and local memory comes with it.

#include "policy/zmerge.h"
#include "word.clh"

// The policy rows as constants: GS_ITEMS_32_4 and the like.
#define GS_ROW(bits, valueBytes, suffix, items, blockThreads, passThreads, partitionTiles, sectorItems, sectorThreads) \
    enum { GS_ITEMS_##bits##_##valueBytes = items, GS_SECTOR_ITEMS_##bits##_##valueBytes = sectorItems };
GS_MERGE_POLICIES(GS_ROW)
#undef GS_ROW

#define GS_W GS_WIDTH
#include "codec.clh"

#define GS_ITEMS GS_CAT4(GS_ITEMS_, GS_W, _, GS_V)
#define GS_SECTOR_ITEMS GS_CAT4(GS_SECTOR_ITEMS_, GS_W, _, GS_V)
#define GS_MERGE_PAD 32u // cells behind a tile, kMergePad

#if GS_V == 0
#define GS_SUFFIX keys
#define GS_CELL (GS_W / 8)
#define GS_VALUE_BUFFERS
#else
#if GS_V == 4
#define GS_SUFFIX pairs32
#define GS_VALUE uint
#else
#define GS_SUFFIX pairs64
#define GS_VALUE ulong
#endif
#define GS_CELL (GS_W / 8 > GS_V ? GS_W / 8 : GS_V)
#define GS_VALUE_BUFFERS GS_BUF(valuesIn), GS_BUF(valuesOut),
#endif

// Unrolled, a thread's items stay in registers; a processor's compiler would
// take long and gain nothing.
#if defined(GS_TARGET_GPU)
#define GS_UNROLLED _Pragma("unroll")
#elif defined(GS_TARGET_CPU)
#define GS_UNROLLED
#else
#error "define GS_TARGET_GPU or GS_TARGET_CPU"
#endif

#define GS_POSITIONS 1u // flags, as in kernels/cuda/block/merge_tile.cuh
#define GS_DROP_KEYS 2u

// A pair of neighbouring runs; the second, or both, may be short or empty at the
// end of the input. B starts at first + lenA.
typedef struct {
    ulong first, lenA, lenB;
} gs_pair;

static inline gs_pair gs_pairAt(ulong n, ulong run, uint pair) {
    gs_pair p;
    p.first = 2 * run * pair;
    p.lenA = min(run, n - p.first);
    p.lenB = min(run, n - p.first - p.lenA);
    return p;
}

// Bisections in one address space: the merge path's crossing of a diagonal, and
// the numbers of items below x and not above x. Contracts as in
// kernels/cuda/warp/mergepath.cuh.
#define GS_SEARCHES(SPACE, LEN)                                                                              \
    static inline LEN gs_path_##SPACE(SPACE const GS_KEY *a, LEN lenA, SPACE const GS_KEY *b, LEN lenB, LEN diagonal) { \
        LEN lo = sub_sat(diagonal, lenB), hi = min(diagonal, lenA);                            \
        while (lo < hi) {                                                                                    \
            const LEN mid = (lo + hi) / 2;                                                                   \
            if (a[mid] <= b[diagonal - 1 - mid]) {                                                           \
                lo = mid + 1;                                                                                \
            } else {                                                                                         \
                hi = mid;                                                                                    \
            }                                                                                                \
        }                                                                                                    \
        return lo;                                                                                           \
    }                                                                                                        \
    static inline LEN gs_lower_##SPACE(SPACE const GS_KEY *run, LEN len, GS_KEY x) {                         \
        LEN lo = 0;                                                                                          \
        while (lo < len) {                                                                                   \
            const LEN mid = (lo + len) / 2;                                                                  \
            if (run[mid] < x) {                                                                              \
                lo = mid + 1;                                                                                \
            } else {                                                                                         \
                len = mid;                                                                                   \
            }                                                                                                \
        }                                                                                                    \
        return lo;                                                                                           \
    }                                                                                                        \
    static inline LEN gs_upper_##SPACE(SPACE const GS_KEY *run, LEN len, GS_KEY x) {                         \
        LEN lo = 0;                                                                                          \
        while (lo < len) {                                                                                   \
            const LEN mid = (lo + len) / 2;                                                                  \
            if (run[mid] <= x) {                                                                             \
                lo = mid + 1;                                                                                \
            } else {                                                                                         \
                len = mid;                                                                                   \
            }                                                                                                \
        }                                                                                                    \
        return lo;                                                                                           \
    }
GS_SEARCHES(__local, uint)
GS_SEARCHES(__global, ulong)

#include "merge_path.clh"
#include "merge_separators.clh"

// Writes the hash of the policy rows that the program was built from.
__kernel void gs_merge_policy(GS_BUF(hash)) {
    *GS_PTR(ulong, hash) = GS_MERGE_POLICY_HASH;
}
