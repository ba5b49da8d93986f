package cpu_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
)

// TestPanicInKey: it reaches the caller, from whichever goroutine, and x is as it was.
func TestPanicInKey(t *testing.T) {
	for _, n := range []int{2, 12, 13, 100, 50_000} {
		for name, order := range map[string]cpu.Order[person]{
			"number": cpu.By(func(p *person) int { return fails(p, n) }),
			"text":   cpu.By(func(p *person) string { return fmt.Sprint(fails(p, n)) }),
			"null":   cpu.ByNull(func(p *person) (int, bool) { return fails(p, n), true }),
		} {
			p := people(n)
			func() {
				defer func() {
					if v := recover(); v != errKey {
						t.Errorf("%s of %d: recovered %v", name, n, v)
					}
				}()
				cpu.SortBy(p, order)
				t.Errorf("%s of %d: no panic", name, n)
			}()
			for i := range p {
				if p[i].place != i {
					t.Fatalf("%s of %d: element %d has moved", name, n, i)
				}
			}
		}
	}
	// So does the end of a goroutine.
	ended := make(chan bool)
	go func() {
		defer close(ended)
		p := people(50_000)
		cpu.SortBy(p, cpu.By(func(p *person) int { runtime.Goexit(); return 0 }))
		t.Error("SortBy returned")
	}()
	<-ended
}

var errKey = errors.New("a key function failed")

func fails(p *person, n int) int {
	if p.place == n*2/3 {
		panic(errKey)
	}
	return -p.place
}

// TestCancelRows ends sorts at any time: x is then as it was.
func TestCancelRows(t *testing.T) {
	s, err := cpu.New(cpu.WithWorkers(2))
	if err != nil {
		t.Fatal(err)
	}
	orders := [][]cpu.Order[person]{
		{cpu.By(func(p *person) int { return -p.place })},
		{cpu.By(func(p *person) string { return p.last })},
		{cpu.By(func(p *person) string { return p.last }), cpu.By(func(p *person) float64 { return p.height })},
	}
	p, words := people(20_000), make([]string, 20_000)
	for i := range words {
		words[i] = p[i].last
	}
	before := slices.Clone(words)
	ended := 0
	for after := time.Duration(0); after < 6*time.Millisecond; after += time.Millisecond / 3 {
		for _, o := range orders {
			ctx, cancel := context.WithTimeout(context.Background(), after)
			q := slices.Clone(p)
			err := cpu.SortByWith(ctx, s, q, o...)
			cancel()
			if err == nil {
				continue
			}
			ended++
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			for i := range q {
				if q[i].place != i {
					t.Fatalf("element %d has moved", i)
				}
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), after)
		if err := cpu.SortStringsWith(ctx, s, words); err == nil {
			words = slices.Clone(before)
		} else if !slices.Equal(words, before) {
			t.Fatal("words have moved")
		}
		cancel()
	}
	if ended < 3 {
		t.Errorf("%d sorts were cancelled", ended)
	}
}

// TestLimited ends sorts that move elements in place: none is lost.
func TestLimited(t *testing.T) {
	s, err := cpu.New(cpu.WithMemoryLimit(1), cpu.WithWorkers(1))
	if err != nil {
		t.Fatal(err)
	}
	const n = 60_000
	for looks := 0; ; looks++ {
		p := people(n)
		err := cpu.SortByWith(&endsAfter{context.Background(), looks}, s, p, cpu.By(func(p *person) int { return p.place * 7919 % n }))
		seen := make([]bool, n)
		for i := range p {
			seen[p[i].place] = true
		}
		if slices.Contains(seen, false) {
			t.Fatalf("look %d, %v: elements are missing", looks, err)
		}
		if err == nil {
			if looks < 5 {
				t.Errorf("%d looks at the context", looks)
			}
			if !slices.IsSortedFunc(p, func(a, b person) int { return cmp.Compare(a.place*7919%n, b.place*7919%n) }) {
				t.Error("not sorted")
			}
			return
		}
	}
}

// TestLooksWhileItReads: what only reads a long slice sees that the context has ended.
func TestLooksWhileItReads(t *testing.T) {
	const n, looks = 100_000, 4
	words, lines, idx := make([]string, n), make([][]byte, n), make([]int, n)
	for i := range words {
		words[i] = fmt.Sprintf("%08d", i)
		lines[i], idx[i] = []byte(words[i]), i
	}
	idx[n-1] = 0 // which is found last
	defer func(was uint64) { values.WholeBytes = was }(values.WholeBytes)
	values.WholeBytes = 1
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for what, do := range map[string]func(ctx context.Context) error{
		"SortStringsWith of sorted words": func(ctx context.Context) error { return cpu.SortStringsWith(ctx, nil, words) },
		"SortBytesWith of sorted lines":   func(ctx context.Context) error { return cpu.SortBytesWith(ctx, nil, lines) },
		"PermuteWith":                     func(ctx context.Context) error { return cpu.PermuteWith(ctx, nil, words, idx) },
	} {
		if err := do(&endsAfter{ctx, looks}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that the context has ended", what, err)
		}
	}
}

// endsAfter is a context that ends after its Err was asked n times.
type endsAfter struct {
	context.Context
	n int
}

func (c *endsAfter) Err() error {
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}
