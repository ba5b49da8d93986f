// Package gpusort sorts slices on the fastest processor present: a CUDA or
// OpenCL device when that pays, transfers included, and the CPU otherwise. It
// needs no cgo and no toolkit; vendors' libraries are looked for at run time.
//
//	gpusort.Sort(x)            // any integer or float slice, in place
//	gpusort.SortPairs(k, v)    // values travel with their keys, stable
//	idx := gpusort.Argsort(x)  // the stable order as indices
//
// These choose the device themselves and cannot fail, because the CPU can
// always sort. [New] makes a [Sorter] with a named device, a context, limits
// and errors; [Buffer] keeps data on the device between calls.
//
// # Order
//
// The same input gives the same bits on every device and with every algorithm.
// Integers sort by value. Floats sort as [slices.Sort] does: NaN first (last
// with [WithNaNLast]), NaNs among themselves by bit pattern, −0 before +0; with
// [WithEqualZeros] both zeros tie in pairs and argsort, and so do all NaNs.
// Descending is the exact reverse of the keys' order. Pairs and argsort are
// stable in both directions: equal keys keep their input order.
//
// # Errors
//
// Errors wrap [ErrNoDevice], [ErrUnsupported], [ErrOutOfMemory],
// [ErrDeviceLost], [ErrClosed] or the context's error, and [*DriverError] where
// a vendor's call failed; those of a mistake in the call, such as lengths that
// differ, wrap none. After an error the caller's slice holds its input; only a sort
// that is cancelled on the CPU leaves its elements in another order, pairs
// still together.
//
// # Environment
//
// GPUSORT_LIBCUDA and GPUSORT_LIBOPENCL name the vendors' libraries to load.
// GPUSORT_DEVICE names the device where the program names none: cpu, cuda:0, auto.
// GPUSORT_CPU lowers the vector instructions of the CPU's sorts to avx2 or
// plain, in any case; [New] refuses other words, which [Sort] and the like ignore. GPUSORT_CACHE is the folder of what is kept between programs
// (compiled OpenCL code, passed self-tests, the times of "gpusort tune"), off
// for none.
package gpusort
