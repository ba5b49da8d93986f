package absent_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

func TestRequired(t *testing.T) {
	t.Setenv(absent.Env, "cuda, c++")
	for what, want := range map[string]bool{"cuda": true, "c++": true, "c": false, "opencl": false, "": false} {
		if absent.Required(what) != want {
			t.Errorf("%q required: %v", what, !want)
		}
	}
}

// TestSkip runs itself in a process whose environment names what is absent, and in one
// where it names something else.
func TestSkip(t *testing.T) {
	const inside = "GPUSORT_TEST_INSIDE_ABSENT"
	if os.Getenv(inside) != "" {
		absent.Skip(t, "unicorn", "no %s grows one", "horse")
	}
	for env, want := range map[string]string{"unicorn": "--- FAIL: TestSkip", "opencl": "--- SKIP: TestSkip"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSkip$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1", absent.Env+"="+env)
		out, _ := cmd.CombinedOutput()
		if !strings.Contains(string(out), want) || !strings.Contains(string(out), "unicorn is absent: no horse grows one") {
			t.Errorf("%s=%s: want %q and the reason in\n%s", absent.Env, env, want, out)
		}
	}
}
