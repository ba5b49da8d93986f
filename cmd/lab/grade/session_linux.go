//go:build amd64 || arm64

package grade

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/gpusort/gpusort/cmd/internal/lazy"
	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
)

// session is one child process and the memory shared with it.
type session struct {
	confined
	to      *os.File // frames
	from    *os.File
	mem     []byte
	layout  wire.Layout
	info    wire.Info
	printed *excerpt
	dead    error // why nothing can be asked any more
	stopped bool
	// resident says that inputs are brought to a device before the clock starts.
	resident bool
}

// trusted reports whether no host code of the submission runs in the process of
// j: what it says is then the grader's own word.
func (g *grader) trusted(j wire.Job) bool {
	return j.Kind == "reference" || j.Kind == "copy" || j.Kind == "nothing" || g.resident(j)
}

// resident reports whether j runs device code on a device of its own, which
// cannot reach what lies in its memory before it is launched.
func (g *grader) resident(j wire.Job) bool { return j.GPU && g.kind != SO }

// launch starts a child for j and has it load what it runs. The caller closes
// the session.
func (g *grader) launch(ctx context.Context, j wire.Job) (*session, error) {
	j.Whole = !g.resident(j)
	s := &session{layout: wire.LayoutOf(j), printed: &excerpt{}, resident: g.resident(j) && j.Kind != "nothing"}
	if err := g.start(ctx, s, j); err != nil {
		s.close()
		return nil, harness{err}
	}
	limit := time.Duration(g.r.StartLimit)
	text, err := json.Marshal(j)
	if err == nil {
		_, err = s.ask(ctx, wire.Frame{Op: wire.OpOpen, Nonce: nonce(), Text: text}, limit)
	}
	if err != nil {
		s.close()
		// Nothing of the submission has run yet.
		return nil, harness{fmt.Errorf("%w: %s", err, strings.TrimSpace(s.printed.String()))}
	}
	answer, err := s.ask(ctx, wire.Frame{Op: wire.OpPrepare, Nonce: nonce()}, limit)
	if err == nil {
		err = json.Unmarshal(answer.Text, &s.info)
	}
	if err == nil && s.info.Temp > j.TempLimit {
		err = fmt.Errorf("asks for %d bytes of temporary storage, the limit is %d", s.info.Temp, j.TempLimit)
	}
	if err != nil {
		g.note(s, j)
		s.close()
		return nil, err
	}
	return s, nil
}

// start makes the shared memory and the pipes, and starts the process.
func (g *grader) start(ctx context.Context, s *session, j wire.Job) error {
	fd, err := unix.MemfdCreate("gpusort-grade", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return fmt.Errorf("shared memory: %w", err)
	}
	shared := os.NewFile(uintptr(fd), "shared memory")
	defer shared.Close()
	if err := shared.Truncate(int64(s.layout.Bytes)); err != nil {
		return fmt.Errorf("shared memory of %d bytes: %w", s.layout.Bytes, err)
	}
	// A child that shrinks the memory would crash the grader.
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL); err != nil {
		return fmt.Errorf("seal shared memory: %w", err)
	}
	if s.mem, err = unix.Mmap(fd, 0, int(s.layout.Bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return fmt.Errorf("map shared memory: %w", err)
	}
	code, err := sealed("submission", g.code)
	if err != nil {
		return fmt.Errorf("hand over the submission: %w", err)
	}
	defer code.Close()
	inR, inW, err := os.Pipe()
	if err != nil {
		return err
	}
	defer inR.Close()
	s.to = inW
	outR, outW, err := os.Pipe()
	if err != nil {
		return err
	}
	// The child's ends must be its alone, or its end would not be noticed.
	defer outW.Close()
	s.from = outR
	l := limits{room: 512<<20 + 2*uint64(len(g.code)), gpu: j.GPU, cpus: g.r.Threads}
	if !g.trusted(j) && !j.GPU {
		l.memory = 1<<30 + s.layout.Bytes
		if j.Device != "cpu" {
			l.memory += s.layout.Bytes // what the device holds lies in memory too
		}
		l.addresses = 16<<30 + 4*s.layout.Bytes // the Go runtime and compilers map more than they use
		l.group = l.memory + l.room + s.layout.Bytes
	}
	if s.confined, err = g.command(context.WithoutCancel(ctx), l); err != nil {
		return err
	}
	s.cmd.Stdout, s.cmd.Stderr = s.printed, s.printed
	s.cmd.ExtraFiles = []*os.File{inR, outW, shared, code}
	if err := s.cmd.Start(); err != nil {
		return fmt.Errorf("start a process for the submission: %w", err)
	}
	return nil
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
	// A frame fits into an empty pipe. A submission that is a process of the same user
	// can open the pipe's other end, and fill it.
	if err := s.to.SetWriteDeadline(time.Now().Add(standTime)); err != nil {
		return err
	}
	switch err := f.Write(s.to); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return s.bury(filled)
	case err != nil:
		return s.bury(s.ended(err))
	}
	return nil
}

