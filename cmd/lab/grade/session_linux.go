//go:build amd64 || arm64

package grade

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
)

// session is one child process and the memory shared with it.
type session struct {
	cmd     *exec.Cmd
	to      *os.File // frames
	from    *os.File
	mem     []byte
	layout  wire.Layout
	info    wire.Info
	printed *excerpt
	dead    error // why nothing can be asked any more
	stopped bool
	// onDevice says that inputs must be brought to a device and results back.
	onDevice bool
}

// launch starts a child for j. The caller closes the session.
func (g *grader) launch(ctx context.Context, j wire.Job) (*session, error) {
	s := &session{layout: wire.LayoutOf(j), printed: &excerpt{}, onDevice: j.Device != "cpu"}
	fd, err := unix.MemfdCreate("gpusort-grade", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, harness{fmt.Errorf("shared memory: %w", err)}
	}
	shared := os.NewFile(uintptr(fd), "shared memory")
	defer shared.Close()
	if err := shared.Truncate(int64(s.layout.Bytes)); err != nil {
		return nil, harness{fmt.Errorf("shared memory of %d bytes: %w", s.layout.Bytes, err)}
	}
	// A child that shrinks the memory would crash the grader.
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return nil, harness{fmt.Errorf("seal shared memory: %w", err)}
	}
	if s.mem, err = unix.Mmap(fd, 0, int(s.layout.Bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return nil, harness{fmt.Errorf("map shared memory: %w", err)}
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		s.close()
		return nil, harness{err}
	}
	s.to = inW
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		s.close()
		return nil, harness{err}
	}
	s.from = outR
	s.cmd = exec.Command(g.o.Command[0], g.o.Command[1:]...)
	s.cmd.Env = g.env
	s.cmd.Dir = g.dir
	s.cmd.Stdout, s.cmd.Stderr = s.printed, s.printed
	// What a compiler that it started still holds of the output is not waited for.
	s.cmd.WaitDelay = time.Second
	s.cmd.ExtraFiles = []*os.File{inR, outW, shared}
	s.cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	err = s.cmd.Start()
	// The child's ends must be its alone, or its end would not be noticed.
	inR.Close()
	outW.Close()
	if err != nil {
		s.close()
		return nil, harness{fmt.Errorf("start a process for the submission: %w", err)}
	}
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	answer, err := s.ask(ctx, wire.Frame{Op: wire.OpOpen, Text: text}, time.Duration(g.r.StartLimit))
	if err == nil {
		err = json.Unmarshal(answer.Text, &s.info)
	}
	if err == nil && s.info.Temp > j.TempLimit {
		err = fmt.Errorf("asks for %d bytes of temporary storage, the limit is %d", s.info.Temp, j.TempLimit)
	}
	if err != nil {
		g.note(s)
		s.close()
		return nil, err
	}
	return s, nil
}

// ask sends a frame to a running child and waits for the answer.
func (s *session) ask(ctx context.Context, f wire.Frame, limit time.Duration) (wire.Frame, error) {
	if err := s.send(f); err != nil {
		return wire.Frame{}, err
	}
	return s.answer(ctx, f.Nonce, f.Op, limit)
}

func (s *session) send(f wire.Frame) error {
	if s.dead != nil {
		return s.dead
	}
	if err := f.Write(s.to); err != nil {
		return s.bury(s.ended(err))
	}
	return nil
}

