package gpusort_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/internal/check/soak"
)

// TestBufferStrings: on the CPU and on every device that sorts strings, order and gather are those of a stable
// sort by comparison, in descending order.
func TestBufferStrings(t *testing.T) {
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		take := soak.Share(t, 3, 1) // of the long ones
		for _, kind := range textKinds {
			for _, n := range []int{0, 1, 2, 1000, 70_001} {
				if n > 1000 && !take() {
					continue
				}
				t.Run(fmt.Sprintf("%s/%d/32", kind.name, n), func(t *testing.T) { stringsOf[uint32, int32](t, s, kind.texts(n)) })
				t.Run(fmt.Sprintf("%s/%d/64", kind.name, n), func(t *testing.T) { stringsOf[uint64, int64](t, s, kind.texts(n)) })
			}
		}
	})
}

// textKind makes strings.
type textKind struct {
	name string
	line func(r *rand.Rand) string
}

// texts are n strings.
func (k textKind) texts(n int) [][]byte {
	r, all := rand.New(rand.NewPCG(uint64(n), 1)), make([][]byte, n)
	for i := range all {
		all[i] = []byte(k.line(r))
	}
	return all
}

var greek = strings.Fields("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon")

// textKinds are strings without anything in common, with long common prefixes, with many equal ones, and with bytes
// at the ends of their range.
var textKinds = []textKind{
	{"random24", func(r *rand.Rand) string {
		b := make([]byte, 24)
		for i := range b {
			b[i] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[r.IntN(64)]
		}
		return string(b)
	}},
	{"urls", func(r *rand.Rand) string {
		return fmt.Sprintf("https://www.example.org/%s/%s/%s?id=%d", greek[r.IntN(4)], greek[r.IntN(20)], greek[r.IntN(20)], r.IntN(1e7))
	}},
	{"words", func(r *rand.Rand) string {
		return fmt.Sprint(greek[min(int(1/(1-r.Float64()))-1, 19)], min(int(1/(1-r.Float64())), 1e6))
	}},
	{"access", func(r *rand.Rand) string {
		return fmt.Sprintf("%d.%d.%d.%d 2026-11-%02dT%02d:%02d:%02d /%s/%s/%d %d %d %.3f", 1+r.IntN(222), r.IntN(256), r.IntN(256), r.IntN(256),
			1+r.IntN(30), r.IntN(24), r.IntN(60), r.IntN(60), greek[r.IntN(20)], greek[r.IntN(20)], r.IntN(1e6), 200, r.IntN(9999), r.ExpFloat64())
	}},
	{"binary", func(r *rand.Rand) string {
		return strings.Repeat("\xff", r.IntN(3)*r.IntN(9)) + strings.Repeat("\x00", r.IntN(12))
	}},
	{"long", func(r *rand.Rand) string {
		return strings.Repeat("prefix ", 80+r.IntN(2)) + strings.Repeat("x", r.IntN(4))
	}},
}

// benchKind are strings of which a benchmark has so many times fewer.
type benchKind struct {
	textKind
	fewer int
}

// benchKinds are also strings that take long to tell apart.
var benchKinds = []benchKind{
	{textKinds[0], 1}, {textKinds[1], 1}, {textKinds[2], 1}, {textKinds[3], 1},
	{textKind{"equal", func(*rand.Rand) string { return "the same 24 bytes in all" }}, 1},
	{textKind{"prefix10k", func(r *rand.Rand) string { return longRun + fmt.Sprint(r.IntN(1e6)) }}, 100},
	{textKind{"runs", func(r *rand.Rand) string { return longRun[:r.IntN(len(longRun))] }}, 1000},
}

var longRun = strings.Repeat("a", 10_000)

