//go:build unix

package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// oldOut makes a directory with an output that must survive.
func oldOut(t *testing.T) (dir, out string) {
	t.Helper()
	dir = t.TempDir()
	out = filepath.Join(dir, "out.u64")
	if err := os.WriteFile(out, []byte("old keys"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, out
}

func survives(t *testing.T, dir, out string) {
	t.Helper()
	if b, err := os.ReadFile(out); err != nil || string(b) != "old keys" {
		t.Errorf("the old output is gone: %q, %v", b, err)
	}
	if left := temps(dir); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// writes reports whether a process has its temporary file in dir, with or without a
// name.
func writes(c *exec.Cmd, dir string) bool {
	if len(temps(dir)) == 1 {
		return true
	}
	fds, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", c.Process.Pid))
	for _, fd := range fds {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, dir+"/#") && strings.HasSuffix(to, " (deleted)") {
			return true
		}
	}
	return false
}

// waitFor polls; a deadline far beyond any need keeps a broken test from
// hanging.
func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never happened: " + what)
		}
	}
}

// startWaiting starts a sort in dir, gives it a key and waits until it has its temporary file.
// More may be written to in.
func startWaiting(t *testing.T, c *exec.Cmd, dir string) (in io.WriteCloser) {
	t.Helper()
	in, err := c.StdinPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(in, "12345678")
	waitFor(t, "the temporary file", func() bool { return writes(c, dir) })
	return in
}

// TestSignals interrupts a sort that waits for more input.
func TestSignals(t *testing.T) {
	for sig, code := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129, syscall.SIGQUIT: 131, syscall.SIGXCPU: 128 + int(syscall.SIGXCPU)} {
		dir, out := oldOut(t)
		c := process(t, dir, "sort", "--type", "u64", "--format", "raw", "-o", "out.u64")
		var stderr bytes.Buffer
		c.Stderr = &stderr
		startWaiting(t, c, dir)
		c.Process.Signal(sig)
		if got := exitStatus(c.Wait()); got != code || !strings.Contains(stderr.String(), "no output was written") {
			t.Errorf("%v: exit code %d, want %d; %s", sig, got, code, stderr.String())
		}
		survives(t, dir, out)
	}
}

// TestIgnoredSignals: a sort that nohup started, or a shell in its background, goes on.
func TestIgnoredSignals(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		absent.Skip(t, "sh", "it is not on the PATH")
	}
	for sig, name := range map[syscall.Signal]string{syscall.SIGHUP: "HUP", syscall.SIGINT: "INT"} {
		dir := t.TempDir()
		c := process(t, dir, "sort", "--type", "u64", "--format", "raw", "-o", "out")
		c.Args = append([]string{sh, "-c", "trap '' " + name + `; exec "$0" "$@"`, c.Path}, c.Args[1:]...)
		c.Path = sh
		in := startWaiting(t, c, dir)
		c.Process.Signal(sig)
		time.Sleep(50 * time.Millisecond)
		io.WriteString(in, "02345678")
		in.Close()
		if err := c.Wait(); err != nil {
			t.Errorf("%v: %v", sig, err)
		}
		if b, err := os.ReadFile(filepath.Join(dir, "out")); string(b) != "0234567812345678" {
			t.Errorf("%v: %q, %v", sig, b, err)
		}
	}
}

// TestKilled ends a sort without a chance to clean up: the old output is whole, and
// where files may have no name nothing else is left.
func TestKilled(t *testing.T) {
	dir, out := oldOut(t)
	c := process(t, dir, "sort", "--type", "u64", "--format", "raw", "-o", "out.u64")
	startWaiting(t, c, dir)
	named := len(temps(dir)) == 1
	c.Process.Kill()
	c.Wait()
	if b, _ := os.ReadFile(out); string(b) != "old keys" {
		t.Errorf("the old output is %q", b)
	}
	if named {
		absent.Skip(t, "files without a name", "the directory of tests has none")
	}
	survives(t, dir, out)
}

