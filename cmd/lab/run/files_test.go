package run

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/sample"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// fileLab measures a script in the place of gpusort sort: it gets flags, -T DIR -o OUT IN.
func fileLab(t *testing.T, script string, axes ...string) *lab {
	t.Helper()
	if _, err := exec.LookPath("/bin/sh"); err != nil {
		absent.Skip(t, "sh", "%v", err)
	}
	path := filepath.Join(t.TempDir(), "script")
	text := "#!/bin/sh\nwhile [ $# -gt 1 ]; do [ \"$1\" = -o ] && out=$2; shift; done\nin=$1\n" + script + "\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	l := newLab(newFake(), nil, append([]string{"Op=files"}, axes...)...)
	l.o.Devices, l.o.Sort = []string{"cpu"}, []string{path}
	l.o.Rule = sample.Rule{Min: 2, Max: 2}
	return l
}

// gnuSort skips where the program sort is not GNU's.
func gnuSort(t *testing.T) {
	t.Helper()
	if out, err := exec.Command("sort", "--version").Output(); err != nil || !strings.Contains(string(out), "GNU") {
		absent.Skip(t, "GNU sort", "the program sort is not GNU's (Debian: coreutils)")
	}
}

// TestFiles: GNU sort's outputs are right in every format, and so the files and the checks are
// those of sort(1); the budget and the file's size are in the record.
func TestFiles(t *testing.T) {
	gnuSort(t)
	t.Setenv("TMPDIR", t.TempDir())
	l := fileLab(t, "exit 9", "Format=[lines,numbers,csv,u64]", "Elements=[0,1,70000]", "Dist=few-distinct", "Budget=[0,1Mi]")
	l.run(t)
	if len(l.records) != 2*4*3*2 {
		t.Fatalf("%d records", len(l.records))
	}
	for _, r := range l.records {
		u64, ours := r.Format == "u64", r.Algo == Gpusort
		switch {
		case ours && (r.Status != result.Failed || !strings.Contains(r.Reason, "exit status 9")):
			t.Errorf("%s: %s %s", r.Case, r.Status, r.Reason)
		case !ours && u64 && (r.Status != result.Unsupported || !strings.Contains(r.Reason, "GNU sort sorts text")):
			t.Errorf("%s: %s %s", r.Case, r.Status, r.Reason)
		case !ours && !u64 && (r.Status != result.OK || len(r.WallNS) != 2 || len(r.CPUNS) != 2 || len(r.DeviceNS) != 0):
			t.Errorf("%s: %+v", r.Case, r)
		case !ours && r.Format == "lines" && r.FileBytes != 17*r.Items:
			t.Errorf("%s: a file of %d bytes", r.Case, r.FileBytes)
		case strings.Contains(r.Case, "budget=2^20") != (r.Budget == 1<<20):
			t.Errorf("%s: budget %d", r.Case, r.Budget)
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) != 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// TestWrongFiles: a program whose output is not the sorted file fails the cell.
func TestWrongFiles(t *testing.T) {
	for _, c := range []struct{ format, script, why string }{
		{"lines", `cp "$in" "$out"`, "out of order"},
		{"lines", `LC_ALL=C sort "$in" | head -n -1 > "$out"`, "999 rows came out, want 1000"},
		{"lines", `LC_ALL=C sort "$in" | sed '1s/./0/' > "$out"`, "not the same rows"},
		{"lines", `LC_ALL=C sort "$in" | head -c -1 > "$out"`, "the last row has no end"},
		{"numbers", `LC_ALL=C sort "$in" > "$out"`, "out of order"},
		{"numbers", `sort -n "$in" | sed '3s/$/x/' > "$out"`, "row 3: "},
		{"csv", `LC_ALL=C sort -t, -k1,1n -k3,3nr "$in" > "$out"`, "out of order"},
		{"csv", `LC_ALL=C sort -t, -k1,1n -s "$in" | sed 's/,[a-z]*,/,/' > "$out"`, "three fields"},
		{"u64", `cp "$in" "$out"`, "out of order"},
		{"u64", `head -c 4 "$in" > "$out"`, "4 bytes behind the last row"},
		{"lines", `true`, "no such file"},
		{"lines", `echo "it is late" >&2; exit 3`, "exit status 3: it is late"},
	} {
		l := fileLab(t, c.script, "Algo=gpusort", "Format="+c.format, "Elements=1000", "Dist=few-distinct")
		l.run(t)
		if r := l.records[0]; r.Status != result.Failed || !strings.Contains(r.Reason, c.why) {
			t.Errorf("%s, %s: %s: %q, want %q", c.format, c.script, r.Status, r.Reason, c.why)
		}
	}
}

// TestFileFlags: what the program is given, and what is refused.
func TestFileFlags(t *testing.T) {
	said := filepath.Join(t.TempDir(), "said")
	for _, c := range []struct {
		format, budget string
		workers        int
		want           string
	}{
		{"lines", "0", 0, "-T"}, {"numbers", "64Mi", 0, "-n -S67108864b -T"}, {"csv", "0", 3, "--by 1:number --header 0 --parallel=3 -T"}, {"u64", "0", 0, "--device=cpu -T"},
	} {
		l := fileLab(t, "", "Algo=gpusort", "Format="+c.format, "Budget="+c.budget, "Elements=10")
		l.o.Sort, l.o.Workers = []string{"/bin/sh", "-c", `printf '%s ' "$@" > ` + said + `; exit 1`, "sort"}, c.workers
		l.run(t)
		if text, err := os.ReadFile(said); err != nil || !strings.HasPrefix(string(text), c.want) {
			t.Errorf("%s: %q, %v", c.format, text, err)
		}
	}
	for _, c := range []struct{ axes, why string }{
		{"Format=u64", "give Op=files"}, {"Budget=64Mi", "give Op=files"}, {"Op=files Format=pdf", "none of [lines numbers csv u64]"},
		{"Op=files Mode=pairs", "takes Format, Budget"}, {"Op=files Order=desc", "takes Format, Budget"}, {"Op=topk Format=csv", "give Op=files"},
	} {
		l := newLab(newFake(), nil, strings.Fields(c.axes)...)
		l.o.Devices = []string{"cpu"}
		if _, err := New(l.o); err == nil || !strings.Contains(fmt.Sprint(err), c.why) {
			t.Errorf("%s: %v", c.axes, err)
		}
	}
}

// TestPeakOfMemory: a program's peak is its own, also if this process had more before; what is not
// above this process's is not told, also if it grows just before the start.
func TestPeakOfMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		absent.Skip(t, "VmHWM", "Linux alone tells it")
	}
	fill := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = 1
		}
		return b
	}
	runtime.KeepAlive(fill(300 << 20))
	debug.FreeOSMemory()
	for _, c := range []struct {
		script            string
		grow, least, most int
	}{
		{`head -c 150000000 /dev/zero | tail -c 149999999 > /dev/null`, 0, 140 << 20, 170 << 20},
		{`true`, 0, 0, 0},
		{`true`, 20 << 20, 0, 0},
	} {
		forgetPeak()
		held := fill(c.grow)
		cmd := exec.Command("sh", "-c", c.script)
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		runtime.KeepAlive(held)
		if peak := int(peakBytes(cmd.ProcessState)); peak < c.least || peak > c.most {
			t.Errorf("%s, %d bytes more here: %d bytes, want %d to %d", c.script, c.grow, peak, c.least, c.most)
		}
	}
}
