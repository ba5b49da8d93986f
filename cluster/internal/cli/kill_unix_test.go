//go:build unix

package cli

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// TestMain is the program itself where a test starts it.
func TestMain(m *testing.M) {
	if os.Getenv("GPUSORT_TEST_PROGRAM") != "" {
		os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// program is a command line of the program, in a group of processes of its own.
func program(t *testing.T, dir string, words ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, words...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GPUSORT_TEST_PROGRAM=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Stderr = os.Stderr
	return cmd
}

// TestKilled: whenever all processes of a sort are killed, the next one ends with the same bytes, and
// leaves nothing behind.
func TestKilled(t *testing.T) {
	dir := t.TempDir()
	data := make([]byte, 3<<20)
	rand.NewChaCha8([32]byte{2}).Read(data)
	if err := os.WriteFile(filepath.Join(dir, "in.bin"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	sort := func(out string) *exec.Cmd {
		return program(t, dir, "run", "--record", "16", "-k", "0:8", "in.bin", "-o", out, "--ranges", "3", "--tasks", "3", "--parallel", "2", "-S", "100M")
	}
	read := func(out string) (all []byte, names []string) {
		files, _ := filepath.Glob(filepath.Join(dir, out, "*"))
		hidden, _ := filepath.Glob(filepath.Join(dir, out, ".*"))
		for _, f := range append(files, hidden...) {
			names = append(names, filepath.Base(f))
			if filepath.Ext(f) == ".bin" {
				b, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, b...)
			}
		}
		return all, names
	}
	begun := time.Now()
	if err := sort("whole").Run(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(begun)
	want, _ := read("whole")
	var rows [][]byte
	for r := range slices.Chunk(data, 16) {
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(a, b []byte) int { return bytes.Compare(a[:8], b[:8]) })
	if !bytes.Equal(want, bytes.Join(rows, nil)) {
		t.Fatal("the whole sort is wrong")
	}
	moments, killed := 10, 0
	if testing.Short() {
		moments = 3
	}
	for i := range moments {
		out := filepath.Join("out", string(rune('a'+i)))
		cmd := sort(out)
		cmd.Stderr = nil
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took * time.Duration(2*i+1) / time.Duration(2*moments))
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if cmd.Wait() != nil {
			killed++
		}
		if err := sort(out).Run(); err != nil {
			t.Fatal(err)
		}
		if got, names := read(out); !bytes.Equal(got, want) || len(names) != 4 {
			t.Errorf("moment %d: %d bytes, want %d; %v", i, len(got), len(want), names)
		}
	}
	if killed == 0 {
		t.Error("none was killed")
	}
}
