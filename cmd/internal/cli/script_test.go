package cli

import (
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/kernel/variant/varianttest"
)

// asCommand makes the test binary behave as gpusort, for tests that need a
// process of their own.
const asCommand = "GPUSORT_TEST_AS_COMMAND"

// statusFile names a file to which such a process copies its /proc/self/status at the
// end: the system's own count of a child begins with its parent's memory.
const statusFile = "GPUSORT_TEST_STATUS"

// process is a command line for a process of its own, in dir.
func process(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(exe, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), asCommand+"=1")
	return c
}

func exitStatus(err error) int {
	var e *exec.ExitError
	if errors.As(err, &e) {
		return e.ExitCode()
	}
	return 0
}

func temps(dir string) []string {
	left, _ := filepath.Glob(filepath.Join(dir, ".gpusort-*"))
	return left
}

func TestMain(m *testing.M) {
	run := func() {
		code := Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
		if name := os.Getenv(statusFile); name != "" {
			b, _ := os.ReadFile("/proc/self/status")
			os.WriteFile(name, b, 0o666)
		}
		os.Exit(code)
	}
	if os.Getenv(asCommand) != "" {
		run()
	}
	testscript.Main(m, map[string]func(){"gpusort": advised})
}

// TestScripts runs the goldens of testdata/script; UPDATE_SCRIPTS=1 rewrites
// what they expect.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exit":     exitCode,
			"poke":     poke,
			"shorten":  shorten,
			"leftover": leftover,
			"size":     size,
			"variant":  writeVariant,
		},
	})
}

// exitCode: exit CODE ARGS… runs gpusort and checks its exit code.
func exitCode(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("gpusort", args[1:]...)
	got := 0
	if e, ok := err.(interface{ ExitCode() int }); ok {
		got = e.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// writeVariant: variant DIR makes a kernel variant that fits this program.
func writeVariant(ts *testscript.TestScript, _ bool, args []string) {
	_, err := varianttest.Write(args[0], filepath.Join("..", "..", "..", "internal", "tune", "policies.json"), "onesweep", 32, 0,
		kernel.Images("cuda", "onesweep")[0].SourceHash, func(v []uint32) { v[1]++ })
	ts.Check(err)
}

// poke: poke FILE OFFSET HEX overwrites bytes; the file is made if need be.
func poke(ts *testscript.TestScript, _ bool, args []string) {
	off, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	b, err := hex.DecodeString(args[2])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR|os.O_CREATE, 0o666)
	ts.Check(err)
	_, err = f.WriteAt(b, off)
	ts.Check(err)
	ts.Check(f.Close())
}

// shorten: shorten FILE BYTES cuts bytes off the end.
func shorten(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	st, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), st.Size()-n))
}

// size: size FILE BYTES checks a file's length.
func size(ts *testscript.TestScript, _ bool, args []string) {
	st, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := strconv.FormatInt(st.Size(), 10); got != args[1] {
		ts.Fatalf("%s has %s bytes, want %s", args[0], got, args[1])
	}
}

// leftover fails if a temporary file of gpusort lies in the directory.
func leftover(ts *testscript.TestScript, neg bool, _ []string) {
	ents, err := os.ReadDir(ts.MkAbs("."))
	ts.Check(err)
	for _, e := range ents {
		if strings.HasPrefix(e.Name(), ".gpusort-") {
			ts.Fatalf("left over: %s", e.Name())
		}
	}
}
