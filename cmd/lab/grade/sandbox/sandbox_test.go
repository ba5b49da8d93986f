//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
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

// confined starts this binary as a confined process that does what the command stands for, and
// returns what it printed.
func confined(t *testing.T, command string, s Spec) []byte {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe, command)
	if err := Confine(c, s); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &said)
	}
	return out
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