// stringsOf orders and gathers texts, behind some bytes of something else.
func stringsOf[I, O gpusort.Index](t *testing.T, s *gpusort.Sorter, texts [][]byte) {
	b, ctx, n := bed{t, s}, t.Context(), len(texts)
	order := make([]I, n)
	for i := range order {
		order[i] = I(i)
	}
	slices.SortStableFunc(order, func(i, j I) int { return bytes.Compare(texts[j], texts[i]) })
	inOrder := make([][]byte, n)
	for i, at := range order {
		inOrder[i] = texts[at]
	}
	text, offsets := laid[O](texts, "front")
	sorted, starts := laid[O](inOrder, "")
	all, at := put(b, append([]byte("before"), text...)), put(b, offsets)
	part, idx := all.Slice(6, all.Len()), put(b, make([]I, n))
	err := gpusort.ArgsortStringsBuffer(ctx, idx, at, part)
	if noStrings(b, err) {
		return
	}
	b.done("order", err)
	same(b, "order", idx, order)
	to, toAt := put(b, make([]byte, len(sorted)+7)), put(b, make([]O, n+1))
	b.done("gather", gpusort.GatherStringsBuffer(ctx, toAt, to.Slice(3, len(sorted)+3), at, part, idx))
	same(b, "gathered offsets", toAt, starts)
	same(b, "gathered bytes", to, slices.Concat(make([]byte, 3), sorted, make([]byte, 4)))
	same(b, "bytes after all", part, text)
	same(b, "offsets after all", at, offsets)
}

// noStrings reports whether err says that OpenCL has no device code for strings.
func noStrings(b bed, err error) bool {
	return strings.Contains(b.Name(), "opencl") && errors.Is(err, gpusort.ErrUnsupported) && strings.Contains(err.Error(), "no device code for opencl")
}

// laid are strings behind each other, with something in front.
func laid[O gpusort.Index](texts [][]byte, front string) (text []byte, offsets []O) {
	text, offsets = []byte(front), []O{O(len(front))}
	for _, s := range texts {
		text = append(text, s...)
		offsets = append(offsets, O(len(text)))
	}
	return text, offsets
}

// TestBufferStringsRefused: offsets and places that cannot be, and too little room.
func TestBufferStringsRefused(t *testing.T) {
	eachSorter(t, func(t *testing.T, s *gpusort.Sorter) {
		b, ctx := bed{t, s}, t.Context()
		text, offsets, idx := put(b, []byte("abcdefghij")), put(b, []uint32{0, 3, 9}), put(b, []int32{1, 0})
		to, toAt, room := put(b, make([]uint32, 3)), put(b, make([]uint32, 3)), put(b, make([]byte, 9))
		if noStrings(b, gpusort.ArgsortStringsBuffer(ctx, to.Slice(0, 2), offsets, text)) {
			return
		}
		for _, c := range []struct {
			what, want string
			err        error
		}{
			{"offsets that descend", "offset 2 is below", gpusort.ArgsortStringsBuffer(ctx, idx, put(b, []uint32{1, 3, 2}), text)},
			{"offsets beyond", "offset 2 is beyond", gpusort.ArgsortStringsBuffer(ctx, idx, put(b, []int64{1, 3, 11}), text)},
			{"lengths", "one offset more", gpusort.ArgsortStringsBuffer(ctx, put(b, make([]int32, 3)), offsets, text)},
			{"no offsets", "one offset more", gpusort.GatherStringsBuffer(ctx, toAt, room, offsets.Slice(0, 0), text, idx)},
			{"room", "than the 9", gpusort.GatherStringsBuffer(ctx, toAt, room.Slice(0, 8), offsets, text, put(b, []int32{1, 0}))},
			{"place", "place 2 is", gpusort.GatherStringsBuffer(ctx, toAt, room, offsets, text, put(b, []int32{1, 2}))},
			{"negative place", "place -1 is", gpusort.GatherStringsBuffer(ctx, toAt, room, offsets, text, put(b, []int32{1, -1}))},
			{"overlap", "overlap", gpusort.GatherStringsBuffer(ctx, toAt, text, offsets, text, put(b, []int32{1, 0}))},
		} {
			if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
				t.Errorf("%s: %v, want … %s", c.what, c.err, c.want)
			}
		}
		same(b, "bytes after refusals", text, []byte("abcdefghij"))
		same(b, "result after refusals", room, make([]byte, 9))
	})
}

