//go:build !linux

package run

import "os"

// peakBytes is 0, unknown.
func peakBytes(*os.ProcessState, uint64) uint64 { return 0 }

func peakFloor() uint64 { return 0 }
