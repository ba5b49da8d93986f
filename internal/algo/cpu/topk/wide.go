package topk

import (
	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
)

// Keys of 128 bits are selected by their high halves, and of those that are equal in
// these, by the low ones.

// limitWide returns the k-th least encoded key of x, k from 1 on. Scratch: 8 bytes a key.
func limitWide(x []key.Octets, k int, c key.Codec, h cpu.Options) (w key.Wide, err error) {
	half, put := cpu.Buffer[uint64](len(x))
	defer put()
	t := h.Team()
	err = t.Steps(len(x), 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			half[i] = key.EncodeWide(c, &x[i]).Hi
		}
	})
	if err == nil {
		err = cpu.Select(half, k-1, key.CodecUnsigned, h)
	}
	if err != nil {
		return w, err
	}
	w.Hi = half[k-1]
	for _, u := range half[:k-1] {
		if u < w.Hi {
			k--
		}
	}
	ties := half[:0]
	if err := looking(t, len(x), func(i int) {
		if e := key.EncodeWide(c, &x[i]); e.Hi == w.Hi {
			ties = append(ties, e.Lo)
		}
	}); err != nil {
		return w, err
	}
	err = cpu.Select(ties, k-1, key.CodecUnsigned, h)
	w.Lo = ties[k-1]
	return w, err
}

// looking calls f for every i from 0 to n-1 until the context ends.
func looking(t team.Options, n int, f func(i int)) error {
	for i := range n {
		if i%(1<<16) == 0 && t.Done() {
			return t.Err()
		}
		f(i)
	}
	return nil
}

// firstWide returns where the k least keys of x stand, of equal ones the first, in order.
func firstWide(x []key.Octets, k int, c key.Codec, h cpu.Options) ([]int, error) {
	limit, err := limitWide(x, k, c, h)
	if err != nil {
		return nil, err
	}
	below, equal := make([]int, 0, k), make([]int, 0, k)
	t := team.Options{Ctx: h.Ctx}
	if err := looking(t, len(x), func(i int) {
		switch d := key.EncodeWide(c, &x[i]).Compare(limit); {
		case d < 0:
			below = append(below, i)
		case d == 0 && len(equal) < k:
			equal = append(equal, i)
		}
	}); err != nil {
		return nil, err
	}
	keys := make([]key.Octets, len(below))
	for i, at := range below {
		keys[i] = x[at]
	}
	order := make([]uint64, len(below))
	if err := cpu.ArgsortWide(keys, order, c, h); err != nil {
		return nil, err
	}
	idx := make([]int, k)
	for i, at := range order {
		idx[i] = below[at]
	}
	copy(idx[len(below):], equal)
	return idx, nil
}

func smallestWide(dst, src key.Slice, c key.Codec, h cpu.Options) error {
	out, x := key.Words[key.Octets](dst), key.Words[key.Octets](src)
	if len(out) == 0 {
		return h.Err()
	}
	idx, err := firstWide(x, len(out), c, h)
	for i, at := range idx {
		out[i] = x[at]
	}
	return err
}

func positionsWide(src key.Slice, k int, c key.Codec, h cpu.Options) ([]int, error) {
	return firstWide(key.Words[key.Octets](src), k, c, h)
}

func chooseWide(s key.Slice, k int, c key.Codec, h cpu.Options) error {
	x := key.Words[key.Octets](s)
	limit, err := limitWide(x, k+1, c, h)
	if err != nil {
		return err
	}
	low, high := 0, len(x) // what is before, and behind, has its place
	for i := 0; i < high; {
		switch d := key.EncodeWide(c, &x[i]).Compare(limit); {
		case d < 0:
			x[i], x[low] = x[low], x[i]
			low++
			i++
		case d > 0:
			high--
			x[i], x[high] = x[high], x[i]
		default:
			i++
		}
		if (i+high)%(1<<16) == 0 && h.Err() != nil {
			return h.Err()
		}
	}
	return nil
}
