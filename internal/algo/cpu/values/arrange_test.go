package values

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// permutations have one cycle of all, many of two, of one, of any length, and such that
// go through no place that an arc begins at.
var permutations = map[string]func(n int) []uint32{
	"any": func(n int) []uint32 {
		p := inOrder(n)
		rand.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
		return p
	},
	"none moves": inOrder,
	"reversed":   func(n int) []uint32 { p := inOrder(n); slices.Reverse(p); return p },
	"rotated":    func(n int) []uint32 { p := inOrder(n); return append(p[n/3:], p[:n/3]...) },
	"by arcs": func(n int) []uint32 {
		p := inOrder(n)
		return append(p[min(n, arcStride):], p[:min(n, arcStride)]...)
	},
}

func inOrder(n int) []uint32 {
	p := make([]uint32, n)
	for i := range p {
		p[i] = uint32(i)
	}
	return p
}

func TestArrange(t *testing.T) {
	for _, n := range []int{0, 1, 2, arcStride - 1, arcStride, arcStride + 1, 40 * arcStride, 40*arcStride + 77} {
		for name, make := range permutations {
			for _, workers := range []int{1, 3} {
				p := make(n)
				x, y, alone := inOrder(n), inOrder(n), inOrder(n)
				h := Host{Workers: workers}
				if err := Arrange(h, x, y, slices.Clone(p)); err != nil {
					t.Fatal(err)
				}
				if err := Arrange[uint32, struct{}](h, alone, nil, slices.Clone(p)); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(x, p) || !slices.Equal(y, p) || !slices.Equal(alone, p) {
					t.Errorf("%s of %d by %d workers: not as the permutation says", name, n, workers)
				}
			}
		}
	}
}

// TestArrangeCancelled ends at one look after the other: what is there stays, and pairs
// stay together.
func TestArrangeCancelled(t *testing.T) {
	const n = 40*arcStride + 77
	for name, make := range permutations {
		for _, workers := range []int{1, 3} {
			for looks, done := 0, false; !done; looks += 1 + looks/8 {
				x, y := inOrder(n), inOrder(n)
				p := make(n)
				ctx, cancel := context.WithCancel(context.Background())
				err := Arrange(Host{Workers: workers, Ctx: &ending{Context: ctx, cancel: cancel, left: looks}}, x, y, slices.Clone(p))
				done = err == nil
				if done && !slices.Equal(x, p) {
					t.Fatalf("%s, %d looks: no error, but not arranged", name, looks)
				}
				if !slices.Equal(x, y) {
					t.Fatalf("%s, %d looks: pairs came apart", name, looks)
				}
				if slices.Sort(x); !slices.Equal(x, inOrder(n)) {
					t.Fatalf("%s, %d looks: some are lost", name, looks)
				}
				cancel()
			}
		}
	}
}

// ending is a context that is cancelled at the so-manieth look.
type ending struct {
	context.Context
	cancel context.CancelFunc
	mu     sync.Mutex
	left   int
}

func (c *ending) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left--; c.left < 0 {
		c.cancel()
	}
	return c.Context.Err()
}
