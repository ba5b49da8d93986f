package lsd

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
	t.Log(stdout.String())
}

func sortUnderOclgrind(t *testing.T) {
	dev := drivertest.Devices(t, opencl.New())[0]
	rng := rand.New(rand.NewPCG(5, 6))
	r := newRunner(t, dev)
	for _, class := range classes[:2] {
		c := dev.Caps()
		c.CPU = true // what Oclgrind says of itself is of no use here
		class.set(&c)
		for _, p := range []plan.Problem{
			{Type: key.U16},
			{Type: key.F32, Mode: plan.Pairs, ValueBytes: 4},
			{Type: key.I64, Mode: plan.Argsort, ValueBytes: 8, Order: key.Order{Desc: true}},
			{Type: key.U8, Mode: plan.Pairs, ValueBytes: 8},
		} {
			tile, small := tileOf(t, p, c)
			check(r, p, c, algo.Params{}, 0, rng, tile-7)
			if class.name == "own" && p.Type.Bits() > 8 {
				continue // small is large there, and a group is one work-item
			}
			check(r, p, c, algo.Params{Blocks: 2}, 0, rng, small+tile+5)
		}
	}
	// Sorted and strictly reversed input.
	c := dev.Caps()
	classes[1].set(&c)
	for _, dist := range []int{3, 5} {
		check(r, plan.Problem{Type: key.I32, Mode: plan.Argsort, ValueBytes: 4}, c, algo.Params{Blocks: 2}, dist, rng, 1000)
	}
}
