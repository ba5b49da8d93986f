package opencl

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

// Part of the suite on Oclgrind, which reports races and accesses outside
// buffers. The library is chosen once per process, so it runs in another.
func TestOclgrind(t *testing.T) {
	if _, err := os.Stat(drivertest.Oclgrind); err != nil {
		absent.Skip(t, "oclgrind", "Debian: apt-get install oclgrind: %v", err)
	}
	cmd := exec.Command(os.Args[0], "-test.v", "-test.run",
		"^TestConformance$/^opencl:0$/^(copies|memset|wrap|host-buffers|launch-64|argument-sizes|grid-2d|dynamic-shared|two-goroutines|closing|closing-device-first)$")
	cmd.Env = append(os.Environ(), cl.LibraryEnv+"="+drivertest.Oclgrind, "OCLGRIND_DATA_RACES=1")
	out, err := cmd.CombinedOutput()
	s := string(out)
	if strings.Contains(s, "BUILT_WITHOUT") {
		absent.Skip(t, "opencl", "this program was built without GPU support")
	}
	if err != nil || !strings.Contains(s, "Oclgrind Simulator") || !strings.Contains(s, "--- PASS: TestConformance/opencl:0/closing-device-first") {
		t.Fatalf("%v\n%s", err, s)
	}
	for _, bad := range []string{"Invalid read", "Invalid write", "race", "divergence"} {
		if strings.Contains(s, bad) {
			t.Fatalf("oclgrind reports %q\n%s", bad, s)
		}
	}
}

// The launch path allocates nothing. The race detector makes pools forget, so
// a few allocations of frames are let through.
func TestLaunchAllocs(t *testing.T) {
	q, k, args := launchable(t, drivertest.Devices(t, New())[0])
	n := testing.AllocsPerRun(100, func() {
		if err := q.Launch(k, driver.Launch{Args: args}); err != nil {
			t.Fatal(err)
		}
	})
	if n > 4 {
		t.Errorf("%v allocations a launch", n)
	}
	if err := q.Synchronize(); err != nil {
		t.Fatal(err)
	}
}
