package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"github.com/gpusort/gpusort/cmd/internal/packed"
)

// TestPackedPipe: what a pipe brings byte by byte is known, too, and so is text that
// begins as if it were packed.
func TestPackedPipe(t *testing.T) {
	var b bytes.Buffer
	w, _ := packed.NewWriter(packed.Gzip, &b)
	w.Write([]byte("b\na\n"))
	w.Close()
	for in, want := range map[string]string{b.String(): "a\nb\n", "BZ\nA": "A\nBZ\n", "B": "B\n", "": "", "\x1f\x8b\nA": "\x1f\x8b\nA\n"} {
		var out, stderr bytes.Buffer
		a := &app{in: iotest.OneByteReader(strings.NewReader(in)), out: &out, err: &stderr}
		if code := a.run(context.Background(), []string{"sort"}); code != 0 || out.String() != want {
			t.Errorf("%q: %q, exit code %d, %s", in, out.String(), code, stderr.String())
		}
	}
}

// TestPackedWindow: a window that the budget does not count is told.
func TestPackedWindow(t *testing.T) {
	for window, want := range map[int]string{8 << 20: "", 32 << 20: "sort: unpacking standard input takes a window of 32.0 MiB, on top of the memory of -S: it was packed by zstd for that\n"} {
		var b bytes.Buffer
		w, _ := zstd.NewWriter(&b, zstd.WithWindowSize(window))
		w.Write(bytes.Repeat([]byte("line\n"), 1<<20))
		w.Close()
		if out, stderr, code := sortLines(b.Bytes()); code != 0 || len(out) != 5<<20 || stderr != want {
			t.Errorf("%d: %d bytes, exit code %d, %q", window, len(out), code, stderr)
		}
	}
}
