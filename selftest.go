package gpusort

import (
	"context"

	"github.com/gpusort/gpusort/internal/engine"
)

// SelfTestResult is one sort of a self-test.
type SelfTestResult struct {
	Device, Algorithm string
	Type              string // of the keys: "u32", "f64"
	Mode              Mode
	Items             uint64
	Desc              bool
	// Err is nil if the device's output equals the CPU's. It wraps
	// ErrUnsupported if the device or algorithm cannot sort this.
	Err error
}

// SelfTest sorts small inputs on the named device, or on the CPU and every device if
// the name is "auto" or empty. It takes every key type, and every algorithm that may
// be chosen without being named, at the sizes that it supports. It compares a
// device's results with the CPU's, bit for bit, and the CPU's with those of a sort by
// comparisons. A result's Err is nil if they agree.
func SelfTest(ctx context.Context, device string) ([]SelfTestResult, error) {
	list, err := engine.SelfTest(orBackground(ctx), engine.Config{Device: device})
	out := make([]SelfTestResult, len(list))
	for i, r := range list {
		out[i] = SelfTestResult{r.Device, r.Algorithm, r.Type.String(), Mode(r.Mode), r.Items, r.Desc, fail("SelfTest", r.Err)}
	}
	return out, fail("SelfTest", err)
}
