package run

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/gpusort/gpusort/internal/check/absent"
	"github.com/gpusort/gpusort/internal/check/soak"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// watched is a file that says whether it was mapped.
type watched struct {
	File
	mapped *bool
}

func (w watched) Map(before int) (*mem.Mapped, error) {
	m, err := w.File.Map(before)
	*w.mapped = err == nil
	return m, err
}

// smallFile is the input of a file that may be mapped, whatever its size.
func smallFile(f *os.File) File {
	in := FileInput(f, false)
	in.least = 1
	return in
}

// fileOf is an input that is a file, of any size, behind a heading.
func fileOf(t *testing.T, heading, text string) (in Input, name string, mapped *bool) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, []byte(heading+text), 0o666); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(name); err == nil {
		m, err := mem.MapFile(f, 0, int64(len(heading)+len(text)))
		if err != nil {
			absent.Skip(t, "mmap", "%v", err)
		}
		m.Release()
		f.Close()
	}
	mapped = new(bool)
	in = func() (io.ReadCloser, error) {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		if _, err := io.CopyN(io.Discard, f, int64(len(heading))); err != nil {
			return nil, err
		}
		return watched{smallFile(f), mapped}, nil
	}
	return in, name, mapped
}

// TestMappedFile sorts files whose rows stay in them, in memory and in runs, beside the order by
// comparing.
func TestMappedFile(t *testing.T) {
	r, take := soak.Rand(t), soak.Share(t, 2, 1)
	for name, spec := range orders(t) {
		for _, room := range []uint64{0, 1 << 19, 1 << 16} {
			if !take() {
				continue
			}
			text := someLines(r, 5000+r.IntN(10000))
			if r.IntN(2) == 0 {
				text = strings.TrimSuffix(text, "\n") + "y" // the last line lacks its end
			}
			plain := r.IntN(4) == 0
			if plain { // numbers alone
				text = strings.NewReplacer("a", "1", "b", "2", "c", "30", "d", "4", "x", "7", "y", "8", " ", "").Replace(text)
				text = regexp.MustCompile("([0-9]{9})[0-9]*").ReplaceAllString(text, "$1")
			}
			heading := strings.Repeat("h", r.IntN(2)*r.IntN(9000)) + "\n"
			in, _, mapped := fileOf(t, heading, text)
			if r.IntN(2) == 0 { // some of it was looked at
				var err error
				if _, in, err = Peek(in, 1+r.IntN(6000)); err != nil {
					t.Fatal(err)
				}
			}
			o := optionsOf(spec)
			o.room, o.Temp = room, []string{t.TempDir()}
			var out bytes.Buffer
			st, err := Sort(t.Context(), o, []Input{in}, -1, &out)
			want := strings.TrimSuffix(text, "\n") + "\n"
			if err != nil || out.String() != expected(o, want) {
				t.Errorf("%s, room %d: %v; %d bytes, want %d", name, room, err, out.Len(), len(want))
			}
			if st.Rows != int64(strings.Count(want, "\n")) || st.Bytes != int64(len(text)) {
				t.Errorf("%s, room %d: %+v", name, room, st)
			}
			// A file is read if its last page has no room for the end of a row.
			numbers := plain && strings.HasPrefix(name, "numbers")
			over := (len(heading) + len(text)) % os.Getpagesize()
			spare := over > 0 && over <= os.Getpagesize()-mostEnd
			if *mapped != !o.Unique && spare && !numbers {
				t.Errorf("%s, room %d: mapped: %v", name, room, *mapped)
			}
		}
	}
}

// TestMappedLongRows is TestLongRows of a file.
func TestMappedLongRows(t *testing.T) {
	var b strings.Builder
	for i, n := range []int{5, 3 * blockBytes, 0, blockBytes - 1, blockBytes, 2, 5 * blockBytes, 1} {
		fmt.Fprintf(&b, "%d %s\n", 9-i, strings.Repeat("y", n))
	}
	for name, spec := range orders(t) {
		in, _, _ := fileOf(t, "", b.String())
		o := optionsOf(spec)
		o.room, o.Temp = 1<<16, []string{t.TempDir()}
		var out bytes.Buffer
		if _, err := Sort(t.Context(), o, []Input{in}, -1, &out); err != nil || out.String() != expected(o, b.String()) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestShorterFile makes files shorter while they are sorted: that is an error, and no crash.
func TestShorterFile(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	text := someLines(r, 60_000)
	for name, spec := range orders(t) {
		if spec.Unique {
			continue
		}
		for _, when := range []string{"reading", "parsing", "sorting", "writing", "spilling"} {
			in, file, mapped := fileOf(t, "", text)
			var once sync.Once
			cut := func() { once.Do(func() { os.Truncate(file, 10) }) }
			o := optionsOf(spec)
			o.Temp = []string{t.TempDir()}
			if when == "spilling" {
				o.room = 1 << 19
			}
			o.Phase = func(phase string, _ int64) func(int64) {
				if phase == when && phase != "reading" {
					cut()
				}
				return func(int64) {
					if phase == "reading" && when == "reading" {
						cut()
					}
				}
			}
			if when == "parsing" {
				o.Format = &cutting{o.Format, cut}
			}
			var out bytes.Buffer
			_, err := Sort(context.Background(), o, []Input{in}, -1, &out)
			if !*mapped || err == nil || !strings.Contains(err.Error(), file+" became shorter") {
				t.Errorf("%s, %s: mapped %v, %v", name, when, *mapped, err)
			}
		}
	}
}

// cutting does something before it splits the first rows.
type cutting struct {
	Format
	first func()
}

func (c *cutting) Split(b []byte, ends []uint32) []uint32 {
	c.first()
	return c.Format.Split(b, ends)
}

// TestChangingFile writes to files while they are sorted: the result may be anything, but it
// comes.
func TestChangingFile(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	text := someLines(r, 60_000)
	for name, spec := range orders(t) {
		for _, room := range []uint64{0, 1 << 18} {
			in, file, _ := fileOf(t, "", text)
			f, err := os.OpenFile(file, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			stop := make(chan struct{})
			var writer sync.WaitGroup
			writer.Go(func() {
				r := rand.New(rand.NewPCG(1, room))
				for what := []string{"\n", "\n\n\n\n\n\n\n\n", "0", "999 ", strings.Repeat("z", 3<<10), "7\n6\n"}; ; {
					select {
					case <-stop:
						return
					default:
						f.WriteAt([]byte(what[r.IntN(len(what))]), r.Int64N(int64(len(text))-4<<10))
					}
				}
			})
			o := optionsOf(spec)
			o.room, o.Temp = room, []string{t.TempDir()}
			if _, err := Sort(t.Context(), o, []Input{in}, -1, io.Discard); err != nil {
				t.Logf("%s, room %d: %v", name, room, err)
			}
			close(stop)
			writer.Wait()
			f.Close()
		}
	}
}
