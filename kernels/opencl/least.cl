// The key at a place of the order, and the first keys of the order or their positions, not yet
// in order: kernels/cuda/stage/least.cu without waits between groups, so that each digit takes
// two launches. internal/algo/least plans. The build gives GS_WIDTH, the keys' bits, and
// GS_DIGIT_BITS.
//
// Stage count: counts the candidates' next digits, lists the candidates once they are few,
// and writes the keys that turn out to lie before all of them.
// Stage choose: the digit in which the wanted key lies. One group.
// Stage gather: what the digits left to write. Stages positions and fetch: as for CUDA.
//
// Launch, but for choose: any number of groups of any size; the work-items of all groups take the
// keys one after the other. Cursors and counts are atomic, and read by later launches alone.
#include "word.clh"

#define GS_W GS_WIDTH
#include "codec.clh"

#define GS_BINS (1u << GS_DIGIT_BITS)
#define GS_NAME_(stage, w) gs_least_##stage##_##w
#define GS_NAME(stage, w) GS_NAME_(stage, w)

// All zero before the first launch.
typedef struct {
    uint refused, unused; // the status record: never refused
    ulong bits;           // and the key that was found
    ulong key;            // its encoded digits found so far
    uint place;           // and those of its position
    uint rank;            // how many candidates lie before the one wanted
    uint count;           // candidates
    uint less;            // keys that have all but the last digit found, and one below that
    uint written;         // cursor of the output
    uint listed;          // candidates in the list, and its cursor
    uint isListed;        // they are all there
    uint counts[GS_BINS]; // of the digit that is being found; zero between digits
} gs_least;

// The digit that is found is bits [shift, shift + bits) of the key, or of the position if placed. The digits
// before it end at bit top, of the position if placedBefore, and the last of them has lastBits, 0 of none.
typedef struct {
    uint shift, bits, top, lastBits, placed, placedBefore;
} gs_level;

static inline gs_level gs_unpack(ulong p) {
    gs_level l = {(uint)p & 255u,         (uint)(p >> 8) & 255u,  (uint)(p >> 16) & 255u,
                  (uint)(p >> 24) & 255u, (uint)(p >> 32) & 255u, (uint)(p >> 40) & 255u};
    return l;
}

// Numbers by the digits found: [base + before, base + before + most] have them, [base, base +
// before) all but the last, and one below that.
typedef struct {
    ulong base, before, most;
} gs_range;

static inline gs_range gs_rangeOf(ulong known, uint top, uint lastBits) {
    gs_range r;
    r.base = known >> top >> lastBits << lastBits << top;
    r.before = (known >> top << top) - r.base;
    r.most = ((ulong)1 << top) - 1;
    return r;
}

static inline bool gs_isLess(gs_range r, ulong x) { return x - r.base < r.before; }
static inline bool gs_isMatch(gs_range r, ulong x) { return x - r.base - r.before <= r.most; }

// What a launch reads, and what it tells candidates by.
typedef struct {
    gs_range keys, places; // if placed, candidates are equal keys, told apart by their places
    bool placed, listed;
    uint items;
} gs_source;

static inline gs_source gs_sourceOf(__global const gs_least *s, gs_level l, uint n) {
    gs_source f;
    f.placed = l.placedBefore != 0;
    f.keys = gs_rangeOf(s->key, f.placed ? 0 : l.top, f.placed ? 0 : l.lastBits);
    f.places = gs_rangeOf(s->place, f.placed ? l.top : 0, l.lastBits);
    if (l.lastBits == 0) {
        f.keys.before = 0;
        f.keys.most = ~(ulong)0;
    }
    f.listed = s->isListed != 0;
    f.items = f.listed ? s->listed : n;
    return f;
}

static inline bool gs_sourceLess(gs_source f, ulong e, uint place) {
    return f.placed ? gs_isMatch(f.keys, e) && gs_isLess(f.places, place) : gs_isLess(f.keys, e);
}
static inline bool gs_sourceMatch(gs_source f, ulong e, uint place) {
    return gs_isMatch(f.keys, e) && (!f.placed || gs_isMatch(f.places, place));
}

// Forms of the output.
#define GS_OUT_NONE 0u
#define GS_OUT_KEYS 1u
#define GS_OUT_WORDS 2u // the encoded key above the position
#define GS_OUT_PLACES32 3u
#define GS_OUT_PLACES64 4u

static inline void gs_write(__global uchar *out, uint form, uint slot, GS_KEY raw, ulong e, uint place) {
    if (form == GS_OUT_KEYS) {
        ((__global GS_KEY *)out)[slot] = raw;
    } else if (form == GS_OUT_WORDS) {
        ((__global ulong *)out)[slot] = e << 32 | place;
    } else if (form == GS_OUT_PLACES32) {
        ((__global uint *)out)[slot] = place;
    } else {
        ((__global ulong *)out)[slot] = place;
    }
}

