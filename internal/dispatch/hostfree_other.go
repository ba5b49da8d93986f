//go:build !linux

package dispatch

// hostFree reports that the available host memory is unknown here.
func hostFree() (uint64, bool) { return 0, false }

func hostTotal() (uint64, bool) { return 0, false }
