package run

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gpusort/gpusort/internal/key/linekey"
)

// few is a source that hands out a few lines at a time.
type few struct {
	lines []string
	r     *rand.Rand
}

func (f *few) next(buf []byte) (rows, whole []byte, err error) {
	if len(f.lines) == 0 {
		return nil, buf, io.EOF
	}
	n := min(len(f.lines), f.r.IntN(9))
	buf = append(buf[:0], strings.Join(f.lines[:n], "")...)
	f.lines = f.lines[n:]
	return buf, buf, nil
}

func (f *few) input() int { return 0 }

func (f *few) longest() int { return 0 }
func (f *few) close() error { return nil }

// plainMerge takes the lowest of the first lines each time, as sort -m does of any lines.
func plainMerge(o Options, apart [][]string) string {
	keys := newMaker(o)
	key := func(line string) []byte {
		row, key := []byte(line[:len(line)-1]), []byte(nil)
		if keys.keys == nil {
			return row
		}
		if key, _ = keys.keys(nil, row); o.Tail {
			key = append(key, row...)
		}
		return key
	}
	var out, held strings.Builder
	var last []byte
	n := int64(0)
	flush := func() {
		if n > 0 && o.Count != nil {
			out.Write(o.Count(nil, n))
		}
		out.WriteString(held.String())
		held.Reset()
		n = 0
	}
	for {
		best := -1
		for i, lines := range apart {
			if len(lines) == 0 {
				continue
			}
			if c := 0; best >= 0 {
				c = bytes.Compare(key(lines[0]), key(apart[best][0]))
				if c == 0 || c > 0 != o.Desc {
					continue
				}
			}
			best = i
		}
		if best < 0 {
			flush()
			return out.String()
		}
		line := apart[best][0]
		apart[best] = apart[best][1:]
		if k := key(line); !o.Unique || n == 0 || !bytes.Equal(k, last) {
			flush()
			held.WriteString(line)
			last = k
		}
		n++
	}
}

// mergeCase merges random lines, some of the sources not in order, and compares.
func mergeCase(t *testing.T, o Options, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 11))
	alphabet := []string{"a", "b", "\x00", "aaaaaaa", "1", "22 ", "-", "\xff"}
	if r.IntN(3) == 0 { // keys that begin as others do, but for zeros
		alphabet = []string{"\x00", "\x00", "\x00\x00\x00\x00\x00", "\x01", "a"}
	}
	var apart [][]string
	empty := min(1, r.IntN(9)) // 0: all lines are
	for range 1 + r.IntN(9) {
		lines := make([]string, r.IntN(1+r.IntN(200)))
		for i := range lines {
			for range r.IntN(1+r.IntN(8)) * empty {
				lines[i] += alphabet[r.IntN(len(alphabet))]
			}
			lines[i] += "\n"
		}
		if r.IntN(5) > 0 {
			lines = strings.SplitAfter(expected(Options{Format: o.Format, Tail: o.Tail, Desc: o.Desc}, strings.Join(lines, "")), "\n")
			lines = lines[:len(lines)-1]
		}
		if r.IntN(9) == 0 && len(lines) > 2 {
			slices.Reverse(lines[len(lines)/2:])
		}
		apart = append(apart, lines)
	}
	o.block, o.Workers = 1+r.IntN(100), 1+r.IntN(4)
	o = o.complete()
	var sources []source
	for _, lines := range apart {
		sources = append(sources, &few{lines, rand.New(rand.NewPCG(seed, 12))})
	}
	var got bytes.Buffer
	rows := 0
	err := o.mergeTo(context.Background(), sources, func(b []byte, n int) error {
		got.Write(b)
		rows += n
		return nil
	})
	if want := plainMerge(o, apart); err != nil || got.String() != want || rows != strings.Count(want, "\n") {
		t.Errorf("seed %d: %v; %d rows\n%q, want\n%q", seed, err, rows, got.String(), want)
	}
}

