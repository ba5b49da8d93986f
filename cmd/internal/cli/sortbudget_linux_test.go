package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/gpusort/gpusort/cmd/internal/gensort"
	"github.com/gpusort/gpusort/cmd/internal/packed"
	"github.com/gpusort/gpusort/internal/check/soak"
)

// program is what a process may take besides its budget: code, runtime, stacks.
const program = 32 << 20

// TestLineBudget: whatever the budget, the process keeps it, the temporary files are
// hardly larger than the input, and the result is the same.
func TestLineBudget(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	r := rand.New(rand.NewPCG(1, 1))
	var text bytes.Buffer
	for text.Len() < 32<<20 {
		fmt.Fprintf(&text, "%d %x\n", r.IntN(1e6), r.Uint64()>>r.IntN(60))
	}
	os.WriteFile(in, text.Bytes(), 0o666)
	var zst bytes.Buffer
	w, _ := packed.NewWriter(packed.Zstd, &zst)
	w.Write(text.Bytes())
	w.Close()
	os.WriteFile(in+"packed", zst.Bytes(), 0o666)
	records := make([]byte, 32<<20/gensort.Size*gensort.Size)
	gensort.Layout{}.Fill(records, 0)
	os.WriteFile(in+"records", records, 0o666)
	run := func(args ...string) (out []byte, peak int64) {
		t.Helper()
		b, peak := peakOf(t, dir, append([]string{"sort", "--json", "-o", "out", "-T", dir}, args...)...)
		var spilled int64
		_, rest, _ := strings.Cut(string(b), `"spilled_bytes": `)
		fmt.Sscanf(rest, "%d", &spilled)
		var budget int64 // in MiB
		fmt.Sscanf(args[len(args)-1], "%dM", &budget)
		size := int64(text.Len())
		if slices.Contains(args, in+"records") {
			size = int64(len(records))
		}
		// A budget of 3/2 of the input may hold all of it: records need little beside them.
		whole := spilled >= size*9/10 && spilled <= size*105/100
		if fits := budget<<20 >= size*3/2; budget != 0 && !whole && (spilled != 0 || !fits) {
			t.Errorf("%v: %d bytes of temporary files for %d", args, spilled, size)
		}
		out, _ = os.ReadFile(filepath.Join(dir, "out"))
		return out, peak
	}
	budgets := []int64{24}
	if !testing.Short() {
		for b := int64(26); b < 80; b += 2 {
			budgets = append(budgets, b)
		}
	}
	take := soak.Share(t, 5, 1)
	for _, flags := range [][]string{{"-s", in}, {"-n", in}, {"-n", in + "packed"}, {"--record", "100", "--key", "0:10", in + "records"}, {"--by=2:text,1:desc", "-t ", in}} {
		if !take() {
			continue
		}
		want, _ := run(flags...)
		for _, budget := range budgets {
			got, peak := run(append(flags, "-S", fmt.Sprintf("%dM", budget))...)
			if !bytes.Equal(got, want) {
				t.Errorf("%s within %d MiB: another result", flags, budget)
			}
			if peak > budget<<20+program {
				t.Errorf("%s: %d MiB were taken, the budget was %d", flags, peak>>20, budget)
			}
		}
	}
}

// endless starts a sort to out that gets lines until its temporary files are there.
func endless(t *testing.T, out string, args ...string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	dir := filepath.Dir(out)
	c := process(t, dir, append([]string{"sort", "-S", "1", "-T", dir, "-o", filepath.Base(out), "--format", "lines"}, args...)...)
	stderr := &bytes.Buffer{}
	c.Stderr = stderr
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		block := bytes.Repeat([]byte("some line or other\n"), 5000)
		for err == nil {
			_, err = in.Write(block)
		}
	}()
	return c, stderr
}

// spills reports whether a process has temporary files besides its output.
func spills(c *exec.Cmd, dir string) bool {
	n := 0
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", c.Process.Pid))
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, dir+"/#") && strings.HasSuffix(to, " (deleted)") {
			n++
		}
	}
	return n > 2
}

// TestLinesKilled: signals leave no temporary file and the old output, and so does a
// kill.
func TestLinesKilled(t *testing.T) {
	for sig, code := range map[syscall.Signal]int{syscall.SIGKILL: -1, syscall.SIGTERM: 143} {
		dir, out := oldOut(t)
		args := []string{"--by=1", "--header=0", "--format=csv"}
		if sig == syscall.SIGTERM {
			args = nil
		} else if csv := filepath.Join(dir, "out.csv"); os.Rename(out, csv) == nil { // a table goes to no file of numbers
			out = csv
		}
		c, stderr := endless(t, out, args...)
		waitFor(t, "temporary files", func() bool { return spills(c, dir) })
		c.Process.Signal(sig)
		if got := exitStatus(c.Wait()); got != code || code > 0 && !strings.Contains(stderr.String(), "no output was written") {
			t.Errorf("%v: exit code %d, %s", sig, got, stderr)
		}
		survives(t, dir, out)
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("%v: left over: %v", sig, left)
		}
	}
}

// TestTemporaryFull: no room for temporary files is one message that says what to do.
func TestTemporaryFull(t *testing.T) {
	dir, out := oldOut(t)
	in := bytes.Repeat([]byte("some line or other\n"), 1<<20)
	c := limited(t, dir, "-f 100", "sort", "-S", "1", "-T", ".", "-o", "out.u64", "--format", "lines")
	c.Stdin = bytes.NewReader(in)
	b, err := c.CombinedOutput()
	want := "sort: writing a temporary file in . after"
	if exitStatus(err) != exitError || !strings.Contains(string(b), want) || !strings.Contains(string(b), "name a folder with more room by -T") || bytes.Count(b, []byte("\n")) != 1 {
		t.Errorf("%v: %s", err, b)
	}
	survives(t, dir, out)
	// A folder that is not there, and one that goes.
	c = process(t, dir, "sort", "-S", "1", "-T", "gone", "-o", "out.u64", "--format", "lines")
	c.Stdin = bytes.NewReader(in)
	if b, err := c.CombinedOutput(); exitStatus(err) != exitError || !strings.Contains(string(b), "sort: no temporary file can be made in gone: no such file or directory; name another folder by -T") {
		t.Errorf("%v: %s", err, b)
	}
	survives(t, dir, out)
}

// TestManyFiles merges more files than may be open, and spills more runs.
func TestManyFiles(t *testing.T) {
	dir := t.TempDir()
	args := []string{"sort", "-n", "-T", ".", "-o", "out"}
	var want bytes.Buffer
	for f := range 45 {
		var text bytes.Buffer
		for i := range 40000 {
			fmt.Fprintf(&text, "%023d\n", i)
		}
		name := fmt.Sprintf("f%d", f)
		os.WriteFile(filepath.Join(dir, name), text.Bytes(), 0o666)
		args = append(args, name)
	}
	for i := range 40000 {
		want.WriteString(strings.Repeat(fmt.Sprintf("%023d\n", i), 45))
	}
	for _, flag := range []string{"-m", "-S1"} {
		c := limited(t, dir, "-n 40", append(args, flag)...)
		if b, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", flag, err, b)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "out")); !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s: %d bytes, want %d", flag, len(got), want.Len())
		}
	}
}
