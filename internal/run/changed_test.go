package run

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// writing is a file that is written once the first bytes of it are read. It is old before, so
// that no tick of a clock hides the change.
func writing(t *testing.T, text string, change func(name string)) Input {
	t.Helper()
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	past := time.Now().Add(-time.Hour)
	os.Chtimes(name, past, past)
	return func() (io.ReadCloser, error) {
		f, err := os.Open(name)
		return &begun{File: FileInput(f, false), then: func() { change(name) }}, err
	}
}

// begun calls a function once it was read from.
type begun struct {
	File
	once sync.Once
	then func()
}

func (b *begun) Read(to []byte) (int, error) {
	n, err := b.File.Read(to)
	b.once.Do(b.then)
	return n, err
}

// TestChangedFile: a file that is written while it is read is an error, whatever else is read,
// and whether its rows are copied or lie in it until they are written.
func TestChangedFile(t *testing.T) {
	text := someLines(rand.New(rand.NewPCG(3, 9)), 60_000)
	overwrite := func(name string) {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		f.WriteAt([]byte("7"), 5)
	}
	for what, change := range map[string]func(string){"written": overwrite, "changed from": func(name string) { os.Truncate(name, 9000) }} {
		for name, spec := range orders(t) {
			o := optionsOf(spec)
			o.Temp = []string{t.TempDir()}
			sorted := expected(o, text)
			fails := func(how string, err error) {
				t.Helper()
				if err == nil || !strings.Contains(err.Error(), "input: "+what) || !strings.Contains(err.Error(), "take a copy") {
					t.Errorf("%s, %s: %v", how, name, err)
				}
			}
			_, err := Sort(t.Context(), o, []Input{writing(t, text, change), input(text)}, -1, io.Discard)
			fails("sort", err)
			_, err = Merge(t.Context(), o, [][]Input{{writing(t, sorted, change)}, {input(sorted)}}, io.Discard)
			fails("merge", err)
			_, _, err = Check(t.Context(), o, writing(t, sorted, change))
			if !o.Unique && what == "written" { // else a row is out of order first
				fails("check", err)
			}
		}
	}
}

// TestGrownFile: a file may become longer while it is read, as a log does.
func TestGrownFile(t *testing.T) {
	text := someLines(rand.New(rand.NewPCG(3, 9)), 60_000)
	for name, spec := range orders(t) {
		o := optionsOf(spec)
		grown := writing(t, text, func(name string) {
			f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			f.WriteString("more\n")
		})
		var out strings.Builder
		if _, err := Sort(t.Context(), o, []Input{grown}, -1, &out); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := out.String(); got != expected(o, text) && got != expected(o, text+"more\n") {
			t.Errorf("%s: the output is neither of what was there at first nor at last", name)
		}
	}
}

// TestRewrittenFile writes to files in which rows lie, after they were read.
func TestRewrittenFile(t *testing.T) {
	text := someLines(rand.New(rand.NewPCG(3, 9)), 60_000)
	for name, spec := range orders(t) {
		for _, when := range []string{"sorting", "writing", "spilling", "merging"} {
			in, file, mapped := fileOf(t, "", text)
			past := time.Now().Add(-time.Hour)
			os.Chtimes(file, past, past)
			o := optionsOf(spec)
			o.Temp = []string{t.TempDir()}
			if when == "spilling" || when == "merging" {
				o.room = 1 << 19
			}
			o.Phase = func(phase string, _ int64) func(int64) {
				if phase == when {
					os.Chtimes(file, time.Time{}, time.Now())
				}
				return func(int64) {}
			}
			_, err := Sort(t.Context(), o, []Input{in}, -1, io.Discard)
			if *mapped && (err == nil || !strings.Contains(err.Error(), file+": written while it was read")) {
				t.Errorf("%s, %s: %v", name, when, err)
			}
		}
	}
}
