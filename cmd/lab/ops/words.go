package ops

import (
	"context"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/op"
)

// words is the operation on strings.
type words struct {
	spec  Spec
	in, x []string
}

// Draw makes words of equal length from letters: every letter is what 8 bits of a key of
// the distribution choose, so that words of few keys are few.
func (w *words) Draw(seed uint64) error {
	n, length := int(w.spec.Items), int(w.spec.StringLen)
	keys := make([]uint64, n)
	text := make([]byte, n*length)
	for at := 0; at < length; at += 8 {
		dist.FillKeys(keys, w.spec.Dist, seed+uint64(at))
		for i, k := range keys {
			for b := at; b < min(at+8, length); b++ {
				text[i*length+b] = 'a' + byte(k>>(56-8*(b-at)))%26
			}
		}
	}
	all := string(text)
	w.in, w.x = make([]string, n), make([]string, n)
	for i := range w.in {
		w.in[i] = all[i*length : (i+1)*length]
	}
	return nil
}

// ascending says where x is out of order.
func (w *words) ascending() error {
	for i := 1; i < len(w.x); i++ {
		if w.x[i-1] > w.x[i] {
			return fmt.Errorf("word %d is %q, behind %q", i, w.x[i], w.x[i-1])
		}
	}
	return nil
}

// sum is that of the words' hashes: equal for the same words in any order, and by a key that
// nobody knows else for no others but by chance.
func sum(words []string, key maphash.Seed) (s uint64) {
	for _, x := range words {
		s += maphash.String(key, x)
	}
	return s
}

// Task is the work of the last Draw for a device: the words' order.
func (w *words) Task() Task {
	offsets := make([]uint32, len(w.in)+1)
	for i := range offsets {
		offsets[i] = uint32(i) * uint32(w.spec.StringLen)
	}
	t := Task{In: [op.MostRegions][]byte{op.KeysIO: []byte(strings.Join(w.in, "")), op.OtherIO: raw(offsets)}}
	t.Check = func(_ uint64, out [op.MostRegions][]byte, _ bool) error {
		order := items[uint32](out[op.ValuesIO])
		seen := make([]bool, len(w.in))
		for i, at := range order {
			if uint64(at) >= w.spec.Items {
				return fmt.Errorf("place %d of the order is %d, of %d words", i, at, w.spec.Items)
			}
			if seen[at] {
				return fmt.Errorf("place %d of the order is %d, which came before", i, at)
			}
			seen[at] = true
			if i > 0 && w.in[order[i-1]] == w.in[at] && order[i-1] >= at {
				return fmt.Errorf("equal words %d and %d come in that order", order[i-1], at)
			}
			w.x[i] = w.in[at]
		}
		return w.ascending()
	}
	return t
}

// Run does it once.
func (w *words) Run(ctx context.Context, by string, workers int, now func() time.Time) (time.Duration, error) {
	copy(w.x, w.in)
	s, err := cpu.New(cpu.WithWorkers(workers))
	if err != nil {
		return 0, err
	}
	start := now()
	if by == Ours {
		err = cpu.SortStringsWith(ctx, s, w.x)
	} else {
		slices.Sort(w.x)
	}
	took := now().Sub(start)
	if err != nil {
		return took, err
	}
	if key := maphash.MakeSeed(); sum(w.x, key) != sum(w.in, key) {
		return took, fmt.Errorf("other words came out than went in")
	}
	return took, w.ascending()
}
