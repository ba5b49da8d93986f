// What an order in which ±0 tie, and all NaNs, takes beside an argsort: the stages of
// kernels/cuda/stage/equalzeros.cu, planned by internal/algo/equalzeros. Keys are floats
// of 32 or 64 bits. Launch: any number of groups of any size; the work-items of all
// groups take the elements in turns. None reads what another one writes.
#include "word.clh"

// Stage canonicalise: out[x] = +0 for both zeros, one quiet NaN for all NaNs, and
// keys[x] for all others, x < n. infinity is its bit pattern, quiet that NaN's.
#define GS_CANONICALISE(bits, infinity, quiet)                                                                      \
    __kernel void gs_equalzeros_canonicalise_##bits##_keys(GS_BUF(keys), GS_BUF(out), ulong n) {                    \
        __global const gs_word##bits *from = GS_PTR(const gs_word##bits, keys);                                     \
        __global gs_word##bits *to = GS_PTR(gs_word##bits, out);                                                    \
        for (ulong x = get_global_id(0); x < n; x += get_global_size(0)) {                                          \
            const gs_word##bits k = from[x], magnitude = k & ~((gs_word##bits)1 << (bits - 1));                     \
            to[x] = magnitude == 0 ? 0 : magnitude > infinity ? quiet : k;                                          \
        }                                                                                                           \
    }

// Stage gather: out[x] = in[places[x]], x < n. Words are keys or values alike.
#define GS_GATHER(bits, suffix, place)                                                                              \
    __kernel void gs_equalzeros_gather_##bits##_##suffix(GS_BUF(in), GS_BUF(places), GS_BUF(out), ulong n) {        \
        __global const gs_word##bits *from = GS_PTR(const gs_word##bits, in);                                       \
        __global const place *at = GS_PTR(const place, places);                                                     \
        __global gs_word##bits *to = GS_PTR(gs_word##bits, out);                                                    \
        for (ulong x = get_global_id(0); x < n; x += get_global_size(0)) {                                          \
            to[x] = from[at[x]];                                                                                    \
        }                                                                                                           \
    }

GS_CANONICALISE(32, 0x7f800000u, 0x7fc00000u)
GS_CANONICALISE(64, 0x7ff0000000000000ul, 0x7ff8000000000000ul)
GS_GATHER(32, pairs32, uint)
GS_GATHER(64, pairs32, uint)
GS_GATHER(32, pairs64, ulong)
GS_GATHER(64, pairs64, ulong)
