package bytekeys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/check/soak"
)

// never is a context that nothing cancels.
var never context.Context

// list is strings, of which it counts how many bytes have been handed out.
type list struct {
	s    [][]byte
	read *atomic.Int64
}

func (l list) Len() int { return len(l.s) }

func (l list) Bytes(row uint32) []byte {
	if l.read != nil {
		l.read.Add(1)
	}
	return l.s[row]
}

// touched is a list that is a Toucher, and refuses what it may not be asked for.
type touched struct {
	list
	t     *testing.T
	times *atomic.Int64
}

func (l touched) Touch(rows []uint32, depth, n int) byte {
	if len(rows) == 0 || len(rows) > TouchRows || n < 1 {
		l.t.Errorf("%d rows, %d bytes behind %d are touched", len(rows), n, depth)
	}
	for _, row := range rows {
		if depth > len(l.s[row]) {
			l.t.Errorf("row %d of %d bytes is touched behind %d", row, len(l.s[row]), depth)
		}
	}
	l.times.Add(1)
	return 0
}

// TestToucher: strings are brought nearer before they are read, at depths that they have.
func TestToucher(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for what, of := range inputs {
		s := make([][]byte, 3000)
		for i := range s {
			s[i] = of(r, i, len(s))
		}
		in := touched{list{s: s}, t, new(atomic.Int64)}
		got := make([]uint32, len(s))
		if err := Argsort(never, got, in, Options{Workers: 2}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, reference(s, false)) {
			t.Errorf("%s: wrong order", what)
		}
		if least := int64(len(s) / TouchRows); in.times.Load() < least {
			t.Errorf("%s: %d touches, want at least %d", what, in.times.Load(), least)
		}
	}
}

// reference is the order of s by comparing.
func reference(s [][]byte, desc bool) []uint32 {
	idx := make([]uint32, len(s))
	for i := range idx {
		idx[i] = uint32(i)
	}
	slices.SortStableFunc(idx, func(a, b uint32) int {
		if desc {
			a, b = b, a
		}
		return bytes.Compare(s[a], s[b])
	})
	return idx
}

func check(t *testing.T, what string, s [][]byte) {
	t.Helper()
	for _, desc := range []bool{false, true} {
		want := reference(s, desc)
		for _, workers := range []int{1, 3} {
			got := make([]uint32, len(s))
			if err := Argsort(never, got, list{s: s}, Options{Workers: workers, Desc: desc}); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%s: %d strings, desc %v, %d workers: place %d has row %d, want %d: %.60q, want %.60q",
						what, len(s), desc, workers, i, got[i], want[i], s[got[i]], s[want[i]])
				}
			}
		}
	}
}

// inputs are kinds of strings, by the i-th of n.
var inputs = map[string]func(r *rand.Rand, i, n int) []byte{
	"short": func(r *rand.Rand, i, n int) []byte { return random(r, r.IntN(4), 2) },
	"nul":   func(r *rand.Rand, i, n int) []byte { return make([]byte, r.IntN(40)) },
	"ff":    func(r *rand.Rand, i, n int) []byte { return bytes.Repeat([]byte{0xff}, r.IntN(40)) },
	"nul, ff": func(r *rand.Rand, i, n int) []byte {
		return bytes.ReplaceAll(random(r, r.IntN(24), 2), []byte{1}, []byte{0xff})
	},
	"any":      func(r *rand.Rand, i, n int) []byte { return random(r, r.IntN(30), 256) },
	"of 8":     func(r *rand.Rand, i, n int) []byte { return random(r, 8, 3) },
	"of 24":    func(r *rand.Rand, i, n int) []byte { return random(r, 24, 2) },
	"equal":    func(r *rand.Rand, i, n int) []byte { return []byte("the same words in all of them") },
	"empty":    func(r *rand.Rand, i, n int) []byte { return nil },
	"one long": func(r *rand.Rand, i, n int) []byte { return bytes.Repeat([]byte{'a'}, i/max(1, n-1)*5000) },
	"prefix": func(r *rand.Rand, i, n int) []byte {
		return append(bytes.Repeat([]byte("ab"), 300), random(r, r.IntN(12), 3)...)
	},
	"words": func(r *rand.Rand, i, n int) []byte { return fmt.Appendf(nil, "word-%d", r.IntN(n)/7) },
	"paths": func(r *rand.Rand, i, n int) []byte {
		return fmt.Appendf(nil, "https://host/%03d/%02d/%d", r.IntN(7), r.IntN(9), r.IntN(n))
	},
	"lengths": func(r *rand.Rand, i, n int) []byte { return bytes.Repeat([]byte{'a'}, r.IntN(n+1)) },
	"not text": func(r *rand.Rand, i, n int) []byte {
		return append([]byte("\xff\xfe\xc3\x28\x00"), random(r, r.IntN(6), 256)...)
	},
	"falling": func(r *rand.Rand, i, n int) []byte { return fmt.Appendf(nil, "%09d", n-i) },
}

