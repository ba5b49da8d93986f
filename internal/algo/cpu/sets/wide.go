package sets

import (
	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
)

// combineWide is combine of keys of 128 bits, by one worker.
func combineWide(p Op, first, second key.Slice, c key.Codec, h cpu.Options, alloc func(n int) key.Slice) error {
	a, b := key.Words[key.Octets](first), key.Words[key.Octets](second)
	var found []key.Octets
	skip := func(x []key.Octets) []key.Octets {
		n := 1
		for n < len(x) && x[n] == x[0] {
			n++
		}
		return x[n:]
	}
	for steps := 0; len(a) > 0 || len(b) > 0; steps++ {
		if steps%(1<<14) == 0 && h.Err() != nil {
			return h.Err()
		}
		d := 0
		switch {
		case len(a) == 0:
			d = 1
		case len(b) == 0:
			d = -1
		default:
			d = key.EncodeWide(c, &a[0]).Compare(key.EncodeWide(c, &b[0]))
		}
		switch {
		case d < 0 && p.OnlyA, d == 0 && p.Both:
			found = append(found, a[0])
		case d > 0 && p.OnlyB:
			found = append(found, b[0])
		}
		if d <= 0 {
			a = skip(a)
		}
		if d >= 0 {
			b = skip(b)
		}
	}
	copy(key.Words[key.Octets](alloc(len(found))), found)
	return nil
}
