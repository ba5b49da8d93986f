package ncu

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// log is in the form of the tool's raw page.
const log = `==PROF== Connected to process 42
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__throughput.avg.pct_of_peak_sustained_elapsed","sm__inst_executed.avg.per_cycle_active"
"","","","","","","","","","","","%","inst/cycle"
"0","42","gpusort","127.0.0.1","gs_onesweep_pass_32_keys","1","7","(384, 1, 1)","(100, 1, 1)","0","9.0","40.5","1.50"
"1","42","gpusort","127.0.0.1","gs_onesweep_pass_32_keys","1","7","(384, 1, 1)","(100, 1, 1)","0","9.0","1,042.5","1.40"
"2","42","gpusort","127.0.0.1","gs_onesweep_pass_32_keys","1","7","(384, 1, 1)","(100, 1, 1)","0","9.0","41.5","n/a"
"3","42","gpusort","127.0.0.1","gs_onesweep_finish(unsigned int)","1","7","(32, 1, 1)","(1, 1, 1)","0","9.0","1.0","0.10"
==PROF== Disconnected
`

func check(t *testing.T, got []Kernel, err error) {
	t.Helper()
	if err != nil || len(got) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	p, f := got[0], got[1]
	if p.Name != "gs_onesweep_pass_32_keys" || p.Launches != 3 || p.Values[Metrics[3].Name] != 41.5 || p.Values[Metrics[4].Name] != 1.45 {
		t.Errorf("%+v", p)
	}
	if f.Name != "gs_onesweep_finish" || f.Values[Metrics[4].Name] != 0.1 {
		t.Errorf("%+v", f)
	}
}

func TestParse(t *testing.T) {
	got, err := parse(log)
	check(t, got, err)
	for text, want := range map[string]string{
		"":                           "wrote nothing",
		"==ERROR== ERR_NVGPUCTRPERM": "ERR_NVGPUCTRPERM",
		"\"ID\",\"x\"\n\"1\",\"2\"":  "no kernel names",
		"\"ID\"\n\"1\",\"2\"":        "table",
	} {
		if _, err := parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestRun puts a script in the tool's place.
func TestRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		absent.Skip(t, "sh", "the double is a shell script")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if _, err := Run(t.Context(), "gs_", "true"); !errors.Is(err, ErrAbsent) {
		t.Errorf("without the tool: %v", err)
	}
	write := func(script string) {
		if err := os.WriteFile(filepath.Join(dir, "ncu"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(`while [ "$1" != --log-file ]; do shift; done
[ "$3 $4" = "--kernel-id ::regex:^gs_:[1-8]|[0-9]*[05]0" ] && [ "${7} ${8}" = "app arg" ] || exit 3
while IFS= read -r l; do echo "$l"; done > "$2" <<'END'
` + log + "END\n")
	got, err := Run(t.Context(), "gs_", "app", "arg")
	check(t, got, err)
	write("echo '==ERROR== no permission' >&2; exit 1\n")
	if _, err := Run(t.Context(), "gs_", "app"); err == nil || !strings.Contains(err.Error(), "no permission") {
		t.Errorf("%v", err)
	}
}
