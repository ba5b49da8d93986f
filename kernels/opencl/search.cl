// How many of the sorted keys belong before each query: kernels/cuda/stage/search.cu, which
// says what the tree of samples is. internal/algo/search plans it.
//
// In: sorted[n] in the order of the codec; queries[count]. `levels` are the tree's, which may be 0:
// the keys themselves are then its top. The top has at most GS_TOP keys, in local memory.
// Stage tree: writes all levels. Stage find: positions[i], for i < count. Stage bisect: the same without samples.
// Launch: groups of GS_THREADS, any number of them. No group reads what another one of its launch writes.
//
// The build gives GS_THREADS, GS_EACH, the queries that a work-item looks for at once, GS_WIDTH,
// the keys' bits, and of the tree GS_TOP, GS_FAN and GS_ALIGN (GS_FAN keys below a sample; levels begin at
// multiples of GS_ALIGN samples).
#include "word.clh"
#include "share.clh"

#define GS_W GS_WIDTH
#include "codec.clh"

// A group of GS_FAN neighbours is GS_VECTORS vectors of GS_PART keys, of up to 16 bytes.
#if GS_W == 64
#define GS_PART 2
#define GS_VECTORS 2
#elif GS_W == 32
#define GS_PART 4
#define GS_VECTORS 2
#else
#define GS_PART 8
#define GS_VECTORS 1
#endif
#if GS_FAN != GS_PART * GS_VECTORS
#error "GS_FAN is not what a group's vectors hold"
#endif
#if GS_W == 64
#define GS_VECTOR ulong2
#elif GS_W == 32
#define GS_VECTOR uint4
#elif GS_W == 16
#define GS_VECTOR ushort8
#else
#define GS_VECTOR uchar8
#endif

// A tree has so many levels at most: fewer than 2^64 keys have.
#define GS_LEVELS 32

// One level of a tree: len samples from place `at` on.
typedef struct {
    ulong at, len;
} gs_level;

static inline ulong gs_aligned(ulong samples) { return (samples + GS_ALIGN - 1) / GS_ALIGN * GS_ALIGN; }

// The level above one that is not the keys, and the level that is above those.
static inline gs_level gs_above(gs_level below) {
    gs_level l = {below.at + gs_aligned(below.len), (below.len + GS_FAN - 1) / GS_FAN};
    return l;
}
static inline gs_level gs_lowest(ulong n) {
    gs_level l = {0, (n + GS_FAN - 1) / GS_FAN};
    return l;
}

// Sample i of the first level is made by one work-item, and so are those above it that are the same key. The last
// one of a level is followed by the largest keys up to the end of its group.
__kernel GS_GROUP void GS_ENTRY(search, tree, GS_W, keys)(GS_BUF(sorted), GS_BUF(tree), ulong n, uint levels,
                                                          uint codec) {
    __global const GS_KEY *sorted = GS_PTR(const GS_KEY, sorted);
    __global GS_KEY *tree = GS_PTR(GS_KEY, tree);
    const gs_level first = gs_lowest(n);
    const gs_share mine = gs_shareOf(first.len);
    for (ulong i = mine.begin + get_local_id(0); i < mine.end; i += GS_THREADS) {
        const GS_KEY key = gs_encode(codec, sorted[min((i + 1) * GS_FAN, n) - 1]);
        gs_level level = first;
        ulong x = i;
        for (uint l = 0;;) {
            tree[level.at + x] = key;
            if (x + 1 == level.len) {
                for (ulong pad = x + 1; pad % GS_FAN != 0; pad++) {
                    tree[level.at + pad] = (GS_KEY)~(GS_KEY)0;
                }
            } else if ((x + 1) % GS_FAN != 0) {
                break;
            }
            if (++l >= levels) {
                break;
            }
            x /= GS_FAN;
            level = gs_above(level);
        }
    }
}

