// Package absent is how tests treat what a machine lacks: visibly skipped, or failed
// where it must be there.
package absent

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// Env is the environment variable that lists, with commas, what must be there: its
// absence fails a test instead of skipping it. Backends: "cuda", "opencl"; tools:
// "c++", "cc", "chromium", "nvcc", "oclgrind" and others, as the skip says.
const Env = "GPUSORT_REQUIRE"

// Required reports whether what must be there.
func Required(what string) bool {
	return slices.ContainsFunc(strings.Split(os.Getenv(Env), ","),
		func(s string) bool { return strings.TrimSpace(s) == what })
}

// Skip skips t, saying that what is absent and what for, or fails it if it is required.
func Skip(t testing.TB, what, format string, args ...any) {
	t.Helper()
	text := what + " is absent: " + fmt.Sprintf(format, args...)
	if Required(what) {
		t.Fatal(Env + " names what is absent. " + text)
	}
	t.Skip("SKIPPED: " + text)
}
