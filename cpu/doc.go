// Package cpu sorts slices on the processor: the functions of package gpusort
// without its devices. It loads no library and holds no device code, so that a
// program stays static and small, and it builds wherever Go does.
//
//	cpu.Sort(x)              // any integer or float slice, in place
//	cpu.SortPairs(k, v)      // values travel with their keys, stable
//	idx := cpu.Argsort(x)    // the stable order as indices
//
// Long slices are sorted by all processors, with AVX-512 or AVX2 where there is any.
// The order, to the bit, is that of package gpusort: integers by value; floats with
// NaN first (last with WithNaNLast), NaNs among themselves by bits, −0 before +0 (all
// NaNs tie, and both zeros, in pairs and argsort with WithEqualZeros);
// descending is the exact reverse; pairs and argsort are stable in both directions.
//
// New makes a Sorter with a context, limits and errors.
//
// GPUSORT_CPU in the environment lowers the vector instructions to avx2 or plain.
package cpu
