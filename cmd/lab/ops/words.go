package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cpu"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/op"
)

// words is the operation on strings.
type words struct {
	spec          Spec
	in, x, sorted []string
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
	w.sorted = slices.Sorted(slices.Values(w.in))
	return nil
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
		for i, at := range order {
			if uint64(at) >= w.spec.Items {
				return fmt.Errorf("place %d of the order is %d, of %d words", i, at, w.spec.Items)
			}
			if i > 0 && w.in[order[i-1]] == w.in[at] && order[i-1] >= at {
				return fmt.Errorf("equal words %d and %d come in that order", order[i-1], at)
			}
			w.x[i] = w.in[at]
		}
		return same("word", w.x, w.sorted)
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
	return took, same("word", w.x, w.sorted)
}
