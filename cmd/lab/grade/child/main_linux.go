//go:build amd64 || arm64

package child

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
)

// Command is the hidden argument that makes a binary call Main.
const Command = "grade-child"

// stageEnv marks the second stage, after the restriction of files.
const stageEnv = "GPUSORT_GRADE_STAGE"

// Main serves one submission and returns the exit code. The first stage gives
// up the file system, which counts for processes started from there on, and
// starts the program anew.
func Main() int {
	if os.Getenv(stageEnv) == "" {
		if err := restrictAndRestart(); err != nil {
			fmt.Fprintln(os.Stderr, "gpusort:", err)
			return 3
		}
	}
	if i := slices.Index(os.Args, CompileCommand); i > 0 && len(os.Args) > i+2 {
		return compileNVRTC(os.Args[i+1:])
	}
	out := os.NewFile(wire.FDOut, "to the grader")
	in := os.NewFile(wire.FDIn, "from the grader")
	// CUDA's context belongs to a thread.
	runtime.LockOSThread()
	if err := serve(in, out); err != nil {
		fmt.Fprintln(os.Stderr, "gpusort:", err)
		return 3
	}
	return 0
}

// work is one prepared sort.
type work interface {
	info() wire.Info
	load() error
	// sort returns device nanoseconds, if a device measured them, and whether the
	// result lies in the alternate buffer.
	sort() (ns int64, alternate bool, err error)
	fetch() error
}

func serve(in, out *os.File) error {
	var w work
	for {
		f, err := wire.Read(in)
		if err != nil {
			return nil // the grader is done
		}
		answer := wire.Frame{Op: f.Op, Nonce: f.Nonce}
		switch {
		case f.Op == wire.OpOpen && w == nil:
			w, answer.Text, err = open(f.Text)
		case w == nil:
			err = fmt.Errorf("no job")
		case f.Op == wire.OpLoad:
			err = w.load()
		case f.Op == wire.OpSort:
			err = timedSort(w, &answer)
		case f.Op == wire.OpFetch:
			err = w.fetch()
		default:
			err = fmt.Errorf("frame %d is unknown", f.Op)
		}
		if err != nil {
			answer = wire.Frame{Op: wire.OpError, Nonce: f.Nonce, Text: []byte(err.Error())}
			switch {
			case errors.As(err, &unloadable{}):
				answer.A = 1
			case errors.As(err, &unable{}):
				answer.A = 2
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

// unable is a failure that is not the submission's: no device, no confinement.
type unable struct{ error }

func (u unable) Unwrap() error { return u.error }

func timedSort(w work, answer *wire.Frame) error {
	ns, alternate, err := w.sort()
	if err != nil {
		return err
	}
	answer.A = uint64(max(ns, 0))
	if alternate {
		answer.B = 1
	}
	if !clock.sound() {
		answer.C = 1
	}
	return nil
}

func open(text []byte) (work, []byte, error) {
	var j wire.Job
	if err := json.Unmarshal(text, &j); err != nil {
		return nil, nil, err
	}
	clock = newClocks()
	m, err := mapShared(j)
	if err != nil {
		return nil, nil, unable{err}
	}
	w, err := newWork(j, m)
	if err != nil {
		return nil, nil, err
	}
	b, err := json.Marshal(w.info())
	return w, b, err
}
