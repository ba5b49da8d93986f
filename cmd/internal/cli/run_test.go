package cli

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

// runOn runs the command in this process.
func runOn(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = (&app{in: strings.NewReader(""), out: &out, err: &err}).run(t.Context(), args)
	return out.String(), err.String(), code
}

// TestRunOnDevices: the layout that was asked for is the one that is launched,
// and one that cannot be is refused.
func TestRunOnDevices(t *testing.T) {
	for _, drv := range catalog.Drivers() {
		t.Run(drv.Name(), func(t *testing.T) {
			id := drivertest.Devices(t, drv)[0].Caps().ID
			stdout, stderr, code := runOn(t, "run", "radix-4way", "30000", "0", "3", "99", "--device", id, "--runs", "2", "--json")
			var x runReport
			if err := json.Unmarshal([]byte(stdout), &x); code != exitOK || err != nil {
				t.Fatalf("code %d, %v: %s", code, err, stderr)
			}
			if !x.Verified || x.Runs != 2 || x.Items != 30000 || x.Dist != "max-99" || x.DeviceNS <= 0 || x.TotalNS <= 0 || x.GBps <= 0 || x.Device != id {
				t.Errorf("%+v", x)
			}
			if x.TotalNS < x.DeviceNS { // both are of one sort: not a question of speed
				t.Errorf("%g ns with transfers, %g ns without", x.TotalNS, x.DeviceNS)
			}
			launches := 0
			for _, k := range x.Kernels {
				launches += k.Launches
				if strings.Contains(k.Kernel, "_32") && k.Grid != 3 {
					t.Errorf("%s: %d blocks", k.Kernel, k.Grid)
				}
				if (k.Occupancy != nil) != (drv.Name() == "cuda") {
					t.Errorf("%s: occupancy %v", k.Kernel, k.Occupancy)
				}
			}
			if launches != x.Launches || launches == 0 {
				t.Errorf("%d launches of kernels, %d in all", launches, x.Launches)
			}
			if _, stderr, code = runOn(t, "run", "radix-4way", "--device", id, "--threads", "1M"); code != exitError || !strings.Contains(stderr, "allows") {
				t.Errorf("1M threads: code %d, %s", code, stderr)
			}
			// A layout is for a device, though the processor has a sort of this name.
			stdout, stderr, code = runOn(t, "run", "radix-lsd", "1000", "0", "3", "--json")
			if code != exitOK || strings.Contains(stdout, `"device": "cpu"`) {
				t.Errorf("3 blocks on any device: code %d, %s%s", code, stdout, stderr)
			}
			if stdout, _, code = runOn(t, "run", "radix-4way", "1000", "0", "0", "--device", id); code != exitOK || !strings.Contains(stdout, "Without transfers") {
				t.Errorf("table: code %d\n%s", code, stdout)
			}
		})
	}
}