// at[j] is the number of keys of the level above below query j, and becomes that of the level's. Where it is all
// of them it becomes len or more. All loads are on their way before the first is waited for.
//
// gs_descend is for samples.
GS_INLINE void gs_descend(__global const GS_KEY *samples, ulong len, const GS_KEY *query, ulong *at) {
    GS_KEY group[GS_EACH][GS_FAN];
    GS_UNROLLED
    for (uint j = 0; j < GS_EACH; j++) {
        at[j] *= GS_FAN;
        __global const GS_KEY *from = samples + min(at[j], (len - 1) / GS_FAN * GS_FAN);
        GS_UNROLLED
        for (uint v = 0; v < GS_VECTORS; v++) {
            GS_CAT2(vstore, GS_PART)(((__global const GS_VECTOR *)from)[v], v, group[j]);
        }
    }
    GS_UNROLLED
    for (uint j = 0; j < GS_EACH; j++) {
        uint found = 0;
        GS_UNROLLED
        for (uint x = 0; x < GS_FAN; x++) {
            found += group[j][x] < query[j];
        }
        at[j] += found;
    }
}

// gs_arrive is for the sorted keys, which are aligned for vectors if isAligned says so.
GS_INLINE void gs_arrive(__global const GS_KEY *sorted, ulong n, bool isAligned, const GS_KEY *query, ulong *at,
                         uint codec) {
    GS_KEY group[GS_EACH][GS_FAN];
    const GS_KEY largest = gs_decode(codec, (GS_KEY)~(GS_KEY)0);
    GS_UNROLLED
    for (uint j = 0; j < GS_EACH; j++) {
        at[j] *= GS_FAN;
        __global const GS_KEY *from = sorted + at[j];
        if (isAligned && at[j] + GS_FAN <= n) {
            GS_UNROLLED
            for (uint v = 0; v < GS_VECTORS; v++) {
                GS_CAT2(vstore, GS_PART)(((__global const GS_VECTOR *)from)[v], v, group[j]);
            }
        } else {
            GS_UNROLLED
            for (uint x = 0; x < GS_FAN; x++) {
                group[j][x] = at[j] + x < n ? from[x] : largest;
            }
        }
    }
    // The codec of integers changes the same bits of all keys.
    const GS_KEY flip = gs_encode(codec, 0);
    GS_UNROLLED
    for (uint j = 0; j < GS_EACH; j++) {
        uint found = 0;
        if (codec & 2u) {
            GS_UNROLLED
            for (uint x = 0; x < GS_FAN; x++) {
                found += gs_encode(codec, group[j][x]) < query[j];
            }
        } else {
            GS_UNROLLED
            for (uint x = 0; x < GS_FAN; x++) {
                found += (GS_KEY)(group[j][x] ^ flip) < query[j];
            }
        }
        at[j] += found;
    }
}

// Where sample i of the top lies in local memory. Bisection asks for places that lie powers of two
// apart, which would all be in one bank.
#define GS_TOP_PLACE(i) ((i) + (i) / (1024 / GS_W) + (i) / (32768 / GS_W))

