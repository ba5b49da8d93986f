// Package cpu sorts slices on the CPU: the functions of package gpusort without its
// devices. It loads no library and holds no device code. So a program stays static
// and small, and builds wherever Go does.
//
//	cpu.Sort(x)              // any integer or float slice, in place
//	cpu.SortPairs(k, v)      // values travel with their keys, stable
//	idx := cpu.Argsort(x)    // the stable order as indices
//
// Keys are Go's numbers, [Float16], [BFloat16], [Uint128] and arrays of 16 bytes such as UUIDs.
//
// Structs are sorted by what functions return, strings and byte slices by bytes:
//
//	cpu.SortBy(people, cpu.By(func(p *Person) string { return p.Last }),
//		cpu.By(func(p *Person) time.Time { return p.Born }).Desc())
//	cpu.SortStrings(words)
//
// Long slices are sorted by all processors, with AVX-512 or AVX2 where there is any.
// The result has the same bits as that of package gpusort. Integers are ordered by
// value; floats with NaN first (last with WithNaNLast), NaNs among themselves by bits,
// −0 before +0. With WithEqualZeros, all NaNs tie in pairs and argsort, and so do both
// zeros. Descending is the exact reverse. Pairs and argsort are stable in both
// directions.
//
// # Operations around a sort
//
// [Smallest], [ArgSmallest] and [Select] find some keys without sorting the rest;
// [SortSegments] and [SortRows] sort many parts of a slice; [Unique], [Count] and
// [Groups] find equal keys; [Merge], [Search], [Union], [Intersect] and [Difference] take
// sorted slices; [SortFunc] sorts by a comparison what has no key. All follow the order
// of [Sort], in which keys are equal if their bits are. Each has a form for descending
// order, and one that takes a context and a [Sorter] and returns an error.
// [WithMemoryLimit] limits what the sorts in them take, not their own scratch, which each
// states.
//
// # Sorters
//
// New makes a Sorter with limits; its sorts take a context and return errors.
//
// GPUSORT_CPU in the environment limits the vector instructions: avx512, avx2, or
// plain for none.
package cpu
