package counting

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/kernel/kerneltest"
	"github.com/gpusort/gpusort/internal/plan"
)

// oclgrind is where Debian's package of that name puts the library that stands
// in for an OpenCL loader.
const oclgrind = "/usr/lib/oclgrind/liboclgrind-rt.so"

// insideEnv is set in the process that runs under Oclgrind. It is a process of
// its own because the library reads the environment when it is loaded.
const insideEnv = "GPUSORT_TEST_INSIDE_OCLGRIND"

// TestRaces sorts under Oclgrind, which reports data races, divergent barriers
// and accesses outside buffers on stderr.
func TestRaces(t *testing.T) {
	if os.Getenv(insideEnv) != "" {
		r := kerneltest.NewRunner(t, drivertest.Devices(t, opencl.New())[0])
		run := func(t *testing.T, p plan.Plan, keys []byte, shift uint64) []byte {
			return r.Run(p, keys, nil, shift, 0)
		}
		c := pocl
		c.SharedPerBlock, c.MaxThreadsPerBlock = 32<<10, 1024
		testMaximum(t, c, run, []int{1000})
		testRange(t, c, run, []int{300})
		return
	}
	if _, err := os.Stat(oclgrind); err != nil {
		if drivertest.Required("oclgrind") {
			t.Fatalf("oclgrind is required and absent: %v", err)
		}
		t.Skipf("oclgrind is absent (Debian: apt install oclgrind): %v", err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestRaces$", "-test.v")
	cmd.Env = append(os.Environ(), insideEnv+"=1", "GPUSORT_LIBOPENCL="+oclgrind, "GPUSORT_CACHE=off",
		"OCLGRIND_DATA_RACES=1", "OCLGRIND_CHECK_API=1", "OCLGRIND_MAX_ERRORS=5")
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || !strings.Contains(stdout.String(), "--- PASS: TestRaces") {
		t.Fatalf("%v\n%s\n%s", err, stdout.String(), stderr.String())
	}
	if report := stderr.String(); report != "" {
		t.Fatalf("oclgrind reports:\n%s", report)
	}
}