// TestInterruptedPipe: a pipe that got a part of the output does not hear that nothing
// was written, whatever names it.
func TestInterruptedPipe(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		absent.Skip(t, "named pipes", "%v", err)
	}
	for _, args := range [][]string{{"gen", "--type", "u64", "--n", "10M"}, {"gen", "--type", "u64", "--n", "10M", "-o", "pipe"}} {
		c := process(t, dir, args...)
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		if len(args) > 5 {
			f, err := os.Open(pipe)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			out = f
		}
		io.ReadFull(out, make([]byte, 1<<20))
		c.Process.Signal(syscall.SIGINT)
		err = c.Wait()
		if got := exitStatus(err); got != 130 || !strings.Contains(stderr.String(), "interrupt; the output is incomplete") {
			t.Errorf("%v: exit code %d, %q", args, got, stderr.String())
		}
	}
}

// TestSticky runs as a user who may write a file but not replace it: that is told
// before the input ends.
func TestSticky(t *testing.T) {
	if os.Getuid() != 0 {
		absent.Skip(t, "two users", "the test does not run as root")
	}
	dir, out := oldOut(t)
	os.Chmod(filepath.Dir(dir), 0o755)
	os.Chmod(out, 0o666|os.ModeSetuid)
	exe := copyCommand(t)
	start := func() (*exec.Cmd, io.WriteCloser, *bytes.Buffer) {
		c := process(t, dir, "sort", "--type", "u64", "--format", "raw", "-o", "out.u64")
		c.Path = exe
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		var stderr bytes.Buffer
		c.Stderr = &stderr
		in, err := c.StdinPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		return c, in, &stderr
	}
	os.Chmod(dir, 0o777|os.ModeSticky)
	c, in, stderr := start()
	if err := c.Wait(); exitStatus(err) != 2 || !strings.Contains(stderr.String(), "out.u64 cannot be replaced: it belongs to another user") {
		t.Errorf("%v: %s", err, stderr)
	}
	in.Close()
	survives(t, dir, out)

	// Where the file may be replaced, its new owner does not get the old one's rights.
	os.Chmod(dir, 0o777)
	c, in, stderr = start()
	in.Close()
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, stderr)
	}
	if st, err := os.Stat(out); err != nil || st.Mode() != 0o666 || st.Size() != 0 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
}

// limited is the command under a limit as the shell's ulimit has it.
func limited(t *testing.T, dir, limit string, args ...string) *exec.Cmd {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		absent.Skip(t, "sh", "it is not on the PATH")
	}
	c := process(t, dir, args...)
	c.Args = append([]string{sh, "-c", "ulimit " + limit + `; exec "$0" "$@"`, c.Path}, args...)
	c.Path = sh
	return c
}

// TestFileSizeLimit writes past ulimit -f, as a full disk would be met in the
// middle of the output.
func TestFileSizeLimit(t *testing.T) {
	dir, out := oldOut(t)
	gen := process(t, dir, "gen", "--n", "1M", "-o", "in.u64")
	if b, err := gen.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	for _, args := range [][]string{
		{"sort", "in.u64", "-o", "out.u64"},
		{"gen", "--n", "1M", "-o", "out.u64"},
		{"sort", "in.u64", "--out-format", "text", "-o", "out.u64"},
		{"sort", "--format", "lines", "in.u64", "-o", "out.u64"},
	} {
		c := limited(t, dir, "-f 100", args...)
		b, err := c.CombinedOutput()
		if exitStatus(err) != 2 || !strings.Contains(string(b), "the file would pass the size limit (ulimit -f); the old file is unchanged") {
			t.Errorf("%v: %v: %s", args, err, b)
		}
		survives(t, dir, out)
	}
}

