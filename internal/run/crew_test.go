package run

import (
	"context"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/check/soak"
)

// ended does the work in a goroutine, and reports whether it returned, or what it panicked with.
func ended(t *testing.T, work func() error) (returned bool, value any, err error) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() { value = recover() }()
		err = work()
		returned = true
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		stacks := make([]byte, 1<<20)
		t.Fatalf("it hangs:\n%s", stacks[:runtime.Stack(stacks, true)])
	}
	return returned, value, err
}

// open is how many goroutines there are, and files that are open, where that is known.
func open() (goroutines, files int) {
	entries, _ := os.ReadDir("/proc/self/fd")
	return runtime.NumGoroutine(), len(entries)
}

// none fails the test unless as few goroutines and files are there as before.
func none(t *testing.T, goroutines, files int) {
	t.Helper()
	g, f := open()
	for range 1000 {
		if g <= goroutines && f <= files {
			return
		}
		time.Sleep(time.Millisecond)
		g, f = open()
	}
	stacks := make([]byte, 1<<20)
	t.Fatalf("%d goroutines and %d files, %d and %d before:\n%s", g, f, goroutines, files, stacks[:runtime.Stack(stacks, true)])
}

// apartFrom are callbacks that do not go with UniqueBy, and Observe not with Top.
var apartFrom = []string{"observer", "observe", "seen", "count"}

// TestFaults: a callback's panic, or runtime.Goexit, is the caller's, who gets the same value, and
// leaves nothing behind.
func TestFaults(t *testing.T) {
	text := someLines(rand.New(rand.NewPCG(9, 10)), 6000)
	name := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	sort := func(o Options, in []Input, w io.Writer) error {
		_, err := Sort(context.Background(), o, in, -1, w)
		return err
	}
	take := soak.Share(t, 4, 1)
	for how, c := range map[string]struct {
		order string
		set   func(*Options)
		work  func(Options, []Input, io.Writer) error
	}{
		"memory":  {"second -r", func(o *Options) {}, sort},
		"lines":   {"lines", func(o *Options) {}, sort},
		"numbers": {"numbers", func(o *Options) { o.room = 1 << 16 }, sort},
		"runs":    {"second -r", func(o *Options) { o.room = 1 << 17 }, sort},
		"passes":  {"numbers -s", func(o *Options) { o.room, o.FanIn = 1<<16, 2 }, sort},
		"top":     {"second -r", func(o *Options) { o.room, o.Top = 1<<16, 50 }, sort},
		"unique":  {"numbers -u", func(o *Options) { o.room = 1 << 16 }, sort},
		"mapped": {"second -r", func(o *Options) { o.room = 1 << 17 }, func(o Options, in []Input, w io.Writer) error {
			return sort(o, in[:1], w)
		}},
		"unique by": {"second -r", func(o *Options) { o.room, o.UniqueBy = 1<<17, o.Format.Encoder }, sort},
		"merge": {"second -r", func(o *Options) { o.FanIn = 2 }, func(o Options, in []Input, w io.Writer) error {
			_, err := Merge(context.Background(), o, [][]Input{in[:1], in[1:2], in[2:]}, w)
			return err
		}},
		"check": {"lines", func(o *Options) {}, func(o Options, in []Input, _ io.Writer) error {
			_, _, err := Check(context.Background(), o, input("a\n"+strings.Repeat("b\n", 20000)))
			if err != nil {
				return err
			}
			_, _, err = Check(context.Background(), o, in[0])
			return err
		}},
	} {
		for _, in := range callbacks {
			if apart := how == "top" || how == "unique by"; apart && slices.Contains(apartFrom, in) || !take() {
				continue
			}
			once := func(f *fault) (returned bool, value any, err error) {
				o := optionsOf(orders(t)[c.order])
				o.block, o.Temp = 4<<10, []string{t.TempDir()}
				c.set(&o)
				inputs := []Input{input(text[:20000]), input(text[20000:30000]), input(text[30000:])}
				if how == "mapped" {
					inputs[0] = func() (io.ReadCloser, error) {
						file, err := os.Open(name)
						return smallFile(file), err
					}
				}
				o, inputs, w := f.install(o, inputs, in)
				return ended(t, func() error { return c.work(o, inputs, w) })
			}
			count := &fault{}
			if returned, value, err := once(count); !returned || err != nil {
				t.Fatalf("%s, %s: %v, %v", how, in, value, err)
			}
			calls := -count.left.Load()
			goroutines, files := open()
			for _, k := range []int64{1, 2, calls/2 + 1, calls} {
				for _, exit := range []bool{false, true} {
					if k < 1 || k > calls {
						continue
					}
					f := &fault{exit: exit}
					f.left.Store(k)
					returned, value, err := once(f)
					switch {
					case f.left.Load() > 0: // goroutines share the calls as they come
					case returned || exit && value != nil || !exit && value != any(f):
						t.Errorf("%s, %s, call %d of %d, exit %v: returned %v, %v, %v", how, in, k, calls, exit, returned, value, err)
					}
					none(t, goroutines, files)
				}
			}
		}
	}
}
