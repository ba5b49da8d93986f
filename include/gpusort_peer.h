/* gpusort_peer.h: the interface of a shared library of sorters that
 * `gpusort bench` measures beside its own, with one clock, one input and one
 * verification. Version 1.
 *
 * A library exports the five functions below, and may export three more. Start from
 * baselines/cpu.cc (host) or baselines/cuda.cc (CUDA). The harness loads it from
 * a path that the user names (--peers or GPUSORT_PEERS) and from nowhere else.
 *
 * The harness owns clock, buffers and input. It calls gpusort_peer_sort many
 * times with the same problem: allocate nothing there that could be asked for
 * as temporary storage. Work may be asynchronous on the given stream, and must
 * be complete when the stream is; nothing may run after that, nor on another
 * stream that the given one does not wait for. Guard bytes lie around every
 * buffer and each output is checked.
 *
 * Calls come from one thread at a time, not always the same one.
 */
#ifndef GPUSORT_PEER_H
#define GPUSORT_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPUSORT_PEER_ABI 1

#if defined(_WIN32)
#define GPUSORT_PEER_EXPORT __declspec(dllexport)
#else
#define GPUSORT_PEER_EXPORT __attribute__((visibility("default")))
#endif

/* Key types, in this order everywhere. */
enum {
  GPUSORT_PEER_U8, GPUSORT_PEER_I8, GPUSORT_PEER_U16, GPUSORT_PEER_I16,
  GPUSORT_PEER_U32, GPUSORT_PEER_I32, GPUSORT_PEER_U64, GPUSORT_PEER_I64,
  GPUSORT_PEER_F32, GPUSORT_PEER_F64
};

/* Modes. ARGSORT writes the order of the keys to values as unsigned indices of
 * value_bytes and leaves the keys as they are. */
enum { GPUSORT_PEER_KEYS, GPUSORT_PEER_PAIRS, GPUSORT_PEER_ARGSORT };

/* Where keys, values and temporary storage lie. */
enum { GPUSORT_PEER_HOST = 1, GPUSORT_PEER_CUDA = 2 };

/* Flags of a sorter. */
enum {
  GPUSORT_PEER_STABLE = 1,      /* equal keys keep their order with values */
  GPUSORT_PEER_DESC = 2,        /* sorts descending too */
  GPUSORT_PEER_TOTAL_ORDER = 4, /* floats in the order of docs/order.md, NaN and
                                   -0 included; without it the harness gives
                                   float keys only where they have neither */
  GPUSORT_PEER_ALTERNATE = 8,   /* needs keys_alt (and values_alt) */
  GPUSORT_PEER_PARALLEL = 16    /* a host sorter that uses several threads */
};

/* What a library says of one sorter. The harness fills it with zeros before. */
typedef struct {
  char name[32];        /* catalogue name, lower case: "cub-radix" */
  char doc[160];        /* one line */
  char version[64];     /* of what is measured: "CUB 3.0.1" */
  uint32_t memory;      /* GPUSORT_PEER_HOST or _CUDA */
  uint32_t key_types;   /* sum of 1 << GPUSORT_PEER_U8 ... */
  uint32_t modes;       /* sum of 1 << GPUSORT_PEER_KEYS ... */
  uint32_t value_bytes; /* sum of the widths that it takes: 4, 8 or 12 */
  uint32_t flags;
  uint32_t pair_types;  /* key types of PAIRS and ARGSORT; 0: all of key_types */
  uint64_t max_items;   /* 0: no limit but memory */
} gpusort_peer_sorter;

/* What is to be sorted. */
typedef struct {
  uint32_t key_type;
  uint32_t mode;
  uint32_t value_bytes; /* 0 for KEYS */
  uint32_t desc;        /* 1: descending */
  uint64_t items;
  int32_t device;       /* CUDA ordinal; -1 for host sorters */
  uint32_t threads;     /* host sorters: at most so many; 0: as you like */
} gpusort_peer_problem;

/* Where. Pointers are aligned to at least 16 bytes (host) or 256 (device). No
 * two ranges overlap. What a sorter does not need is NULL. */
