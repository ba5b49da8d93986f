// Package cu is the raw binding of the CUDA driver API and of NVML, loaded at
// run time without cgo. Functions carry the API's names without the prefix and
// return its result codes; what they mean for lifetimes and threads is NVIDIA's
// documentation of the same name. Nothing is loaded before Open.
//
// A context is current per operating-system thread: whoever calls a function
// that needs one holds the thread (runtime.LockOSThread) and has made the
// context current on it.
package cu
