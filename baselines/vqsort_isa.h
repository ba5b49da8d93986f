// vqsort, compiled once per instruction set and chosen at run time.
#pragma once
#include <cstdint>

// Sorts n keys of a gpusort_peer key type. False if the type is not supported.
bool vqsortSort(uint32_t keyType, void *keys, uint64_t n, bool desc);
const char *vqsortTarget();   // the instruction set that vqsortSort uses here
const char *vqsortVersion();  // of Highway

bool vqsortSSE4(uint32_t keyType, void *keys, uint64_t n, bool desc);
bool vqsortAVX2(uint32_t keyType, void *keys, uint64_t n, bool desc);
bool vqsortAVX512(uint32_t keyType, void *keys, uint64_t n, bool desc);