// TestPermissions runs as a user without rights: over a read-only directory, a
// read-only output and an unreadable input.
func TestPermissions(t *testing.T) {
	dir, out := oldOut(t)
	in := filepath.Join(dir, "in.u8")
	os.WriteFile(in, []byte("hello"), 0o644)
	secret := filepath.Join(dir, "secret.u8")
	os.WriteFile(secret, []byte("hello"), 0o200)
	exe := copyCommand(t)
	run := func(args ...string) string {
		c := process(t, dir, args...)
		c.Path = exe
		if os.Getuid() == 0 {
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		}
		b, err := c.CombinedOutput()
		if exitStatus(err) != 2 {
			t.Errorf("%v: %v: %s", args, err, b)
		}
		return string(b)
	}
	os.Chmod(out, 0o444)
	if s := run("sort", "in.u8", "-o", "out.u64", "--out-format", "raw"); !strings.Contains(s, "out.u64: permission denied") {
		t.Errorf("read-only output: %s", s)
	}
	os.Chmod(dir, 0o555)
	defer os.Chmod(dir, 0o755)
	if s := run("sort", "in.u8", "-o", "new.u8"); !strings.Contains(s, "no temporary file can be made beside it") || !strings.Contains(s, "permission denied") {
		t.Errorf("read-only directory: %s", s)
	}
	if s := run("sort", "secret.u8"); !strings.Contains(s, "secret.u8: permission denied") {
		t.Errorf("unreadable input: %s", s)
	}
	survives(t, dir, out)
}

// copyCommand puts the test binary where every user may run it.
func copyCommand(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	os.Chmod(filepath.Dir(dir), 0o755)
	to := filepath.Join(dir, "gpusort")
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}

// TestClosedPipe has a reader that goes away, as head does.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	c := process(t, dir, "gen", "--type", "u64", "--n", "10M")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	io.ReadFull(out, make([]byte, 100))
	out.Close()
	if err := c.Wait(); err == nil {
		t.Error("success without a reader")
	}
}

// TestNobodyReads: as in gpusort sort … | head, the command ends like others that
// the signal ends, without a word and without its temporary files.
func TestNobodyReads(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.u8"), make([]byte, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	c := process(t, dir, "sort", "k.u8", "--values", "k.u8", "--values-out", "v.u8")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	io.ReadFull(out, make([]byte, 1))
	out.Close()
	err = c.Wait()
	if got := exitStatus(err); got != exitSignal+int(syscall.SIGPIPE) || stderr.Len() > 0 {
		t.Errorf("exit code %d, %q", got, stderr.String())
	}
	if left := temps(dir); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
	if _, err := os.Stat(filepath.Join(dir, "v.u8")); err == nil {
		t.Error("values without their keys")
	}
}

// TestInterruptedWait interrupts commands that wait for the other end of a named
// pipe, and one whose reader sleeps: the first signal ends them.
func TestInterruptedWait(t *testing.T) {
	for name, args := range map[string][]string{
		"input":  {"sort", "--type", "u8", "PIPE"},
		"output": {"gen", "--type", "u8", "--n", "1", "-o", "PIPE"},
		"stdout": {"gen", "--type", "u8", "--n", "1"},
		"rubric": {"grade", "x.cl", "--rubric", "PIPE"},
	} {
		t.Run(name, func(t *testing.T) {
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				absent.Skip(t, "named pipes", "%v", err)
			}
			args[len(args)-1] = strings.Replace(args[len(args)-1], "PIPE", pipe, 1)
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(50*time.Millisecond, func() { cancel(interrupted{syscall.SIGINT}) })
			_, asleep := io.Pipe()
			defer asleep.Close()
			var stderr bytes.Buffer
			a := &app{in: strings.NewReader(""), out: asleep, err: &stderr}
			if code := a.run(ctx, args); code != 130 || !strings.Contains(stderr.String(), "stopped by a signal") {
				t.Errorf("exit code %d, %q", code, stderr.String())
			}
		})
	}
}
