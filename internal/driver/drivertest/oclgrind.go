package drivertest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// Oclgrind is where Debian's package of that name puts its OpenCL library.
const Oclgrind = "/usr/lib/oclgrind/liboclgrind-rt.so"

// insideEnv is set in the process that runs under Oclgrind.
const insideEnv = "GPUSORT_TEST_INSIDE_OCLGRIND"

// UnderOclgrind runs inside in a process whose OpenCL is Oclgrind, which reports
// data races, divergent barriers and accesses outside buffers: each report fails
// the test. It needs a process of its own because the library reads the
// environment when it is loaded; so it is all that the test t does. Where Oclgrind
// is absent t is skipped, or fails if GPUSORT_REQUIRE names "oclgrind".
func UnderOclgrind(t *testing.T, inside func(t *testing.T)) {
	t.Helper()
	if os.Getenv(insideEnv) != "" {
		inside(t)
		return
	}
	if _, err := os.Stat(Oclgrind); err != nil {
		absent.Skip(t, "oclgrind", "no race check (Debian: apt-get install oclgrind): %v", err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), insideEnv+"=1", "GPUSORT_LIBOPENCL="+Oclgrind, "GPUSORT_CACHE=off",
		"OCLGRIND_DATA_RACES=1", "OCLGRIND_CHECK_API=1", "OCLGRIND_MAX_ERRORS=5")
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil || !strings.Contains(stdout.String(), "--- PASS: "+t.Name()) {
		t.Fatalf("%v\n%s\n%s", err, stdout.String(), stderr.String())
	}
	if report := stderr.String(); report != "" {
		t.Fatalf("oclgrind reports:\n%s", report)
	}
	t.Log(stdout.String())
}
