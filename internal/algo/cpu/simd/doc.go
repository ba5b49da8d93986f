// Package simd sorts unsigned words in cache with vector instructions:
// quicksort with a branch-free partition, and sorting networks in registers
// for its small ranges (Bramas 2017; Blacher, Giesen, Kühne 2021; Wassenberg
// et al. 2022). The kernels are Go assembly written by tools/cmd/simd; on other
// processors and under the build tags noasm and purego there are none, and Sort declines.
package simd
