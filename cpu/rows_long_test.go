package cpu_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
)

// TestCancelLong ends, at one look after the other, sorts of what is too long to be copied
// back at once: nothing is lost, and pairs stay together.
func TestCancelLong(t *testing.T) {
	defer func(was uint64) { values.WholeBytes = was }(values.WholeBytes)
	values.WholeBytes = 1 << 10
	s, err := cpu.New(cpu.WithWorkers(1))
	if err != nil {
		t.Fatal(err)
	}
	const n = 30_000
	order := func(i int) int { return i * 7919 % n }
	for what, sort := range map[string]func(ctx context.Context, p []person, k []int) error{
		"SortBy": func(ctx context.Context, p []person, k []int) error {
			return cpu.SortByWith(ctx, s, p, cpu.By(func(p *person) int { return order(p.place) }))
		},
		"Permute": func(ctx context.Context, p []person, k []int) error {
			idx := make([]int, n)
			for i := range idx {
				idx[order(i)] = i
			}
			return cpu.PermuteWith(ctx, s, p, idx)
		},
		"SortPairs": func(ctx context.Context, p []person, k []int) error { return cpu.SortPairsWith(ctx, s, k, p) },
	} {
		moved := false
		for looks, done := 0, false; !done; looks += 1 + looks/6 {
			p, k := people(n), make([]int, n)
			for i := range k {
				k[i] = order(i)
			}
			live, cancel := context.WithCancel(context.Background())
			err := sort(&endsAfter{live, looks}, p, k)
			cancel()
			seen := make([]bool, n)
			for i := range p {
				seen[p[i].place] = true
				if what == "SortPairs" && k[i] != order(p[i].place) {
					t.Fatalf("%s, look %d: a pair came apart", what, looks)
				}
			}
			if slices.Contains(seen, false) {
				t.Fatalf("%s, look %d, %v: elements are missing", what, looks, err)
			}
			inOrder := slices.IsSortedFunc(p, func(a, b person) int { return order(a.place) - order(b.place) })
			if done = err == nil; done && !inOrder {
				t.Fatalf("%s, look %d: in order %v, error %v", what, looks, inOrder, err)
			}
			moved = moved || err != nil && p[1].place != 1
		}
		if !moved {
			t.Error(fmt.Sprint(what, ": was never stopped while elements moved"))
		}
	}
	// What is no permutation is gathered.
	x := make([]uint64, 1000)
	for i := range x {
		x[i] = uint64(i)
	}
	idx := make([]int16, len(x))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := cpu.PermuteWith(ctx, s, x, idx); err != nil || slices.Max(x) != 0 {
		t.Errorf("not gathered: %v, %v", x[:9], err)
	}
}
