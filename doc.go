// Package gpusort sorts slices on the fastest device present: a CUDA or OpenCL
// device when that pays, transfers included, and the CPU otherwise. It needs no
// cgo and no toolkit: it looks for the vendors' libraries at run time.
//
//	gpusort.Sort(x)            // any integer or float slice, in place
//	gpusort.SortPairs(k, v)    // values travel with their keys, stable
//	idx := gpusort.Argsort(x)  // the stable order as indices
//
// Keys are Go's numbers, [Float16], [BFloat16], [Uint128] and arrays of 16 bytes such as UUIDs.
//
// Structs are sorted by what functions return, strings and byte slices by bytes:
//
//	gpusort.SortBy(people, gpusort.By(func(p *Person) string { return p.Last }),
//		gpusort.By(func(p *Person) time.Time { return p.Born }).Desc())
//	gpusort.SortStrings(words)
//
// These choose the device themselves and cannot fail, because the CPU can
// always sort. [New] makes a [Sorter] for a named device, with limits; its sorts,
// such as [SortWith], take a context and return errors. A [Buffer] keeps data on
// the device between calls.
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
// # Operations around a sort
//
// [Smallest], [ArgSmallest] and [Select] find some keys without sorting the rest;
// [SortSegments] and [SortRows] sort many parts of a slice; [Unique], [Count] and
// [Groups] find equal keys; [Merge], [Search], [Union], [Intersect] and [Difference] take
// sorted slices; [SortFunc] sorts by a comparison what has no key. All follow the order
// of [Sort], in which keys are equal if their bits are. Each has a form for descending
// order, and one that takes a context and a [Sorter] and returns an error.
//
// [SortStrings] and the like use a device as [Sort] does. All others run on the CPU, by
// all processors or the Sorter's number of workers, whatever device a Sorter is bound to:
// no device has them yet. [WithMemoryLimit] limits what the sorts in them take, not their
// own scratch, which each states.
//
// # Streams
//
// [SortBufferOn] and the like put a sort into a [Stream] and return before the device has
// done it. [WrapStream] makes a Stream of the program's own CUstream or cl_command_queue,
// [Buffer.DevicePointer] names the memory of a Buffer for other libraries, and
// [WrapDevicePointer] takes theirs. So a sort is one more step among a program's kernels.
//
// # Errors
//
// Errors wrap [ErrNoDevice], [ErrUnsupported], [ErrOutOfMemory],
// [ErrDeviceLost], [ErrClosed] or the context's error. Where a vendor's call
// failed, they wrap a [*DriverError] too. A mistake in the call, such as lengths
// that differ, is an error that wraps none of them.
//
// After an error the caller's slice holds its input. There are two exceptions. A
// cancelled sort or operation on the CPU leaves the elements in another order, pairs still
// together. And if several devices that sort together fail while the sorted slice comes
// back, the error may be [ErrInputLost].
//
// # Environment
//
// GPUSORT_LIBCUDA and GPUSORT_LIBOPENCL name the vendors' libraries to load.
// GPUSORT_DEVICE names the device where the program names none: cpu, cuda:0, auto.
// GPUSORT_CPU limits the vector instructions of the CPU's sorts: avx512, avx2, or
// plain for none, in upper or lower case. [New] refuses other words; [Sort] and the
// like ignore them. GPUSORT_CACHE is the folder for what is kept between programs:
// compiled OpenCL code, passed self-tests, the times of "gpusort tune". The word
// off keeps nothing.
package gpusort