func random(r *rand.Rand, n, values int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(values))
	}
	return b
}

func made(kind string, n int, seed uint64) [][]byte {
	r, s := rand.New(rand.NewPCG(seed, uint64(n))), make([][]byte, n)
	for i := range s {
		s[i] = inputs[kind](r, i, n)
	}
	return s
}

// TestArgsort compares with a sort by comparing; rows are the payload.
func TestArgsort(t *testing.T) {
	sizes := []int{3000, 70_000}
	r, step := soak.Rand(t), 1
	if testing.Short() {
		step, sizes = 37, []int{3000, 40_000}
	}
	for n := 0; n <= 1100; n += 1 + r.IntN(step) {
		sizes = append(sizes, n)
	}
	for kind := range inputs {
		for _, n := range sizes {
			if kind == "lengths" && n > 3000 {
				n = 3000
			}
			check(t, kind, made(kind, n, 1))
		}
	}
}

// TestPairsOfLengths has every pair of lengths about the width of a word, with the bytes
// that zeros behind a short string might be taken for.
func TestPairsOfLengths(t *testing.T) {
	var s [][]byte
	for _, b := range []byte{0, 1, 8, 0xff} {
		for n := range 27 {
			s = append(s, bytes.Repeat([]byte{b}, n), append(bytes.Repeat([]byte{b}, n), 0), append(bytes.Repeat([]byte{b}, n), 7))
		}
	}
	soak.Rand(t).Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
	for n := range len(s) {
		check(t, "lengths", s[:n])
	}
}

// TestPrefixReadOnce: the strings are asked for a few times each, not once for each word
// of the prefix that they share.
func TestPrefixReadOnce(t *testing.T) {
	const n = 2000
	prefix := bytes.Repeat([]byte("0123456789"), 1024)
	s := make([][]byte, n)
	for i := range s {
		s[i] = fmt.Appendf(bytes.Clone(prefix), "%04d", i*7919%n)
	}
	check(t, "prefix of 10 KB", s)
	var read atomic.Int64
	if err := Argsort(never, make([]uint32, n), list{s, &read}, Options{Workers: 1}); err != nil || read.Load() > 3*n {
		t.Errorf("%d looks at %d strings, %v", read.Load(), n, err)
	}
}

// TestStairs: runs of one byte of all lengths, which share memory, are looked at
// O(log n) times each: words alone would take n/8.
func TestStairs(t *testing.T) {
	const n = 20_000
	long := bytes.Repeat([]byte{'a'}, n)
	s := make([][]byte, n)
	for i := range s {
		s[i] = long[:i*7919%n]
	}
	for _, desc := range []bool{false, true} {
		var read atomic.Int64
		idx := make([]uint32, n)
		if err := Argsort(never, idx, list{s, &read}, Options{Workers: 1, Desc: desc}); err != nil {
			t.Fatal(err)
		}
		for i, row := range idx {
			if want := i; desc && len(s[row]) != n-1-i || !desc && len(s[row]) != want {
				t.Fatalf("desc %v: place %d has length %d", desc, i, len(s[row]))
			}
		}
		if most := int64(100 * n); read.Load() > most {
			t.Errorf("desc %v: %d looks at %d strings, at most %d expected", desc, read.Load(), n, most)
		}
	}
}

// TestCancel ends sorts at some time on their way.
func TestCancel(t *testing.T) {
	s := made("paths", 50_000, 2)
	ended := 0
	for after := time.Duration(0); after < 10*time.Millisecond; after += 500 * time.Microsecond {
		ctx, cancel := context.WithTimeout(context.Background(), after)
		idx := make([]uint32, len(s))
		err := Argsort(ctx, idx, list{s: s}, Options{Workers: 2})
		cancel()
		switch {
		case err == nil:
			if !slices.Equal(idx, reference(s, false)) {
				t.Fatal("no error, but not sorted")
			}
		case !errors.Is(err, context.DeadlineExceeded):
			t.Fatal(err)
		default:
			ended++
		}
	}
	if ended == 0 {
		t.Error("no sort was cancelled")
	}
}

func TestWrongLength(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	_ = Argsort(never, make([]uint32, 2), list{s: make([][]byte, 3)}, Options{})
}

// FuzzArgsort divides bytes into strings by their first byte.
func FuzzArgsort(f *testing.F) {
	f.Add([]byte(strings.Repeat(",a,ab,abc,abcdefgh,abcdefghi,\x00,\xff", 9)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) == 0 {
			return
		}
		s := bytes.Split(b[1:], b[:1])
		for len(s) < 3*fewRows {
			s = append(s, s...)
		}
		check(t, "fuzz", s)
	})
}
