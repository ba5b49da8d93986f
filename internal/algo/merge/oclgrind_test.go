package merge

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
// in for an OpenCL loader; insideEnv is set in the process that runs under it,
// one of its own because the library reads the environment when it is loaded.
const (
	oclgrind  = "/usr/lib/oclgrind/liboclgrind-rt.so"
	insideEnv = "GPUSORT_TEST_INSIDE_OCLGRIND"
)

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
		t.Skipf("oclgrind is absent (Debian: apt install oclgrind): %v", err)
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
}

// sortUnderOclgrind keeps to few keys: about four tiles of groups of 32 or 64.
func sortUnderOclgrind(t *testing.T) {
	dev := drivertest.Devices(t, opencl.New())[0]
	rng := rand.New(rand.NewPCG(5, 6))
	r := newRunner(t, dev)
	for i, p := range []plan.Problem{
		{Type: key.U16},
		{Type: key.F32, Mode: plan.Pairs, ValueBytes: 4},
		{Type: key.I64, Mode: plan.Argsort, ValueBytes: 8, Order: key.Order{Desc: true}},
		{Type: key.U8, Mode: plan.Pairs, ValueBytes: 8},
	} {
		for _, a := range both {
			c := dev.Caps()
			c.CPU = false // the class with the larger tiles is of no use here
			c.ComputeUnits = []int{1, 1 << 20}[i%2]
			l := algo.Params{Threads: 32 << (i % 2)}
			n := 4*tileOf(t, a, p, c, l) - 9
			sortOne(r, a, p, c, l, i, n, rng)
			l.Blocks = 3
			sortOne(r, a, p, c, l, 1, n/3, rng)
		}
	}
}
