package perfstat

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Session is a perf process attached to this one, which counts between Resume
// and Pause. Threads that exist at Start and those that they start are counted.
type Session struct {
	cmd      *exec.Cmd
	dir      string
	ctl, ack *os.File
	stderr   bytes.Buffer
	done     chan struct{} // closed when perf has ended
}

// answerTime bounds the wait for perf: attaching takes some milliseconds.
const answerTime = 10 * time.Second

// Start attaches perf, paused. The error says what is missing and what to
// install or allow. The caller calls Stop.
func Start() (*Session, error) {
	path, err := exec.LookPath("perf")
	if err != nil {
		return nil, errors.New("no perf on the PATH: install linux-perf to see cycles, instructions and misses")
	}
	s := &Session{done: make(chan struct{})}
	if s.dir, err = os.MkdirTemp("", "gpusort-perf-"); err != nil {
		return nil, err
	}
	for _, x := range []struct {
		name string
		f    **os.File
	}{{"ctl", &s.ctl}, {"ack", &s.ack}} {
		p := filepath.Join(s.dir, x.name)
		if err = syscall.Mkfifo(p, 0o600); err == nil {
			// Reading and writing: the open does not wait for the other side.
			*x.f, err = os.OpenFile(p, os.O_RDWR|syscall.O_NONBLOCK, 0)
		}
		if err != nil {
			s.cleanUp()
			return nil, fmt.Errorf("pipe to perf: %w", err)
		}
	}
	s.cmd = exec.Command(path, "stat", "-x,", "-e", strings.Join(Events, ","), "-p", fmt.Sprint(os.Getpid()), "-D", "-1",
		"--control", "fifo:"+s.ctl.Name()+","+s.ack.Name(), "-o", s.out())
	s.cmd.Stderr = &s.stderr
	s.cmd.Env = append(os.Environ(), "LC_ALL=C")
	if err := s.cmd.Start(); err != nil {
		s.cleanUp()
		return nil, fmt.Errorf("perf: %w", err)
	}
	go func() {
		// How it ended does not matter: its output tells.
		_ = s.cmd.Wait()
		close(s.done)
	}()
	if err := s.Pause(); err != nil { // answered once it has attached
		_, _ = s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *Session) out() string { return filepath.Join(s.dir, "out") }

// Resume starts counting; it returns when counting has begun.
func (s *Session) Resume() error { return s.say("enable") }

// Pause stops counting; it returns when counting has ended.
func (s *Session) Pause() error { return s.say("disable") }

func (s *Session) say(command string) error {
	if _, err := s.ctl.WriteString(command + "\n"); err != nil {
		return fmt.Errorf("perf: %w", err)
	}
	if err := s.ack.SetReadDeadline(time.Now().Add(answerTime)); err != nil {
		return fmt.Errorf("perf: %w", err)
	}
	answered := make(chan error, 1)
	go func() {
		var got []byte
		one := make([]byte, 16)
		for !bytes.Contains(got, []byte("ack\n")) {
			n, err := s.ack.Read(one)
			if err != nil {
				answered <- fmt.Errorf("perf does not answer to %q: %w", command, err)
				return
			}
			got = append(got, one[:n]...)
		}
		answered <- nil
	}()
	select {
	case err := <-answered:
		return err
	case <-s.done:
		// Wakes the reader, which then ends.
		_ = s.ack.SetReadDeadline(time.Now())
		<-answered
		return fmt.Errorf("perf ended: %s", firstLine(s.stderr.String()))
	}
}

func firstLine(text string) string {
	for _, l := range strings.Split(text, "\n") {
		if l = strings.TrimSpace(l); l != "" && l != "Error:" {
			return l
		}
	}
	return "without a word"
}

// Stop ends perf and returns what it counted.
func (s *Session) Stop() ([]Count, error) {
	defer s.cleanUp()
	select {
	case <-s.done:
	default:
		if err := s.cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return nil, fmt.Errorf("stop perf: %w", err)
		}
	}
	select {
	case <-s.done:
	case <-time.After(answerTime):
		_ = s.cmd.Process.Kill()
		<-s.done
		return nil, errors.New("perf did not stop in time")
	}
	text, err := os.ReadFile(s.out())
	if err != nil {
		return nil, fmt.Errorf("perf wrote nothing: %s", firstLine(s.stderr.String()))
	}
	return parse(string(text))
}

func (s *Session) cleanUp() {
	for _, f := range []*os.File{s.ctl, s.ack} {
		if f != nil {
			_ = f.Close()
		}
	}
	_ = os.RemoveAll(s.dir)
}