__kernel void GS_NAME(count, GS_WIDTH)(GS_BUF(keys), uint n, GS_BUF(list), GS_BUF(listPlaces), uint room,
                                       GS_BUF(out), uint form, GS_BUF(state), ulong level, uint codec) {
    __local uint mine[GS_BINS];
    const uint t = (uint)get_local_id(0), size = (uint)get_local_size(0);
    __global gs_least *s = GS_PTR(gs_least, state);
    const gs_level l = gs_unpack(level);
    const gs_source from = gs_sourceOf(s, l, n);
    const bool places = form >= GS_OUT_WORDS, keeps = l.lastBits != 0 && !from.listed && s->count <= room;
    __global const GS_KEY *in = from.listed ? GS_PTR(const GS_KEY, list) : GS_PTR(const GS_KEY, keys);
    for (uint d = t; d < GS_BINS; d += size) {
        mine[d] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = get_global_id(0); i < from.items; i += get_global_size(0)) {
        const GS_KEY raw = in[i];
        const ulong e = gs_encode(codec, raw);
        const uint place = from.listed && places ? GS_PTR(const uint, listPlaces)[i] : (uint)i;
        if (gs_sourceMatch(from, e, place)) {
            atomic_inc(&mine[(uint)((l.placed ? place : e) >> l.shift) & ((1u << l.bits) - 1)]);
            if (keeps) {
                const uint at = atomic_inc(&s->listed);
                GS_PTR(GS_KEY, list)[at] = raw;
                if (places) {
                    GS_PTR(uint, listPlaces)[at] = place;
                }
            }
        } else if (form != GS_OUT_NONE && gs_sourceLess(from, e, place)) {
            gs_write(GS_PTR(uchar, out), form, atomic_inc(&s->written), raw, e, place);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = t; d < GS_BINS; d += size) {
        if (mine[d]) {
            atomic_add(&s->counts[d], mine[d]);
        }
    }
}

// One group of at most 256 work-items, each with its share of the counts.
__kernel void GS_NAME(choose, GS_WIDTH)(uint n, uint rank, uint room, GS_BUF(state), ulong level, uint codec) {
    __local uint sums[256];
    const uint t = (uint)get_local_id(0), size = (uint)get_local_size(0), each = (GS_BINS + size - 1) / size;
    __global gs_least *s = GS_PTR(gs_least, state);
    const gs_level l = gs_unpack(level);
    const bool first = l.lastBits == 0;
    const uint wanted = first ? rank : s->rank, count = first ? n : s->count;
    const uint begin = min(t * each, GS_BINS), end = min(begin + each, GS_BINS);
    uint sum = 0;
    for (uint d = begin; d < end; d++) {
        sum += s->counts[d];
    }
    sums[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0;
    for (uint i = 0; i < t; i++) {
        before += sums[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); // all have read the state
    for (uint d = begin; d < end; d++) {
        const uint here = s->counts[d];
        s->counts[d] = 0;
        if (before <= wanted && wanted - before < here) { // one work-item's
            if (l.placed) {
                s->place |= d << l.shift;
            } else {
                s->key |= (ulong)d << l.shift;
            }
            s->rank = wanted - before;
            s->count = here;
            s->less = before;
            s->isListed |= !first && count <= room;
            s->bits = gs_decode(codec, (GS_KEY)s->key); // right with the last digit
        }
        before += here;
    }
}

// Completes the first k in out: copies of the key found, or with positions that key itself.
__kernel void GS_NAME(gather, GS_WIDTH)(GS_BUF(keys), uint n, uint k, GS_BUF(list), GS_BUF(listPlaces),
                                        GS_BUF(out), uint form, GS_BUF(state), ulong level, uint codec) {
    __global gs_least *s = GS_PTR(gs_least, state);
    const gs_source from = gs_sourceOf(s, gs_unpack(level), n);
    const bool places = form >= GS_OUT_WORDS;
    __global const GS_KEY *in = from.listed ? GS_PTR(const GS_KEY, list) : GS_PTR(const GS_KEY, keys);
    if (!places) {
        const GS_KEY found = gs_decode(codec, (GS_KEY)s->key);
        for (ulong x = k - 1 - s->rank + get_global_id(0); x < k; x += get_global_size(0)) {
            GS_PTR(GS_KEY, out)[x] = found;
        }
    }
    for (ulong i = get_global_id(0); i < from.items; i += get_global_size(0)) {
        const GS_KEY raw = in[i];
        const ulong e = gs_encode(codec, raw);
        const uint place = from.listed && places ? GS_PTR(const uint, listPlaces)[i] : (uint)i;
        if (gs_sourceLess(from, e, place) || places && gs_sourceMatch(from, e, place)) {
            gs_write(GS_PTR(uchar, out), form, atomic_inc(&s->written), raw, e, place);
        }
    }
}

__kernel void gs_least_positions_32(GS_BUF(words), GS_BUF(out), ulong n) {
    for (ulong x = get_global_id(0); x < n; x += get_global_size(0)) {
        GS_PTR(uint, out)[x] = (uint)GS_PTR(const ulong, words)[x];
    }
}

__kernel void gs_least_positions_64(GS_BUF(words), GS_BUF(out), ulong n) {
    for (ulong x = get_global_id(0); x < n; x += get_global_size(0)) {
        GS_PTR(ulong, out)[x] = (uint)GS_PTR(const ulong, words)[x];
    }
}

// out[x] = keys[places[x]], x < n.
#define GS_FETCH(suffix, place)                                                                                      \
    __kernel void GS_NAME(fetch, GS_CAT4(GS_WIDTH, _, suffix, ))(GS_BUF(keys), GS_BUF(places), GS_BUF(out), ulong n) { \
        for (ulong x = get_global_id(0); x < n; x += get_global_size(0)) {                                           \
            GS_PTR(GS_KEY, out)[x] = GS_PTR(const GS_KEY, keys)[GS_PTR(const place, places)[x]];                     \
        }                                                                                                            \
    }

GS_FETCH(pairs32, uint)
GS_FETCH(pairs64, ulong)
