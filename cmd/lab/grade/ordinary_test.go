//go:build linux && (amd64 || arm64)

package grade

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// ordinaryCommand is the argument under which the tests' program is the grader of a
// user without rights; a submission and a rubric's text follow.
const ordinaryCommand = "ordinary"

// exitNoSpaces says that this machine gives an ordinary user no namespaces.
const exitNoSpaces = 7

func ordinary(submission, rubric string) int {
	c := exec.Command("/bin/true")
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	if err := c.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitNoSpaces
	}
	o, err := options(submission, rubric)
	if err == nil {
		var rep Report
		rep, err = Run(context.Background(), o)
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(rep)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// gradeOrdinary grades a library as a user without rights would, whose submissions
// are processes of the same user.
func gradeOrdinary(t *testing.T, library string) (rep Report) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gpusort-ordinary-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, submission := filepath.Join(dir, "program"), filepath.Join(dir, filepath.Base(library))
	for from, to := range map[string]string{exe: program, library: submission} {
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, b, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, program, ordinaryCommand, submission, attackRubric)
	c.Dir, c.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65533, Gid: 65533}}
		if err := os.Chown(program, 65533, 65533); err != nil { // most have built or fetched their own
			t.Fatal(err)
		}
	}
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		if c.ProcessState != nil && c.ProcessState.ExitCode() == exitNoSpaces {
			absent.Skip(t, "sandbox", "an ordinary user has no namespaces here: %s", strings.TrimSpace(said.String()))
		}
		t.Fatalf("%v: %s", err, &said)
	}
	if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
		t.Fatal(err)
	}
	return rep
}

// TestOrdinaryUser: most graders are no root. Where the machine gives such a user
// namespaces, submissions are in them; and what a process of the same user may do
// more does not help.
func TestOrdinaryUser(t *testing.T) {
	t.Run("honest", func(t *testing.T) {
		rep := gradeOrdinary(t, compile(t, "testdata/honest.c"))
		if !rep.Confinement.Whole {
			t.Error(rep.Confinement.Line())
		}
		fullMarks(t, rep)
	})
	t.Run("chmods", func(t *testing.T) { fullMarks(t, gradeOrdinary(t, compile(t, "testdata/attack/chmods.c"))) })
	t.Run("fills", func(t *testing.T) {
		rep := gradeOrdinary(t, compile(t, "testdata/attack/fills.c"))
		if rep.Score != 0 || !strings.Contains(rep.Refused, filled.What) && !strings.Contains(rep.Cases[0].Reason, "exit") {
			t.Errorf("%g points, %q, %+v", rep.Score, rep.Refused, rep.Cases)
		}
	})
}

// TestHelpersStandStill: what a process has started stops with it, and goes on with
// it.
func TestHelpersStandStill(t *testing.T) {
	c := exec.Command("sh", "-c", "sleep 60 & wait")
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	s := &session{confined: confined{cmd: c}, printed: &excerpt{}}
	defer s.kill(0)
	state := func() string {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", c.Process.Pid))
		if err != nil {
			absent.Skip(t, "children", "%v", err)
		}
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%s/stat", strings.TrimSpace(string(children)))) // no helper yet: no state
		_, behind, _ := strings.Cut(string(text), ") ")
		return behind[:min(1, len(behind))]
	}
	await := func(want string) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); state() != want; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the helper's state is %q, want %q", state(), want)
			}
		}
	}
	await("S")
	if err := s.freeze(); err != nil {
		t.Fatal(err)
	}
	await("T")
	if err := s.thaw(); err != nil {
		t.Fatal(err)
	}
	await("S")
}
