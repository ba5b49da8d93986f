//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	for command, do := range map[string]func() error{
		ProbeCommand:   Answer,
		limitsCommand:  printLimits,
		threadsCommand: func() error { nameThread(); return nil },
	} {
		if !slices.Contains(os.Args, command) {
			continue
		}
		err := Enter()
		if err == nil {
			err = do()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestProbe: a kernel that can filter calls takes the filter, and what is not there has
// a reason.
func TestProbe(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := Probe(t.Context(), []string{exe}, t.TempDir())
	t.Logf("%+v: has %v, lacks %v", l, l.Has(), l.Lacks())
	actions, err := os.ReadFile("/proc/sys/kernel/seccomp/actions_avail")
	if err == nil && strings.Contains(string(actions), "kill_process") && !l.Filter {
		t.Error("the kernel filters calls, but refuses the filter")
	}
	if !l.Namespaces && l.Why == "" {
		t.Error("no namespaces, and nothing says why")
	}
	if l := Probe(t.Context(), []string{"/nowhere"}, t.TempDir()); l.Whole() || l.Why == "" {
		t.Errorf("a program that is not there: %+v", l)
	}
}
