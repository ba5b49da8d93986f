package perfstat

import (
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := parse("# started on Sat\n\n12345,,cycles:u,1000,50.00,,\n<not supported>,,branches,0,100.00,,\n0.64,msec,task-clock,639503,100.00,139.234,CPUs utilized\n")
	want := []Count{{"cycles", 12345, 0.5, ""}, {"branches", 0, 0, "not supported"}, {"task-clock", 0.64, 1, ""}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"1,2", "many,,cycles,1,2,,"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestWithoutPerf(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := Start(); err == nil || runtime.GOOS == "linux" && !strings.Contains(err.Error(), "install linux-perf") {
		t.Errorf("%v", err)
	}
}