// BenchmarkBufferStrings orders and gathers 10^7 strings on every device, fewer hard ones, from Buffers to Buffers; GB/s
// are of the strings' bytes with one more for each, as lines have. With GPUSORT_LINES=FILE:FILE it takes lines of files.
func BenchmarkBufferStrings(b *testing.B) {
	list, err := gpusort.Devices()
	if err != nil {
		b.Log(err)
	}
	each := func(name string, text []byte, offsets []uint32) {
		for _, d := range list {
			if d.ID == "cpu" {
				continue
			}
			b.Run(fmt.Sprintf("%s/%s/n=%d", d.ID, name, len(offsets)-1), func(b *testing.B) {
				s, err := gpusort.New(gpusort.WithDevice(d.ID))
				if err != nil {
					b.Fatal(err)
				}
				b.Cleanup(func() { s.Close() })
				benchStrings(b, s, text, offsets)
			})
		}
	}
	eachBenchTexts(b, benchKinds, func(name string, texts [][]byte) {
		text, offsets := laid[uint32](texts, "")
		each(name, text, offsets)
	})
}

// eachBenchTexts calls f with strings of some kinds, or the lines of each file of GPUSORT_LINES=FILE:FILE.
func eachBenchTexts(b *testing.B, kinds []benchKind, f func(name string, texts [][]byte)) {
	if files := os.Getenv("GPUSORT_LINES"); files != "" {
		for name := range strings.SplitSeq(files, ":") {
			lines, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			f(filepath.Base(name), bytes.Split(bytes.TrimSuffix(lines, []byte("\n")), []byte("\n")))
		}
		return
	}
	for _, n := range benchItems() {
		for _, kind := range kinds {
			f(kind.name, kind.texts(n/kind.fewer))
		}
	}
}

func benchStrings(b *testing.B, s *gpusort.Sorter, text []byte, offsets []uint32) {
	n, ctx := len(offsets)-1, b.Context()
	in, at, idx := buffer(b, s, len(text), text), buffer(b, s, n+1, offsets), buffer[uint32](b, s, n, nil)
	out, outAt := buffer[byte](b, s, len(text), nil), buffer[uint32](b, s, n+1, nil)
	for _, gather := range []bool{false, true} {
		what := "order"
		if gather {
			what = "gathered"
		}
		do := func() error {
			err := gpusort.ArgsortStringsBuffer(ctx, idx, at, in)
			if err == nil && gather {
				err = gpusort.GatherStringsBuffer(ctx, outAt, out, at, in, idx)
			}
			return err
		}
		b.Run(what, func(b *testing.B) {
			for range warmUps {
				if err := do(); errors.Is(err, gpusort.ErrUnsupported) {
					b.Log(err)
					return
				} else if err != nil {
					b.Fatal(err)
				}
			}
			var device float64
			for b.Loop() {
				if err := do(); err != nil {
					b.Fatal(err)
				}
				device += s.Last().DeviceTime.Seconds()
			}
			if !gather {
				b.ReportMetric(1e3*device/float64(b.N), "device-ms")
			}
			b.ReportMetric(float64(len(text)+n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
		})
	}
}

// buffer is a Buffer of n items, filled with x if that is not nil.
func buffer[T any](b *testing.B, s *gpusort.Sorter, n int, x []T) *gpusort.Buffer[T] {
	y, err := gpusort.NewBuffer[T](s, n)
	if err == nil && x != nil {
		err = y.Upload(b.Context(), x)
	}
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { y.Close() })
	return y
}
