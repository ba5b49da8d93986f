//go:build unix

package run

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// wrapper writes a program for temporary files: a shell that starts others, and waits for them.
func wrapper(t *testing.T, script string) string {
	t.Helper()
	for _, program := range []string{"sh", "cat"} {
		if _, err := exec.LookPath(program); err != nil {
			absent.Skip(t, program, "%v", err)
		}
	}
	name := filepath.Join(t.TempDir(), "wrapper")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// soon fails the test if work takes far longer than any wrapper should be waited for.
func soon(t *testing.T, work func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("it never ended")
		return nil
	}
}

// filtered are options of runs that go through a wrapper, and text for several of them.
func filtered(t *testing.T, script string) (Options, string) {
	text := someLines(rand.New(rand.NewPCG(7, 8)), 100_000)
	o := optionsOf(orders(t)["numbers"])
	o.room, o.Temp, o.Filter = 1<<20, []string{t.TempDir()}, wrapper(t, script)
	return o, text
}

// TestFilterEndsEarly: programs that wait to give what nobody reads any more end with the sort.
func TestFilterEndsEarly(t *testing.T) {
	full := errors.New("full")
	for script, want := range map[string]error{"cat": full, "cat; sleep 0": full} {
		o, text := filtered(t, script)
		err := soon(t, func() error {
			_, err := Sort(t.Context(), o, []Input{input(text)}, -1, failing{full})
			return err
		})
		if err != want {
			t.Errorf("%s: %v", script, err)
		}
	}
	o, text := filtered(t, "cat")
	o.Top = 3
	var out bytes.Buffer
	o.Count = func(dst []byte, _ int64) []byte { return dst }
	o.Unique = true
	err := soon(t, func() error {
		_, err := Sort(t.Context(), o, []Input{input(text)}, -1, &out)
		return err
	})
	if err != nil || strings.Count(out.String(), "\n") != 3 {
		t.Errorf("the first rows: %v, %q", err, out.String())
	}
}

// TestFilterFaults: what a program adds, even without an end, changes or leaves out is an error that
// names it, and says what it said.
func TestFilterFaults(t *testing.T) {
	for script, want := range map[string]string{
		`cat; case "$1" in -d) cat /dev/zero; esac`:                      "with -d it gives other bytes",
		`cat; case "$1" in -d) echo more; esac`:                          "with -d it gives other bytes",
		`case "$1" in -d) tr 1 2;; *) cat; esac`:                         "with -d it gives other bytes",
		`case "$1" in -d) head -c 500000;; *) cat; esac`:                 "with -d it gives other bytes",
		`case "$1" in -d) head -c 9; echo so >&2; exit 3;; *) cat; esac`: "exit status 3: so",
		`head -c 9; exit 0`:                                              "it ended before it had read everything",
		`head -c 9; echo so >&2; exit 3`:                                 "exit status 3: so",
	} {
		o, text := filtered(t, script)
		err := soon(t, func() error {
			_, err := Sort(t.Context(), o, []Input{input(text)}, -1, io.Discard)
			return err
		})
		if err == nil || !strings.HasPrefix(err.Error(), "temporary files through "+o.Filter+" (--compress-program): "+want) {
			t.Errorf("%s: %v", script, err)
		}
	}
}

// TestFilterSleeps: a sort that is cancelled does not wait for a program that does nothing.
func TestFilterSleeps(t *testing.T) {
	o, text := filtered(t, "sleep 60")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	err := soon(t, func() error {
		_, err := Sort(ctx, o, []Input{input(text)}, -1, io.Discard)
		return err
	})
	if err != context.Canceled {
		t.Error(err)
	}
}