typedef struct {
  void *keys;       /* items keys: the input */
  void *keys_alt;   /* room for items keys, contents undefined */
  void *values;     /* items values: input (PAIRS), output (ARGSORT) */
  void *values_alt; /* room for items values */
  void *temp;       /* what gpusort_peer_temp_bytes asked for */
  uint64_t temp_bytes;
  void *stream;     /* cudaStream_t; 0 is the legacy default stream */
  uint32_t result;  /* output: 0 if the result lies in keys and values, 1 if in
                       keys_alt and values_alt. The harness sets 0. */
  uint32_t reserved;
} gpusort_peer_buffers;

/* Returns GPUSORT_PEER_ABI of the header that the library was built with. */
GPUSORT_PEER_EXPORT uint32_t gpusort_peer_abi(void);

/* Fills out with sorter number index, counted from 0. Returns 0, or 1 if there
 * is no such sorter; the first index without one ends the list. */
GPUSORT_PEER_EXPORT int32_t gpusort_peer_get(uint32_t index, gpusort_peer_sorter *out);

/* Stores how many bytes of temporary storage gpusort_peer_sort needs for p. It
 * may touch the device but not the data. Returns 0 or an error code. */
GPUSORT_PEER_EXPORT int32_t gpusort_peer_temp_bytes(uint32_t index, const gpusort_peer_problem *p, uint64_t *bytes);

/* Sorts. Returns 0 or an error code of the library's own. */
GPUSORT_PEER_EXPORT int32_t gpusort_peer_sort(uint32_t index, const gpusort_peer_problem *p, gpusort_peer_buffers *b);

/* Writes what an error code means, NUL-terminated, to at most bytes bytes. */
GPUSORT_PEER_EXPORT void gpusort_peer_error(int32_t code, char *text, uint64_t bytes);

/* A library may have operations besides sorts, on CUDA devices. It then exports the
 * three functions below, too. */

/* The kinds. Items are the keys at at[0]; all else lies as listed. */
enum {
  GPUSORT_PEER_GATHER = 3,  /* at[0]: places, at[1]: source of other items of width bytes, at[2]: result */
  GPUSORT_PEER_GROUPS,      /* at[0]: sorted keys; KEYS: at[2]: each value once; PAIRS: also at[1]: how often each
                               occurs, in value_bytes; number: how many there are */
  GPUSORT_PEER_SEARCH,      /* at[0]: queries, at[2]: other sorted keys, at[1]: lower bounds of value_bytes */
  GPUSORT_PEER_MERGE,       /* at[0], at[1] of other keys: sorted runs, at[2]: both */
  GPUSORT_PEER_LEAST,       /* KEYS: at[2]: the other least keys, in order */
  GPUSORT_PEER_SELECT,
  GPUSORT_PEER_SEGMENTS     /* at[2]: other + 1 offsets of width bytes; the keys, or at[3], which has room for as many:
                               each segment in order */
};

typedef struct {
  uint32_t kind, key_type, mode, value_bytes, width;
  int32_t device; /* CUDA ordinal */
  uint64_t items, other;
} gpusort_peer_operation;

typedef struct {
  void *at[6];
  void *temp;      /* what gpusort_peer_operation_bytes asked for */
  void *number;    /* 8 bytes of device memory, zero before */
  void *stream;
  uint64_t temp_bytes;
  uint32_t result; /* output: 1 if the segments lie in at[3]. The harness sets 0. */
  uint32_t reserved;
} gpusort_peer_memory;

/* Fills out with the operators' name number index, doc and version. Returns 1 behind the last. */
GPUSORT_PEER_EXPORT int32_t gpusort_peer_operator(uint32_t index, gpusort_peer_sorter *out);

/* Stores how many bytes of temporary storage gpusort_peer_operate needs for p. */
GPUSORT_PEER_EXPORT int32_t gpusort_peer_operation_bytes(uint32_t index, const gpusort_peer_operation *p, uint64_t *bytes);

/* Carries out p. Returns 0 or an error code of the library's own. */
GPUSORT_PEER_EXPORT int32_t gpusort_peer_operate(uint32_t index, const gpusort_peer_operation *p, gpusort_peer_memory *m);

#ifdef __cplusplus
}
#endif
#endif
