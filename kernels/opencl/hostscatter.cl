// The histogram of radix-host-scatter, whose keys the host moves. The build gives
// GS_WIDTH, the keys' bits.
#include "word.clh"

#define GS_W GS_WIDTH
#include "codec.clh"

#define GS_NAME_(stage, w) gs_hostscatter_##stage##_##w
#define GS_NAME(stage, w) GS_NAME_(stage, w)

// Stage count: adds the numbers of keys by digit to counts[256].
// In: keys[n], read through codec. Launch: any number of groups of any size; the
// work-items of all groups take the keys one after the other. A group counts in local
// memory, so that few additions go to counts, which are atomic and need no order.
__kernel void GS_NAME(count, GS_WIDTH)(GS_BUF(keys), GS_BUF(counts), ulong n, uint codec, uint shift) {
    __local uint mine[GS_DIGITS];
    const uint t = (uint)get_local_id(0), size = (uint)get_local_size(0);
    for (uint d = t; d < GS_DIGITS; d += size) {
        mine[d] = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    __global const GS_KEY *keys = GS_PTR(const GS_KEY, keys);
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        atomic_inc(&mine[gs_digit8(gs_encode(codec, keys[i]), shift)]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = t; d < GS_DIGITS; d += size) {
        if (mine[d]) {
            atomic_add(&GS_PTR(uint, counts)[d], mine[d]);
        }
    }
}
