package format

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/key"
)

// TestLengthChanges has a writer at work on the file that is read.
func TestLengthChanges(t *testing.T) {
	for _, kind := range []Kind{Raw, Text, NPY} {
		for change, by := range map[string]int64{"grows": 4, "shrinks": -4} {
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
				it := KeyItem(key.U32)
				s, err := Open(ctx, file, Spec{Kind: kind, Item: &it})
				if err != nil {
					t.Fatal(err)
				}
				return s
			}
			resize := func() {
				st, err := os.Stat(file)
				if err == nil {
					err = os.Truncate(file, st.Size()+by)
				}
				if err != nil {
					t.Error(err)
				}
			}
			want := "bytes while it was read: wait until it is complete"
			s := open()
			resize()
			if _, err := s.Load(ctx, nil); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), s.Name) {
				t.Errorf("%v %s before it is read: error %v", kind, change, err)
			}
			s.Close()
			if s = open(); kind != Text {
				done := false
				_, err := s.Load(ctx, func(int64) {
					if !done {
						resize()
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
			resize()
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