GS_INLINE void gs_find(__global const GS_KEY *sorted, __global const GS_KEY *tree, __global const GS_KEY *queries,
                       __global uchar *positions, bool isWide, ulong n, ulong count, uint levels, uint codec,
                       __local GS_KEY *top, __local gs_level *level) {
    const uint t = (uint)get_local_id(0);
    gs_level highest = {0, n};
    for (uint l = 0; l < levels; l++) {
        highest = l == 0 ? gs_lowest(n) : gs_above(highest);
        if (t == 0) {
            level[l] = highest;
        }
    }
    const uint tops = (uint)highest.len;
    for (uint i = t; i < tops; i += GS_THREADS) {
        top[GS_TOP_PLACE(i)] = levels == 0 ? gs_encode(codec, sorted[i]) : tree[highest.at + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const bool isAligned = (uint)(size_t)sorted % 16 == 0;
    const uint widest = tops == 0 ? 0 : 1u << (31 - clz(tops)), tile = GS_THREADS * GS_EACH;
    const gs_share tiles = gs_shareOf((count + tile - 1) / tile);
    for (ulong first = tiles.begin * tile; first < tiles.end * tile; first += tile) {
        GS_KEY query[GS_EACH];
        uint low[GS_EACH];
        GS_UNROLLED
        for (uint j = 0; j < GS_EACH; j++) {
            const ulong i = first + j * GS_THREADS + t;
            query[j] = queries[min(i, count - 1)];
            low[j] = 0;
        }
        GS_UNROLLED
        for (uint j = 0; j < GS_EACH; j++) {
            query[j] = gs_encode(codec, query[j]);
        }
        // All queries take the same number of steps: low grows by falling powers of two while the samples before
        // it are less.
        for (uint step = widest; step != 0; step /= 2) {
            GS_UNROLLED
            for (uint j = 0; j < GS_EACH; j++) {
                const uint next = low[j] + step, last = min(next, tops) - 1;
                const bool isLess = top[GS_TOP_PLACE(last)] < query[j];
                low[j] = isLess && next <= tops ? next : low[j];
            }
        }
        ulong at[GS_EACH];
        GS_UNROLLED
        for (uint j = 0; j < GS_EACH; j++) {
            at[j] = low[j];
        }
        for (uint l = levels; l-- > 1;) {
            const gs_level below = level[l - 1];
            gs_descend(tree + below.at, below.len, query, at);
        }
        if (levels != 0) {
            gs_arrive(sorted, n, isAligned, query, at, codec);
        }
        GS_UNROLLED
        for (uint j = 0; j < GS_EACH; j++) {
            const ulong i = first + j * GS_THREADS + t;
            if (i < count && isWide) {
                ((__global ulong *)positions)[i] = min(at[j], n);
            } else if (i < count) {
                ((__global uint *)positions)[i] = (uint)min(at[j], n);
            }
        }
    }
}

// For queries that are too few to make samples for: bisection among the keys.
GS_INLINE void gs_bisect(__global const GS_KEY *sorted, __global const GS_KEY *queries, __global uchar *positions,
                         bool isWide, ulong n, ulong count, uint codec) {
    const gs_share mine = gs_shareOf(count);
    for (ulong i = mine.begin + get_local_id(0); i < mine.end; i += GS_THREADS) {
        const GS_KEY query = gs_encode(codec, queries[i]);
        ulong from = 0, to = n;
        while (from < to) {
            const ulong mid = (from + to) / 2;
            if (gs_encode(codec, sorted[mid]) < query) {
                from = mid + 1;
            } else {
                to = mid;
            }
        }
        if (isWide) {
            ((__global ulong *)positions)[i] = from;
        } else {
            ((__global uint *)positions)[i] = (uint)from;
        }
    }
}

#define GS_SEARCH(suffix, isWide)                                                                                      \
    __kernel GS_GROUP void GS_ENTRY(search, find, GS_W, suffix)(GS_BUF(sorted), GS_BUF(tree), GS_BUF(queries),         \
                                                                GS_BUF(positions), ulong n, ulong count,               \
                                                                uint levels, uint codec) {                             \
        __local GS_KEY top[GS_TOP_PLACE(GS_TOP) + 1];                                                                  \
        __local gs_level level[GS_LEVELS];                                                                             \
        gs_find(GS_PTR(const GS_KEY, sorted), GS_PTR(const GS_KEY, tree), GS_PTR(const GS_KEY, queries),               \
                GS_PTR(uchar, positions), isWide, n, count, levels, codec, top, level);                                \
    }                                                                                                                  \
    __kernel GS_GROUP void GS_ENTRY(search, bisect, GS_W, suffix)(GS_BUF(sorted), GS_BUF(queries), GS_BUF(positions),  \
                                                                  ulong n, ulong count, uint codec) {                  \
        gs_bisect(GS_PTR(const GS_KEY, sorted), GS_PTR(const GS_KEY, queries), GS_PTR(uchar, positions), isWide, n,    \
                  count, codec);                                                                                       \
    }

GS_SEARCH(pairs32, false)
GS_SEARCH(pairs64, true)
