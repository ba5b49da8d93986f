package format

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
)

// TestFileChanges has a writer at work on the file that is read.
func TestFileChanges(t *testing.T) {
	for _, kind := range []Kind{Raw, Text, NPY} {
		for change, by := range map[string]int64{"grows": 4, "shrinks": -4, "stays as long": 0} {
			file := filepath.Join(t.TempDir(), "x")
			open := func() *Source {
				f, err := os.Create(file)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if err := Encode(ctx, f, kind, filled(key.U32, 1000, "uniform"), nil); err != nil {
					t.Fatal(err)
				}
				past := time.Now().Add(-time.Hour)
				os.Chtimes(file, past, past)
				it := KeyItem(key.U32)
				s, err := Open(ctx, file, Spec{Kind: kind, Item: &it})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			write := func() {
				st, err := os.Stat(file)
				if err == nil && by != 0 {
					err = os.Truncate(file, st.Size()+by)
				} else if err == nil {
					err = os.Chtimes(file, time.Time{}, time.Now())
				}
				if err != nil {
					t.Error(err)
				}
			}
			want := " while it was read: wait until it is complete"
			s := open()
			write()
			if _, err := s.Load(ctx, nil); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), s.Name) {
				t.Errorf("%v %s before it is read: error %v", kind, change, err)
			}
			s.Close()
			if s = open(); kind != Text {
				done := false
				_, err := s.Load(ctx, func(int64) {
					if !done {
						write()
					}
					done = true
				})
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%v %s while it is read: error %v", kind, change, err)
				}
			}
			s.Close()
			s = open()
			r := s.Reader()
			io.ReadFull(r, make([]byte, 100))
			write()
			if _, err := io.Copy(io.Discard, r); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v %s as a stream: error %v", kind, change, err)
			}
			s.Close()
		}
	}
}

// TestProc: files of /proc say that they are empty, and are not.
func TestProc(t *testing.T) {
	const name = "/proc/sys/kernel/pid_max"
	if _, err := os.Stat(name); err != nil {
		absent.Skip(t, "/proc", "%v", err)
	}
	it := KeyItem(key.U64)
	s, err := Open(ctx, name, Spec{Item: &it})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if col, err := s.Load(ctx, nil); err != nil || col.Len() != 1 {
		t.Errorf("%v, %v", col, err)
	}
}

// TestStreamOfForeign: what is wrong with a length is said of a stream by what it begins with,
// whatever is read at a time.
func TestStreamOfForeign(t *testing.T) {
	data := append([]byte("%PDF-1.7\n"), make([]byte, 3*headBytes)...)
	it := KeyItem(key.U32)
	for _, n := range []int{1, 100, headBytes, headBytes + 1, 4 * headBytes} {
		s, err := Open(ctx, "-", Spec{Kind: Raw, Item: &it, Stdin: bytes.NewReader(data)})
		if err != nil {
			t.Fatal(err)
		}
		r, buf := s.Stream(ctx), make([]byte, n)
		for err == nil {
			_, err = r.Read(buf)
		}
		if !strings.Contains(err.Error(), "this is PDF data") {
			t.Errorf("%d bytes at a time: %v", n, err)
		}
	}
}
