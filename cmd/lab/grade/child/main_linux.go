//go:build amd64 || arm64

package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/grade/sandbox"
	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
)

// Main serves one submission, or compiles one, and returns the exit code. The
// sandbox starts the program anew first.
func Main() int {
	fail := func(err error) int {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	if err := sandbox.Enter(); err != nil {
		return fail(err)
	}
	rest := os.Args[slices.Index(os.Args, Command)+1:]
	switch {
	case len(rest) > 0 && rest[0] == sandbox.ProbeCommand:
		if err := sandbox.Answer(); err != nil {
			return fail(err)
		}
		return 0
	case len(rest) > 0 && rest[0] == CompileCommand:
		return compile(rest[1:])
	}
	out := os.NewFile(wire.FDOut, "to the grader")
	in := os.NewFile(wire.FDIn, "from the grader")
	// CUDA's context belongs to a thread.
	runtime.LockOSThread()
	if err := serve(in, out); err != nil {
		return fail(err)
	}
	return 0
}

// work is one prepared sort.
type work interface {
	info() wire.Info
	load() error
	// sort reports whether the result lies in the alternate buffers.
	sort() (alternate bool, err error)
	fetch(alternate bool) error
}

// server is what a child has done so far.
type server struct {
	j         wire.Job
	m         shared
	dev       *device
	w         work
	alternate bool // of the last sort
}

func serve(in, out *os.File) error {
	var s server
	for {
		f, err := wire.Read(in)
		if err != nil {
			return nil // the grader is done
		}
		answer := wire.Frame{Op: f.Op, Nonce: f.Nonce}
		switch {
		case f.Op == wire.OpOpen && s.m.mem == nil:
			err = s.open(f.Text)
		case f.Op == wire.OpPrepare && s.w == nil && s.m.mem != nil:
			answer.Text, err = s.prepare()
		case s.w == nil:
			err = fmt.Errorf("no job")
		case f.Op == wire.OpLoad:
			err = s.w.load()
		case f.Op == wire.OpSort:
			err = s.sort(&answer)
		case f.Op == wire.OpFetch:
			err = s.w.fetch(s.alternate)
		default:
			err = fmt.Errorf("frame %d is unknown", f.Op)
		}
		if err != nil {
			answer = wire.Frame{Op: wire.OpError, Nonce: f.Nonce, Text: []byte(err.Error())}
			if errors.As(err, &unloadable{}) {
				answer.A = 1
			}
		}
		if err := answer.Write(out); err != nil {
			return err
		}
	}
}

// unloadable is code that cannot be loaded, for whatever n.
type unloadable struct{ error }

func (u unloadable) Unwrap() error { return u.error }

// open does all that must be done before code of a submission is loaded:
// drivers start helpers, which what follows forbids.
func (s *server) open(text []byte) error {
	err := json.Unmarshal(text, &s.j)
	if err != nil {
		return err
	}
	if s.m, err = mapShared(s.j); err != nil {
		return err
	}
	if s.j.Device != "cpu" {
		if s.dev, err = openDevice(s.j, s.m); err != nil {
			return err
		}
	}
	if s.j.Confine {
		// Only a library is code that could start something. OpenCL compilers on
		// the processor start a linker.
		return sandbox.Filter(sandbox.Calls{Start: s.j.Device != "cpu" && s.j.Kind != "so", GPU: s.j.GPU})
	}
	return nil
}

func (s *server) prepare() (text []byte, err error) {
	if s.w, err = newWork(s.j, s.m, s.dev); err != nil {
		return nil, err
	}
	return json.Marshal(s.w.info())
}

func (s *server) sort(answer *wire.Frame) (err error) {
	if s.j.Whole {
		if err := s.w.load(); err != nil {
			return err
		}
	}
	if s.alternate, err = s.w.sort(); err != nil {
		return err
	}
	if s.alternate {
		answer.A = 1
	}
	if s.j.Whole {
		return s.w.fetch(s.alternate)
	}
	return nil
}
