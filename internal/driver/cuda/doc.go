// Package cuda runs internal/driver on NVIDIA devices through the driver API.
// It needs the driver's library alone (libcuda.so.1, nvcuda.dll, or the path in
// GPUSORT_LIBCUDA), no toolkit and no cgo.
//
// Threads. A CUDA context is current per operating-system thread, so every call
// locks its goroutine to the thread, makes the context current, does its work
// and unlocks. driver.Batcher does that once for many calls.
//
// Contexts. All device values of one ordinal share its primary context, with
// the CUDA runtime too: pointers of other libraries in the process are valid
// here, and queues are streams that do not wait for the default stream.
//
// Faults. After an illegal access or a similar fault every call on the device
// fails with class driver.ErrDeviceLost until all its users have closed it.
package cuda
