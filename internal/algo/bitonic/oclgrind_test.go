package bitonic

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/key"
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
		sortUnderOclgrind(t)
		return
	}
	if _, err := os.Stat(oclgrind); err != nil {
		if drivertest.Required("oclgrind") {
			t.Fatalf("oclgrind is required and absent: %v", err)
		}
		t.Skipf("SKIPPED race check: oclgrind is absent (Debian: apt install oclgrind): %v", err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestRaces$", "-test.v")
	cmd.Env = append(os.Environ(), insideEnv+"=1", "GPUSORT_LIBOPENCL="+oclgrind, "GPUSORT_CACHE=off",
		"OCLGRIND_DATA_RACES=1", "OCLGRIND_CHECK_API=1", "OCLGRIND_MAX_ERRORS=5")
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil || !strings.Contains(stdout.String(), "--- PASS: TestRaces") {
		t.Fatalf("%v\n%s\n%s", err, stdout.String(), stderr.String())
	}
	if report := stderr.String(); report != "" {
		t.Fatalf("oclgrind reports:\n%s", report)
	}
	t.Log(stdout.String())
}

// sortUnderOclgrind takes a device with little room, so that tiles are small and
// stages above them few keys away.
func sortUnderOclgrind(t *testing.T) {
	dev := drivertest.Devices(t, opencl.New())[0]
	r := newRunner(t, dev)
	rng := rand.New(rand.NewPCG(5, 6))
	c := dev.Caps()
	c.CPU, c.MaxThreadsPerBlock, c.SharedPerBlock = false, 64, 1<<10
	for i, v := range all {
		check(r, v, plan.Problem{Type: key.I32}, c, algo.Params{Threads: 32}, i%len(distributions), rng, 1100)
	}
	check(r, Best, plan.Problem{Type: key.F32, Mode: plan.Pairs, ValueBytes: 4}, c, algo.Params{Threads: 33}, 1, rng, 700)
	check(r, Shared, plan.Problem{Type: key.I64, Mode: plan.Argsort, ValueBytes: 8, Order: key.Order{Desc: true}}, c, algo.Params{}, 2, rng, 300)
	c.CPU = true // a group is one work-item
	check(r, Best, plan.Problem{Type: key.U16}, c, algo.Params{}, 0, rng, 1100)
	check(r, Shared, plan.Problem{Type: key.U8}, c, algo.Params{}, 0, rng, 700)
}
