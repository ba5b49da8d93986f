package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/run"
)

// codeBytes is what the program has of its own file in memory at most: 14.8 MB were seen. The
// tests' executable holds more, all of which the system may map where some of it is needed.
const codeBytes = 16 << 20

// peakOf runs the command and returns what it printed, and the most memory it had in bytes,
// with no more of the executable than the program would have.
func peakOf(t *testing.T, dir string, args ...string) (out []byte, peak int64) {
	t.Helper()
	c := process(t, dir, args...)
	status := filepath.Join(dir, "status")
	c.Env = append(c.Env, statusFile+"="+status)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", args, err, out)
	}
	text, _ := os.ReadFile(status)
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	if _, err := fmt.Sscanf(rest, "%d kB", &peak); err != nil {
		absent.Skip(t, "VmHWM", "%v in %q", err, text)
	}
	var mapped int64 // of files at the end, which are the executable
	_, rest, _ = strings.Cut(string(text), "RssFile:")
	if _, err := fmt.Sscanf(rest, "%d kB", &mapped); err != nil {
		t.Fatalf("no RssFile in %q", text)
	}
	return out, peak<<10 - max(0, mapped<<10-codeBytes)
}

// TestMemoryBound: -S bounds what numbers take, by way of temporary files, and changes no
// bit of the result.
func TestMemoryBound(t *testing.T) {
	dir := t.TempDir()
	sort := func(args ...string) (peak int64, stderr string) {
		t.Helper()
		b, peak := peakOf(t, dir, args...)
		return peak, string(b)
	}
	sort("gen", "--type", "u64", "--n", "4Mi", "-o", "k.u64")
	sort("gen", "--type", "u64", "--n", "8Mi", "--seed", "2", "-o", "v16.u64")
	os.Rename(filepath.Join(dir, "v16.u64"), filepath.Join(dir, "v16.raw"))
	take := soak.Share(t, 4, 1)
	for name, args := range map[string][]string{
		"keys":    {"k.u64", "-r"},
		"pairs":   {"k.u64", "--values", "k.u64", "--values-out", "vo.u64"},
		"argsort": {"k.u64", "--argsort"},
		"wide":    {"k.u64", "--values", "v16.raw", "--value-type", "16", "--values-out", "vo.raw"},
	} {
		if !take() {
			continue
		}
		read := func() (all [][]byte) {
			for _, f := range []string{"out.u64", "vo.u64", "vo.raw"} {
				b, _ := os.ReadFile(filepath.Join(dir, f))
				all = append(all, b)
			}
			return all
		}
		args := append([]string{"sort", "--device", "cpu", "-v", "-o", "out.u64", "-T", "."}, args...)
		_, text := sort(args...)
		if strings.Contains(text, "runs") {
			t.Errorf("%s: %s", name, text)
		}
		want := read()
		bound, text := sort(append(args, "-S", "1b")...)
		if !strings.Contains(text, "on cpu (runs)") {
			t.Errorf("%s: no runs: %s", name, text)
		}
		if bound > run.LeastBudget+program {
			t.Errorf("%s: %d MiB were taken", name, bound>>20)
		}
		if !slices.EqualFunc(read(), want, bytes.Equal) {
			t.Errorf("%s: another result", name)
		}
	}
}

// startFailed reports whether a process ended before saveAddressSpace had started it again.
// Each thread of the Go runtime reserves up to 128 MiB for a moment, and if several do so at
// once on a busy machine, 1 GB is too little to start in. The program cannot help that.
func startFailed(output string) bool {
	none := strings.Contains(output, "pthread_create failed") || strings.Contains(output, "runtime: out of memory")
	return none && !strings.Contains(output, "cli.(*app)") && !strings.Contains(output, "created by github.com/gpusort/")
}

// TestAddressSpace sorts 4 MB where a job may map 1 GB, as on shared clusters, and has
// no memory for a pipe without end.
func TestAddressSpace(t *testing.T) {
	dir := t.TempDir()
	within := func(limit string, args ...string) (string, int) {
		b, err := limited(t, dir, limit, args...).CombinedOutput()
		for tries := 1; tries < 20 && startFailed(string(b)); tries++ {
			t.Logf("%v: the Go runtime did not start", args)
			b, err = limited(t, dir, limit, args...).CombinedOutput()
		}
		return string(b), exitStatus(err)
	}
	limited := func(args ...string) (string, int) { return within("-v 1000000", args...) }
	if s, code := limited("gen", "--type", "u32", "--n", "1M", "-o", "k.u32"); code != 0 {
		t.Fatalf("exit code %d: %s", code, s)
	}
	os.WriteFile(filepath.Join(dir, "lines"), bytes.Repeat([]byte("2 of these\n10 of those\n"), 1<<19), 0o666)
	for _, args := range [][]string{
		{"sort", "k.u32", "-o", "s.u32"},
		{"sort", "--device", "cpu", "k.u32", "-o", "s.u32"},
		{"sort", "--argsort", "k.u32", "-o", "i.u64"},
		{"sort", "-s", "-T", ".", "lines", "-o", "sorted"},
		{"sort", "k.u32", "--values", "k.u32", "-o", "s.u32", "--values-out", "v.u32"},
		{"verify", "s.u32", "--against", "k.u32"},
	} {
		if s, code := limited(args...); code != 0 || strings.Count(s, "\n") > 1 {
			t.Errorf("%v: exit code %d: %.300s", args, code, s)
		}
	}
	// What has no end fills the disk, unless that is bounded. From 1.4 GB on the Go runtime
	// reserves 512 MB more.
	for _, limit := range []string{"-v 1000000", "-v 1500000"} {
		s, code := within(limit, "sort", "--device", "cpu", "--type", "u64", "/dev/zero", "-T", ".", "--max-temp", "100M", "-o", "z.u64")
		if code != exitError || strings.Count(s, "\n") != 1 || !strings.Contains(s, "temporary files would take more than the 100000000 bytes that they may: allow more, or give more memory") {
			t.Errorf("%s: /dev/zero: exit code %d: %.300s", limit, code, s)
		}
	}
	if left := temps(dir); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	if _, err := os.Stat(filepath.Join(dir, "z.u64")); err == nil {
		t.Error("an output without an end of the input")
	}
}

func TestThreadsIn(t *testing.T) {
	for limit, want := range map[uint64]int{0: 1, runtimeSpace: 1, runtimeSpace + 10*threadSpace: 5} {
		if got := threadsIn(limit); got != want {
			t.Errorf("%d threads in %d bytes, want %d", got, limit, want)
		}
	}
}
