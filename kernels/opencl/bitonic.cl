// bitonic: bitonic sorting networks, from one comparator per work-item in
// global memory to tiles whose steps run four at a time in private memory.
// internal/algo/bitonic plans them and says what the kernels take; the network
// is the form in which every comparator puts the smaller element at the lower
// position, so that positions from n on, infinite, need no memory. No group
// waits for another, and every kernel takes any number of groups of any size.
//
// The build gives GS_WIDTH, the bits of an element (8 to 128: 64 and 128 also
// hold the encoded key with the position that it came from), and GS_TILE_LOG: a
// tile in local memory has 1 << GS_TILE_LOG elements. GS_SERIAL says that groups
// are single work-items, as they are by default on processors.

#include "word.clh"

#define GS_TILE (1u << GS_TILE_LOG)
#define GS_FIRST ((ulong)get_group_id(0) * get_local_size(0) + get_local_id(0))
#define GS_STRIDE ((ulong)get_num_groups(0) * get_local_size(0))

#include "bitonic_element.clh"
#include "bitonic_step.clh"
#include "bitonic_tile.clh"
#include "bitonic_columns.clh"
#if GS_WIDTH >= 64
#include "bitonic_values.clh"
#endif
