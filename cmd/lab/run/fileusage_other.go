//go:build !linux

package run

import "os"

func forgetPeak() {}

// peakBytes is 0, unknown.
func peakBytes(*os.ProcessState) uint64 { return 0 }
