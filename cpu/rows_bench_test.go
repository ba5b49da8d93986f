package cpu_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/check/absent"
)

// medians is the median of the processor time of each of fs, which are called in turn, as often as
// there is time for, and at least three times. prepare, untimed, is called before each.
func medians(prepare func(), fs ...func()) []time.Duration { return mediansBy(spent, prepare, fs...) }

// mediansBy is medians by a clock.
func mediansBy(clock func() time.Duration, prepare func(), fs ...func()) []time.Duration {
	took := make([][]time.Duration, len(fs))
	for begin := time.Now(); len(took[0]) < 3 || time.Since(begin) < time.Second && len(took[0]) < 2000; {
		for i, f := range fs {
			prepare()
			start := clock()
			f()
			took[i] = append(took[i], clock()-start)
		}
	}
	out := make([]time.Duration, len(fs))
	for i := range took {
		slices.Sort(took[i])
		out[i] = took[i][len(took[i])/2]
	}
	return out
}

// passed is a clock of the time since now.
func passed() func() time.Duration {
	begin := time.Now()
	return func() time.Duration { return time.Since(begin) }
}

// rowItems is GPUSORT_ITEMS, or 10^6.
func rowItems(b *testing.B) int { return itemsOr(b, "1000000") }

// itemsOr is GPUSORT_ITEMS, or else so many.
func itemsOr(b *testing.B, usual string) int {
	n, err := strconv.Atoi(cmp.Or(os.Getenv("GPUSORT_ITEMS"), usual))
	if err != nil {
		b.Fatal(err)
	}
	return n
}

func report(b *testing.B, n int, m []time.Duration, names ...string) {
	for b.Loop() {
		continue
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(n)/m[0].Seconds()/1e6, "M/s")
	for i, name := range names {
		b.ReportMetric(float64(m[i+1])/float64(m[0]), name)
	}
}

type row struct {
	u     uint64
	f     float64
	i     int32
	place int32
	_     uint64
}

type named struct {
	s string
	u uint64
	_ uint64
}

// rowsBench sorts copies of x by one worker, and beside that by slices' functions.
func rowsBench[T any](b *testing.B, x []T, compare func(a, b T) int, orders ...cpu.Order[T]) {
	s, err := cpu.New(cpu.WithWorkers(1))
	if err != nil {
		b.Fatal(err)
	}
	y := make([]T, len(x))
	m := medians(func() { copy(y, x) },
		func() {
			if err := cpu.SortByWith(context.Background(), s, y, orders...); err != nil {
				b.Fatal(err)
			}
		},
		func() { slices.SortStableFunc(y, compare) },
		func() { slices.SortFunc(y, compare) })
	report(b, len(x), m, "x-stable", "x-func")
}

func rowsOf(n int) ([]row, []named) {
	r := rand.New(rand.NewPCG(1, 1))
	x, y := make([]row, n), make([]named, n)
	for i := range x {
		x[i] = row{u: r.Uint64(), f: r.Float64(), i: r.Int32(), place: int32(i)}
		length := 12 + r.IntN(29)
		word := make([]byte, length)
		for k := range word {
			word[k] = 'a' + byte(r.IntN(26))
		}
		y[i] = named{s: string(word), u: r.Uint64()}
	}
	return x, y
}

func byU() cpu.Order[row]   { return cpu.By(func(p *row) uint64 { return p.u }) }
func byS() cpu.Order[named] { return cpu.By(func(p *named) string { return p.s }) }
func lessU(a, b row) int    { return cmp.Compare(a.u, b.u) }
func lessS(a, b named) int  { return cmp.Compare(a.s, b.s) }

// BenchmarkSortBy sorts structs of 32 bytes by one worker: million a second, and how many
// times as long slices.SortStableFunc and slices.SortFunc take.
func BenchmarkSortBy(b *testing.B) {
	x, y := rowsOf(rowItems(b))
	b.Run("u64", func(b *testing.B) { rowsBench(b, x, lessU, byU()) })
	b.Run("f64 i32", func(b *testing.B) {
		rowsBench(b, x, func(a, b row) int { return cmp.Or(cmp.Compare(a.f, b.f), cmp.Compare(a.i, b.i)) },
			cpu.By(func(p *row) float64 { return p.f }), cpu.By(func(p *row) int32 { return p.i }))
	})
	b.Run("string", func(b *testing.B) { rowsBench(b, y, lessS, byS()) })
	b.Run("string u64", func(b *testing.B) {
		rowsBench(b, y, func(a, b named) int { return cmp.Or(cmp.Compare(a.s, b.s), cmp.Compare(b.u, a.u)) },
			byS(), cpu.By(func(p *named) uint64 { return p.u }).Desc())
	})
}

