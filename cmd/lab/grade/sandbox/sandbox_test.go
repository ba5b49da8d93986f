//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"os"
	"slices"
	"testing"
)

func TestMain(m *testing.M) {
	if slices.Contains(os.Args, ProbeCommand) {
		err := Enter()
		if err == nil {
			err = Answer()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestProbe(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := Probe(t.Context(), []string{exe}, t.TempDir())
	t.Logf("%+v: has %v, lacks %v", l, l.Has(), l.Lacks())
}