// filled is what a submission did that wrote in the grader's or the harness's name.
var filled = Cheat{"wrote to the pipe between the harness's two processes"}

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
		return f, s.bury(filled)
	case f.Op == wire.OpError && f.A == 1:
		return f, refusal{errors.New(clip(clean(string(f.Text))))}
	case f.Op == wire.OpError:
		return f, errors.New(clip(clean(string(f.Text))))
	}
	return f, nil
}

// overtime is the error of work that was not done in time.
type overtime struct{ limit time.Duration }

func (o overtime) Error() string { return fmt.Sprintf("still running after %v: time limit", o.limit) }

// harness is an error that says nothing of the submission.
type harness struct{ error }

func (h harness) Unwrap() error { return h.error }

// standTime bounds how long a process may take to stand still, because threads
// inside some calls of the kernel do not, and how long to make room for a frame.
const standTime = 2 * time.Second

// freeze stops all threads of the child and waits until they stand still.
func (s *session) freeze() error {
	if s.dead != nil || s.stopped {
		return s.dead
	}
	pid := s.cmd.Process.Pid
	// With it stop those that it has started, which cannot leave its group.
	if err := unix.Kill(-pid, unix.SIGSTOP); err != nil {
		return s.bury(s.ended(err))
	}
	// It is not reaped before kill, so that the number stays its own.
	end := time.AfterFunc(standTime, func() { _ = unix.Kill(pid, unix.SIGKILL) })
	var i unix.Siginfo
	if err := s.waitid(&i, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT); err != nil {
		return s.bury(fmt.Errorf("wait for the submission to stop: %w", err))
	}
	if !end.Stop() {
		s.kill(0)
		return s.bury(Cheat{fmt.Sprintf("could not be stopped within %v", standTime)})
	}
	if i.Code != cldStopped && i.Code != cldTrapped {
		return s.bury(s.ended(nil))
	}
	s.stopped = true
	// Take the notice, and those of earlier continuations.
	_ = s.woken(&i)
	return nil
}

// stayed reports a child that something woke while it had to stand still, even
// if it stopped itself again.
func (s *session) stayed() error {
	var i unix.Siginfo
	if s.woken(&i) {
		return s.bury(Cheat{"continued by itself after the clock had stopped"})
	}
	return nil
}

// woken takes a notice of a stop or a continuation, if there is one.
func (s *session) woken(i *unix.Siginfo) bool {
	err := s.waitid(i, unix.WSTOPPED|unix.WCONTINUED|unix.WNOHANG)
	return err == nil && (i.Code == cldContinued || i.Code == cldStopped || i.Code == cldTrapped)
}

func (s *session) thaw() error {
	if s.dead != nil || !s.stopped {
		return s.dead
	}
	s.stopped = false
	return unix.Kill(-s.cmd.Process.Pid, unix.SIGCONT)
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
		if s.group != nil && s.group.OutOfMemory() {
			return errors.New("crashed: took more memory than its control group may have")
		}
		return fmt.Errorf("crashed: signal %v", sig)
	}
	p := strings.TrimSpace(s.printed.String())
	switch st.ExitCode() {
	case 2: // the Go runtime caught the signal
		if sig := crash().FindString(p); sig != "" {
			return fmt.Errorf("crashed: %s", sig)
		}
	}
	return fmt.Errorf("called exit(%d) instead of sorting", st.ExitCode())
}

// crash finds the signal in what the Go runtime prints of a crash.
var crash = lazy.Regexp(`\bSIG[A-Z]+\b`)

func (s *session) bury(err error) error {
	if s.dead == nil {
		s.dead = err
	}
	return err
}

// kill ends the child and all that it started, after a grace in which it may
// end by itself, and waits.
func (s *session) kill(grace time.Duration) {
	if s.cmd == nil || s.cmd.Process == nil || s.cmd.ProcessState != nil {
		return
	}
	pid := s.cmd.Process.Pid
	end := func() { _ = unix.Kill(-pid, unix.SIGKILL); _ = unix.Kill(pid, unix.SIGKILL) }
	t := time.AfterFunc(grace, end)
	if grace == 0 {
		end()
	}
	// The error repeats the state, which is looked at.
	_ = s.cmd.Wait()
	if t.Stop() {
		_ = unix.Kill(-pid, unix.SIGKILL)
	}
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
	s.confined.close()
}

func nonce() (n [16]byte) {
	// crypto/rand.Read never fails.
	_, _ = rand.Read(n[:])
	return n
}

// note keeps what was printed last, and the most memory that a submission took.
func (g *grader) note(s *session, j wire.Job) {
	if s.group != nil && !g.trusted(j) {
		if peak, known := s.group.Peak(); known {
			g.rep.PeakMemory = max(g.rep.PeakMemory, peak)
		}
	}
	if t := s.printed.String(); t != "" {
		g.rep.Printed = t
	}
}