func (s *session) answer(ctx context.Context, nonce [16]byte, op wire.Op, limit time.Duration) (wire.Frame, error) {
	if err := s.from.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return wire.Frame{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.from.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	f, err := wire.Read(s.from)
	switch {
	case ctx.Err() != nil:
		return f, s.bury(fmt.Errorf("stopped: %w", context.Cause(ctx)))
	case errors.Is(err, os.ErrDeadlineExceeded):
		return f, s.bury(overtime{limit})
	case err != nil:
		return f, s.bury(s.ended(err))
	case f.Nonce != nonce || f.Op != op && f.Op != wire.OpError:
		return f, s.bury(Cheat{"wrote to the pipe between the harness's two processes"})
	case f.Op == wire.OpError && f.A == 1:
		return f, refusal{errors.New(string(f.Text))}
	case f.Op == wire.OpError && f.A == 2:
		return f, harness{errors.New(string(f.Text))}
	case f.Op == wire.OpError:
		return f, errors.New(string(f.Text))
	}
	return f, nil
}

// overtime is the error of work that was not done in time.
type overtime struct{ limit time.Duration }

func (o overtime) Error() string { return fmt.Sprintf("still running after %v: time limit", o.limit) }

// harness is an error that says nothing of the submission.
type harness struct{ error }

// freeze stops all threads of the child and waits until they stand still.
func (s *session) freeze() error {
	if s.dead != nil || s.stopped {
		return s.dead
	}
	if err := unix.Kill(s.cmd.Process.Pid, unix.SIGSTOP); err != nil {
		return s.bury(s.ended(err))
	}
	var i unix.Siginfo
	if err := s.waitid(&i, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT); err != nil {
		return s.bury(fmt.Errorf("wait for the submission to stop: %w", err))
	}
	if i.Code != cldStopped && i.Code != cldTrapped {
		return s.bury(s.ended(nil))
	}
	s.stopped = true
	// Take the notice, and those of earlier continuations.
	_ = s.waitid(&i, unix.WSTOPPED|unix.WNOHANG)
	_ = s.waitid(&i, unix.WCONTINUED|unix.WNOHANG)
	return nil
}

// stayed reports a child that something woke while it had to stand still: a
// timer that sends the signal to continue, say.
func (s *session) stayed() error {
	var i unix.Siginfo
	if err := s.waitid(&i, unix.WCONTINUED|unix.WNOHANG); err == nil && i.Code == cldContinued {
		return s.bury(Cheat{"continued by itself after the clock had stopped"})
	}
	return nil
}

func (s *session) thaw() error {
	if s.dead != nil || !s.stopped {
		return s.dead
	}
	s.stopped = false
	return unix.Kill(s.cmd.Process.Pid, unix.SIGCONT)
}

// The codes of a child's change of state (signal.h).
const (
	cldTrapped   = 4
	cldStopped   = 5
	cldContinued = 6
)

func (s *session) waitid(i *unix.Siginfo, options int) error {
	for {
		*i = unix.Siginfo{}
		err := unix.Waitid(unix.P_PID, s.cmd.Process.Pid, i, options, nil)
		if err != unix.EINTR {
			return err
		}
	}
}

// ended says how the child ended, after a broken pipe.
func (s *session) ended(cause error) error {
	s.kill(200 * time.Millisecond)
	st := s.cmd.ProcessState
	if st == nil {
		return fmt.Errorf("the process of the submission is gone: %v", cause)
	}
	if w, ok := st.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		sig := w.Signal()
		if sig == unix.SIGSYS {
			return Cheat{"reached for another process (kill, ptrace or the like), which ended its own"}
		}
		return fmt.Errorf("crashed: signal %v", sig)
	}
	p := strings.TrimSpace(s.printed.String())
	switch st.ExitCode() {
	case 2: // the Go runtime caught the signal
		if sig := crash.FindString(p); sig != "" {
			return fmt.Errorf("crashed: %s", sig)
		}
	case 3:
		return fmt.Errorf("could not start: %s", p)
	}
	return fmt.Errorf("called exit(%d) instead of sorting", st.ExitCode())
}

// crash finds the signal in what the Go runtime prints of a crash.
var crash = regexp.MustCompile(`\bSIG[A-Z]+\b`)

func (s *session) bury(err error) error {
	if s.dead == nil {
		s.dead = err
	}
	return err
}

// kill ends the child and its compilers, after a grace in which it may end by
// itself, and waits.
func (s *session) kill(grace time.Duration) {
	if s.cmd == nil || s.cmd.Process == nil || s.cmd.ProcessState != nil {
		return
	}
	pid := s.cmd.Process.Pid
	t := time.AfterFunc(grace, func() { _ = unix.Kill(-pid, unix.SIGKILL); _ = unix.Kill(pid, unix.SIGKILL) })
	// The error repeats the state, which is looked at.
	_ = s.cmd.Wait()
	if !t.Stop() {
		return
	}
	_ = unix.Kill(-pid, unix.SIGKILL)
}

func (s *session) close() {
	s.kill(0)
	for _, f := range []*os.File{s.to, s.from} {
		if f != nil {
			f.Close()
		}
	}
	if s.mem != nil {
		_ = unix.Munmap(s.mem)
		s.mem = nil
	}
}

func nonce() (n [16]byte) {
	// crypto/rand.Read never fails.
	_, _ = rand.Read(n[:])
	return n
}

// environment is what a child may know: where libraries and devices are, and
// no more.
func environment(dir string) []string {
	env := []string{"TMPDIR=" + dir, "HOME=" + dir, "POCL_CACHE_DIR=" + dir + "/pocl", "CUDA_CACHE_PATH=" + dir + "/cuda", "GPUSORT_CACHE=off"}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if slices.Contains([]string{"PATH", "LD_LIBRARY_PATH", "LANG", "GODEBUG"}, name) ||
			slices.ContainsFunc([]string{"OCL_", "POCL_", "CUDA_", "NVIDIA_", "OMP_", "GPUSORT_"}, func(p string) bool { return strings.HasPrefix(name, p) }) &&
				!slices.Contains([]string{"POCL_CACHE_DIR", "CUDA_CACHE_PATH", "GPUSORT_CACHE"}, name) {
			env = append(env, v)
		}
	}
	return env
}
