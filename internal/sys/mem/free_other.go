//go:build !linux

package mem

// HostFree reports that the free host memory is unknown here.
func HostFree() (uint64, bool) { return 0, false }

func hostTotal() (uint64, bool) { return 0, false }
