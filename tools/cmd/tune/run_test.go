package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// fakeSuite passes, but for a variant of 24 items. Without the environment that
// run.sh owes it, it fails.
const fakeSuite = `#!/bin/sh
[ "$GPUSORT_SUITE_ALGO" = onesweep ] && [ "$GPUSORT_REQUIRE" = cuda ] && [ -f "$GPUSORT_VARIANT/onesweep.sm_90.cubin" ] || exit 3
case $GPUSORT_VARIANT in *items24) echo "3 passed, 2 failed"; exit 1 ;; esac
echo "5 passed, 0 failed, 1 skipped"
`

// fakeCommand stands for gpusort: bench writes a record of the variant's name and
// code. calls.txt counts what was measured.
const fakeCommand = `#!/bin/sh
case $1 in version) echo '{}'; exit ;; bench) ;; *) exit ;; esac
case $* in *--small*) exit ;; esac
while [ "$1" != --json ]; do shift; done
name=$(basename "$GPUSORT_VARIANT")
echo "$name" >>calls.txt
code=$(sed -n 's/.*"sha256": "\(.*\)".*/\1/p' "$GPUSORT_VARIANT/variant.json")
ns=4000000
case $name in *items16) ns=3000000 ;; esac
echo '{"schema":1,"case":"onesweep/cuda/u32/keys/uniform/n=2^28","algo":"onesweep","backend":"cuda","device_id":"cuda:0","key_type":"u32","mode":"keys","dist":"uniform","items":268435456,"seed":1,"source":"catalog","status":"ok","device_ns":['$ns','$ns'],"env":{"go":"go","os":"linux","arch":"amd64","procs":1,"device":"a GPU","driver":"1","started":"2026-11-22T06:00:00Z","variant":"'$name'","variant_sha256":"'$code'"}}' >"$2"
`

// TestRunScript takes variants through run.sh's step tune with stand-ins for
// compiler, suite and command, and its results through the table.
func TestRunScript(t *testing.T) {
	for _, tool := range []string{"bash", "shuf", "sha256sum", "seq", "timeout", "tar"} {
		if _, err := exec.LookPath(tool); err != nil {
			absent.Skip(t, tool, "run.sh needs it")
		}
	}
	bundle, results := t.TempDir(), filepath.Join(t.TempDir(), "results")
	script, err := os.ReadFile(filepath.Join(root, "tools/gpu-run.sh"))
	if err != nil {
		t.Fatal(err)
	}
	suite := filepath.Join(bundle, "tests/internal-engine-suite")
	if err := os.MkdirAll(suite, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{"run.sh": string(script), "gpusort": fakeCommand, "tests/internal-engine-suite/run.test": fakeSuite} {
		if err := os.WriteFile(filepath.Join(bundle, path), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	variants := filepath.Join(bundle, "tune")
	grid4(t, variants, "-spills")
	run := func(want int, more ...string) {
		t.Helper()
		cmd := exec.Command("bash", filepath.Join(bundle, "run.sh"), results, "tune")
		cmd.Env = append(os.Environ(), more...)
		out, err := cmd.CombinedOutput()
		if got := cmd.ProcessState.ExitCode(); got != want {
			t.Fatalf("run.sh: %d (%v), want %d\n%s", got, err, want, out)
		}
	}
	calls := func() int {
		text, _ := os.ReadFile(filepath.Join(bundle, "calls.txt"))
		return strings.Count(string(text), "\n")
	}
	run(1, "TUNE_ROUNDS=2") // one variant fails its verification
	if calls() != 4 {
		t.Fatalf("%d measurements, want 2 rounds of 2 variants", calls())
	}
	run(1, "TUNE_ROUNDS=3") // goes on
	if calls() != 6 {
		t.Fatalf("%d measurements after a third round, want 6", calls())
	}
	run(0, "TUNE_STOP=0") // what is there stays
	if calls() != 6 {
		t.Fatalf("%d measurements with no time, want 6", calls())
	}
	var out strings.Builder
	if err := tableCommand([]string{variants, results}, &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| `onesweep-32-keys-threads448-items16` | 16 | 3000.0 | 3000.0 … 3000.0 | 89478 | 1.333 | 3 | 6 | 5 cases | pass 56 | 0 |",
		"(committed) | ", "items24` (onesweep, 32-bit keys): not verified: tune-onesweep-32-keys-threads448-items24.log: 3 cases passed and 2 failed",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
