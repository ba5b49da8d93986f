package cli

import (
	"strings"
	"testing"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestExplainOperation: explain says where an operation runs, on a device by which kernels, and
// what a device does not do.
func TestExplainOperation(t *testing.T) {
	out, _, code := runOn(t, "explain", "--op", "unique", "--type", "u32", "--n", "1M")
	if code != 0 || !strings.Contains(out, "cpu") || strings.Contains(out, "gs_groups") {
		t.Errorf("on the processor: code %d: %s", code, out)
	}
	list, err := gpusort.Devices()
	device := ""
	for _, d := range list {
		if d.Backend == "opencl" {
			device = d.ID
		}
	}
	if device == "" {
		absent.Skip(t, "opencl", "no device to explain an operation on: %v", err)
	}
	out, errs, code := runOn(t, "explain", "--op", "unique", "--type", "u32", "--n", "1M", "--device", device)
	if code != 0 || !strings.Contains(out, "gs_groups_") || !strings.Contains(out, device) {
		t.Errorf("on %s: code %d: %s%s", device, code, out, errs)
	}
	out, errs, code = runOn(t, "explain", "--op", "strings", "--n", "1M", "--device", device)
	if code != 0 || !strings.Contains(out, "gs_strings_first") {
		t.Errorf("strings on %s: code %d: %s%s", device, code, out, errs)
	}
}