// TestMergePlain: whatever the sources, the blocks and the workers, and where a source is not in
// order, too, the first of the rows that are next comes next.
func TestMergePlain(t *testing.T) {
	seeds := uint64(400)
	if testing.Short() {
		seeds = 60
	}
	all := orders(t)
	all["no key"] = linekey.Spec{Separator: -1, Keys: []linekey.Key{{Field: 8, EndField: -1}}, Unique: true}
	for name, spec := range all {
		t.Run(name, func(t *testing.T) {
			o := optionsOf(spec)
			for seed := range seeds {
				mergeCase(t, o, seed)
			}
			o.Unique, o.Count = true, func(dst []byte, n int64) []byte { return fmt.Appendf(dst, "%d ", n) }
			for seed := range seeds {
				mergeCase(t, o, seed)
			}
		})
	}
}

// FuzzMerge does the same for any seed.
func FuzzMerge(f *testing.F) {
	f.Add(uint64(1), uint8(0))
	f.Fuzz(func(t *testing.T, seed uint64, order uint8) {
		var o linekey.Options
		if order&1 != 0 {
			o.Set('r')
		}
		s := linekey.Spec{Separator: -1, Global: o, Stable: order&4 != 0, Unique: order&8 != 0}
		if order&2 != 0 {
			s.Keys = []linekey.Key{{Options: o, Field: 1, EndField: -1}}
		}
		mergeCase(t, optionsOf(s), seed)
	})
}

// TestCodes: codes order keys as their bytes do, whatever base they have in common.
func TestCodes(t *testing.T) {
	keys := [][]byte{{}, {0}, {0, 0}, {1}, []byte("abcdef"), []byte("abcdef\x00"), []byte("abcdefg"), []byte("abcdeg"), bytes.Repeat([]byte("a"), 30)}
	long := bytes.Repeat([]byte{7}, mostWords*wordBytes+3)
	keys = append(keys, long[:mostWords*wordBytes-1], long[:mostWords*wordBytes], long, append(bytes.Clone(long), 0), append(bytes.Clone(long), 8))
	zeros := bytes.Repeat([]byte{0}, 20)
	for _, n := range []int{5, 6, 7, 11, 12, 13, 20} {
		keys = append(keys, zeros[:n], append(bytes.Clone(zeros[:n]), 1), append(bytes.Clone(zeros[:n]), 2), append([]byte("abcdef"), zeros[:n]...), append(append([]byte("abcdef"), zeros[:n]...), 1))
	}
	for _, desc := range []bool{false, true} {
		c := newCoder(desc)
		order := func(a, b []byte) int { return c.compare(a, b, differ(a, b, 0)) }
		for _, base := range keys {
			for _, a := range keys {
				for _, b := range keys {
					if order(a, base) < 0 || order(b, a) <= 0 {
						continue
					}
					p, q := c.code(a, base, differ(a, base, 0)), c.code(b, base, differ(b, base, 0))
					if p > q || c.first(a) > c.first(b) {
						t.Errorf("desc %v: %.20q is before %.20q, but its code to %.20q is %x, that of the other %x", desc, a, b, base, p, q)
					}
					n := differ(a, b, 0)
					if p == q && min(known(p), len(a), len(b)) > n {
						t.Errorf("desc %v: %.20q and %.20q have %d bytes in common, not %d", desc, a, b, n, known(p))
					}
					if p < q && c.code(b, a, n) != q {
						t.Errorf("desc %v: %.20q has code %x to %.20q, %x to %.20q", desc, b, c.code(b, a, n), a, q, base)
					}
				}
			}
		}
	}
}

