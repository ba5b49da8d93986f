package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestFallbackIsTold: leaving a device is said without being asked.
func TestFallbackIsTold(t *testing.T) {
	var out, err bytes.Buffer
	s := &sortCmd{app: &app{out: &out, err: &err}, output: "x", json: true}
	if e := s.report(report{Fallback: "cuda:0: out of device memory"}); e != nil {
		t.Fatal(e)
	}
	if !strings.Contains(err.String(), "sorted on the CPU instead: cuda:0: out of device memory") {
		t.Errorf("%q", err.String())
	}
	var r report
	if json.Unmarshal(out.Bytes(), &r) != nil || r.Fallback == "" {
		t.Errorf("%q", out.String())
	}
}

// TestRaisedLimitIsTold: that a sort took more than -S is said with -v.
func TestRaisedLimitIsTold(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var out, err bytes.Buffer
		s := &sortCmd{app: &app{out: &out, err: &err}, output: "x", verbose: verbose}
		s.memory = 1 << 10
		if e := s.report(report{raised: 3 << 20}); e != nil {
			t.Fatal(e)
		}
		if strings.Contains(err.String(), "-S 1.00 KiB is raised to 3.00 MiB, the least that works") != verbose {
			t.Errorf("%q", err.String())
		}
	}
}

// TestProgress draws phases of known and unknown length, finished and not, and
// ends.
func TestProgress(t *testing.T) {
	var w bytes.Buffer
	p := &progress{w: &w, timer: time.AfterFunc(time.Hour, func() {})}
	early := p.phase("early", 100)
	early(50)
	p.show()
	early(50)
	p.phase("unknown", 0)(7)
	late := p.phase("late", 10)
	early(1) // a straggler of a phase that is over
	late(5)
	p.close()
	p.close()
	late(5)

	quiet := (&app{err: &w}).newProgress()
	n := w.Len()
	quiet.phase("x", 1)(1)
	quiet.close()
	if w.Len() != n {
		t.Error("a bar where there is no terminal")
	}
}

// TestNoBarInData: data that appear on a terminal have no bar among them.
func TestNoBarInData(t *testing.T) {
	var w bytes.Buffer
	a := &app{outTerm: true}
	p := &progress{w: &w, timer: time.AfterFunc(time.Hour, func() {})}
	p.phase("sorting", 0)
	a.writing(p, &sink{Writer: &w}, 100)(50)
	p.phase("writing", 100)(50) // of the values, to a file
	p.show()
	if p.bars != nil {
		t.Error("a bar is drawn")
	}
	p.close()
}

// TestDemoInterrupted: an interrupt does not wait until all keys are made.
func TestDemoInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(interrupted{syscall.SIGINT})
	var stdout, stderr bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &stdout, err: &stderr}
	if code := a.run(ctx, []string{"demo", "--n", "1000", "--device", "cpu"}); code != 130 || stdout.Len() > 0 {
		t.Errorf("exit code %d, %q", code, stdout.String())
	}
}
