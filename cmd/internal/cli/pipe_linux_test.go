package cli

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/gpusort/gpusort/internal/check/absent"
)

// TestWidenPipe: a pipe holds more, with what it held, and a file is left alone.
func TestWidenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString("before"); err != nil {
		t.Fatal(err)
	}
	widenPipe(r)
	if n, err := unix.FcntlInt(w.Fd(), unix.F_GETPIPE_SZ, 0); err != nil || n != pipeBytes {
		absent.Skip(t, "pipe of 1 MiB", "the system refuses: %d, %v", n, err)
	}
	if _, err := w.Write(make([]byte, pipeBytes/2)); err != nil { // which would wait for ever
		t.Fatal(err)
	}
	b := make([]byte, 6)
	if _, err := r.Read(b); err != nil || string(b) != "before" {
		t.Errorf("%q, %v", b, err)
	}
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	widenPipe(f)
}
