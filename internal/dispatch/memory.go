package dispatch

// HostFree is the host memory that can be had without swapping, in bytes, and
// whether it is known.
func HostFree() (uint64, bool) { return hostFree() }
