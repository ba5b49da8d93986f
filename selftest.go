package gpusort

import (
	"context"

	"github.com/gpusort/gpusort/internal/dispatch"
)

// SelfTestResult is one sort of a self-test.
type SelfTestResult struct {
	Device, Algorithm string
	Type              string // of the keys: "u32", "f64"
	Mode              Mode
	Items             uint64
	Desc              bool
	// Err is nil if the device's output equals the processor's. It wraps
	// ErrUnsupported if the device or algorithm cannot sort this.
	Err error
}

// SelfTest sorts small inputs on the named device, or on every device if the
// name is "auto" or empty, with every algorithm and key type, and compares the
// results with the CPU's bit for bit. A result's Err is nil if they agree.
func SelfTest(ctx context.Context, device string) ([]SelfTestResult, error) {
	list, err := dispatch.SelfTest(orBackground(ctx), dispatch.Config{Device: device})
	out := make([]SelfTestResult, len(list))
	for i, r := range list {
		out[i] = SelfTestResult{r.Device, r.Algorithm, r.Type.String(), Mode(r.Mode), r.Items, r.Desc, fail("SelfTest", r.Err)}
	}
	return out, fail("SelfTest", err)
}