// BenchmarkSortByFew sorts many short slices.
func BenchmarkSortByFew(b *testing.B) {
	const all = 1 << 14
	x, y := rowsOf(all)
	for _, n := range []int{2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 24, 32, 48, 64, 65, 100, 200, 500, 1000} {
		fewBench(b, "u64", n, x, lessU, byU)
		fewBench(b, "string", n, y, lessS, byS)
		b.Run(fmt.Sprint("string u64/", n), func(b *testing.B) {
			z := make([]named, len(y))
			sortEach(b, n, y, z,
				func(z []named) { cpu.SortBy(z, byS(), cpu.By(func(p *named) uint64 { return p.u }).Desc()) },
				func(a, b named) int { return cmp.Or(cmp.Compare(a.s, b.s), cmp.Compare(b.u, a.u)) })
		})
		b.Run(fmt.Sprint("f64 i32/", n), func(b *testing.B) {
			z := make([]row, len(x))
			sortEach(b, n, x, z,
				func(z []row) {
					cpu.SortBy(z, cpu.By(func(p *row) float64 { return p.f }), cpu.By(func(p *row) int32 { return p.i }))
				},
				func(a, b row) int { return cmp.Or(cmp.Compare(a.f, b.f), cmp.Compare(a.i, b.i)) })
		})
	}
}

func fewBench[T any](b *testing.B, name string, n int, x []T, compare func(a, b T) int, order func() cpu.Order[T]) {
	b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
		sortEach(b, n, x, make([]T, len(x)), func(y []T) { cpu.SortBy(y, order()) }, compare)
	})
}

// sortEach sorts each n elements of copies of x.
func sortEach[T any](b *testing.B, n int, x, y []T, sort func([]T), compare func(a, b T) int) {
	each := func(f func([]T)) func() {
		return func() {
			for at := 0; at+n <= len(y); at += n {
				f(y[at : at+n])
			}
		}
	}
	m := medians(func() { copy(y, x) }, each(sort),
		each(func(y []T) { slices.SortStableFunc(y, compare) }), each(func(y []T) { slices.SortFunc(y, compare) }))
	report(b, len(x), m, "x-stable", "x-func")
}

// BenchmarkStrings sorts the lines of the files in GPUSORT_LINES, a colon between them, by
// one worker, and short slices of them.
func BenchmarkStrings(b *testing.B) {
	s, err := cpu.New(cpu.WithWorkers(1))
	if err != nil {
		b.Fatal(err)
	}
	names := os.Getenv("GPUSORT_LINES")
	if names == "" {
		absent.Skip(b, "GPUSORT_LINES", "it names no files of lines to sort")
	}
	for name := range strings.SplitSeq(names, ":") {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		x := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		y := make([]string, len(x))
		_, name, _ = strings.Cut(name, "gen-")
		b.Run(name, func(b *testing.B) {
			m := medians(func() { copy(y, x) },
				func() {
					if err := cpu.SortStringsWith(context.Background(), s, y); err != nil {
						b.Fatal(err)
					}
				},
				func() { slices.Sort(y) })
			report(b, len(x), m, "x-slices")
		})
		x, y = x[:min(len(x), 1<<14)], y[:min(len(x), 1<<14)]
		w, v := make([][]byte, len(x)), make([][]byte, len(x))
		for i := range w {
			w[i] = []byte(x[i])
		}
		for _, n := range []int{2, 8, 12, 13, 32, 64, 100, 127, 128, 200, 500, 1000} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				each := func(f func([]string)) func() {
					return func() {
						for at := 0; at+n <= len(y); at += n {
							f(y[at : at+n])
						}
					}
				}
				report(b, len(x), medians(func() { copy(y, x) }, each(cpu.SortStrings[string]), each(slices.Sort[[]string])), "x-slices")
			})
			b.Run(fmt.Sprint(name, "/bytes/", n), func(b *testing.B) {
				each := func(f func([][]byte)) func() {
					return func() {
						for at := 0; at+n <= len(v); at += n {
							f(v[at : at+n])
						}
					}
				}
				report(b, len(x), medians(func() { copy(v, w) }, each(cpu.SortBytes[[]byte]),
					each(func(x [][]byte) { slices.SortFunc(x, bytes.Compare) })), "x-slices")
			})
		}
	}
}

// BenchmarkGather gathers in random order by two workers, beside a loop.
func BenchmarkGather(b *testing.B) {
	idx := make([]uint32, rowItems(b))
	for i, at := range rand.Perm(len(idx)) {
		idx[i] = uint32(at)
	}
	b.Run("8", func(b *testing.B) { gatherBench[uint64](b, idx) })
	b.Run("32", func(b *testing.B) { gatherBench[[4]uint64](b, idx) })
	b.Run("100", func(b *testing.B) { gatherBench[[100]byte](b, idx) })
}

func gatherBench[T any](b *testing.B, idx []uint32) {
	src, dst := make([]T, len(idx)), make([]T, len(idx))
	run := func(workers int) func() {
		s, err := cpu.New(cpu.WithWorkers(workers))
		if err != nil {
			b.Fatal(err)
		}
		return func() {
			if err := cpu.GatherWith(context.Background(), s, dst, src, idx); err != nil {
				b.Fatal(err)
			}
		}
	}
	m := mediansBy(passed(), func() {}, run(2), run(1), func() {
		for i, at := range idx {
			dst[i] = src[at]
		}
	})
	report(b, len(idx), m, "x-one", "x-loop")
}