// TestManyRuns: more runs than files may be open are merged as they come, oldest first, no more
// at once than the budget allows.
func TestManyRuns(t *testing.T) {
	text := someLines(rand.New(rand.NewPCG(7, 8)), 20000)
	old := openFiles
	defer func() { openFiles = old }()
	for _, c := range []struct{ files, fanIn, least, passes int }{{3, 0, 4, 9}, {8, 3, 4, 6}, {8, 0, 2, 4}, {40, 3, 4, 5}, {1000, 7, 2, 3}, {47, 0, 1, 1}, {46, 0, 2, 2}} {
		openFiles = func() int { return c.files }
		o := optionsOf(orders(t)["numbers -s"]).complete()
		o.Budget = 1 << 30
		o.room, o.block, o.FanIn, o.Temp = 1<<15, 1<<11, c.fanIn, []string{t.TempDir()}
		f, err := newFormer(t.Context(), o, -1)
		if err != nil {
			t.Fatal(err)
		}
		defer f.close()
		most := 0
		f.Phase = func(string, int64) func(int64) {
			most = max(most, len(f.runs))
			return func(int64) {}
		}
		var out bytes.Buffer
		st, err := f.sort([]Input{input(text)}, &out)
		if err != nil || out.String() != expected(o, text) {
			t.Errorf("%+v: %v; %d bytes of %d", c, err, out.Len(), len(text))
		}
		if most > c.files || st.Passes < c.least || st.Passes > c.passes {
			t.Errorf("%+v: %d of %d runs were there at once, %d passes", c, most, st.Runs, st.Passes)
		}
	}
}

// TestManyInputs: more inputs than files may be open are merged as long as there are files, and
// what that makes among itself. Rows that tie stay in the order of the inputs.
func TestManyInputs(t *testing.T) {
	text := someLines(rand.New(rand.NewPCG(5, 8)), 3000)
	old := openFiles
	defer func() { openFiles = old }()
	for _, c := range []struct{ files, fanIn, passes int }{{3, 0, 300}, {3, 2, 300}, {4, 0, 30}, {6, 3, 20}, {20, 2, 12}, {20, 0, 5}, {400, 2, 10}, {400, 150, 2}, {400, 0, 1}} {
		openFiles = func() int { return c.files }
		o := optionsOf(orders(t)["numbers -s"])
		o.Budget, o.FanIn, o.Temp = 1<<30, c.fanIn, []string{t.TempDir()}
		open, most := 0, 0
		var mu sync.Mutex
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			open += n
			most = max(most, open)
		}
		var inputs [][]Input
		for lines := range slices.Chunk(strings.SplitAfter(text, "\n"), 10) {
			part := expected(o, strings.Join(append(lines, ""), ""))
			inputs = append(inputs, []Input{func() (io.ReadCloser, error) {
				count(1)
				return struct {
					io.Reader
					io.Closer
				}{strings.NewReader(part), closing(func() { count(-1) })}, nil
			}})
		}
		var out bytes.Buffer
		st, err := Merge(t.Context(), o, inputs, &out)
		if err != nil || out.String() != expected(o, text) {
			t.Errorf("%+v: %v; %d bytes of %d", c, err, out.Len(), len(text))
		}
		if most > c.files || st.Passes > c.passes {
			t.Errorf("%+v: %d inputs were open at once, %d passes", c, most, st.Passes)
		}
	}
}

// TestSome: what is open while neighbours are merged, and a run is written, passes the files that
// may be open by one at most, and something is always merged.
func TestSome(t *testing.T) {
	old := openFiles
	defer func() { openFiles = old }()
	r := rand.New(rand.NewPCG(2, 2))
	for range 3000 {
		files := 3 + r.IntN(30)
		openFiles = func() int { return files }
		o := Options{Format: optionsOf(orders(t)["lines"]).Format, Budget: 1 << 30, FanIn: r.IntN(5)}.complete()
		if o.FanIn == 1 {
			o.FanIn = 0
		}
		var sources []source
		for range r.IntN(400) {
			sources = append(sources, &few{})
		}
		for len(sources) > o.fanIn(sources) {
			lo, hi := o.some(sources)
			runs := held(sources)
			if hi-lo < 2 || hi-lo > o.fanIn(sources[lo:hi]) || runs+max(0, hi-max(lo, runs)) > files {
				t.Fatalf("%d files, %d at once: [%d, %d) of %d, %d of them runs", files, o.FanIn, lo, hi, len(sources), runs)
			}
			sources = slices.Replace(sources, lo, hi, source(&spill{level: levelOf(sources[lo]) + 1}))
		}
		if len(sources) > files {
			t.Fatalf("%d files: the last merge is of %d", files, len(sources))
		}
	}
}
