//go:build linux

package mem

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mapText maps a file of so many random bytes from a byte on.
func mapText(t *testing.T, n, from int) (*os.File, []byte, *Mapped) {
	t.Helper()
	text := make([]byte, n)
	for i := range text {
		text[i] = byte(rand.Uint32())
	}
	name := filepath.Join(t.TempDir(), "file")
	os.WriteFile(name, text, 0o666)
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	m, err := MapFile(f, int64(from), int64(n))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Release)
	return f, text, m
}

func TestMapped(t *testing.T) {
	page := os.Getpagesize()
	for _, c := range []struct{ n, from int }{{1, 0}, {100, 7}, {page, 0}, {page, page - 1}, {page + 1, page}, {10*page + 3, page + 5}, {6 << 20, 12345}} {
		f, text, m := mapText(t, c.n, c.from)
		if !bytes.Equal(m.Text, text[c.from:]) {
			t.Fatalf("%+v: another text", c)
		}
		room := (page - c.n%page) % page
		if cap(m.Text)-len(m.Text) != room {
			t.Errorf("%+v: room for %d bytes, want %d", c, cap(m.Text)-len(m.Text), room)
		}
		whole := m.Text
		if room > 0 {
			whole = append(m.Text, '!')
		}
		m.Drop()
		if !bytes.Equal(m.Text, text[c.from:]) || room > 0 && (whole[len(whole)-1] != '!' || &whole[0] != &m.Text[0]) {
			t.Errorf("%+v: another text once the pages were given back", c)
		}
		for lo := 0; lo < len(m.Text); {
			hi := min(lo+1+rand.IntN(1<<20), len(m.Text))
			if err := m.Load(lo, hi); err != nil {
				t.Errorf("%+v: [%d, %d): %v", c, lo, hi, err)
			}
			lo = hi
		}
		if err := m.Taken(); err != nil {
			t.Error(err)
		}
		if at, _ := f.Seek(0, io.SeekCurrent); at != int64(c.n) {
			t.Errorf("%+v: the file is at %d", c, at)
		}
		if now, _ := os.ReadFile(f.Name()); !bytes.Equal(now, text) {
			t.Errorf("%+v: the file was written", c)
		}
	}
}

// TestShorter: memory of a file that another program makes shorter is an error, no crash.
func TestShorter(t *testing.T) {
	f, _, m := mapText(t, 1<<20, 0)
	if err := f.Truncate(1 << 19); err != nil {
		t.Fatal(err)
	}
	sum := 0
	read := func() error {
		for i := range m.Text {
			sum += int(m.Text[i])
		}
		return nil
	}
	for what, err := range map[string]error{"reading": m.Guard(read), "copying": m.Guard(func() error { bytes.Clone(m.Text); return nil }), "loading": m.Load(1<<19-5, 1<<20)} {
		if err == nil || !strings.Contains(err.Error(), f.Name()+" became shorter") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := m.Guard(func() error { return io.EOF }); err != io.EOF {
		t.Errorf("an error became %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a panic of another kind was lost")
		}
	}()
	_ = m.Guard(func() error { panic("another") })
}

func TestNotMapped(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := MapFile(r, 0, 100); err == nil {
		t.Error("a pipe was mapped")
	}
}
