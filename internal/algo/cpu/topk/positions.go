package topk

import (
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/team"
	"github.com/gpusort/gpusort/internal/key"
)

// positions returns where the first k keys of x stand, k from 1 on.
func positions[U key.Word](src key.Slice, k int, c key.Codec, h cpu.Options) ([]int, error) {
	keys, x := cpu.Results[U](k), key.Words[U](src)
	if err := smallest[U](key.Memory(keys), src, c&^key.CodecEqualZeros, h); err != nil {
		return nil, err
	}
	codec := key.MapOf[U](c)
	limit := codec.Of(keys[k-1])
	below := 0 // keys before the limit; of those equal to it, as many as are left are taken
	for below < k && codec.Of(keys[below]) < limit {
		below++
	}
	t := h.Team()
	parts := t.Parts(len(x), team.StepBytes/int(unsafe.Sizeof(U(0))))
	type found struct{ below, equal []int }
	lists := make([]found, parts)
	err := t.EachUntil(parts, func(p int) {
		lo, hi := team.Chunk(len(x), parts, p)
		f := &lists[p]
		per := team.StepBytes / int(unsafe.Sizeof(U(0)))
		for ; lo < hi && !t.Done(); lo += per {
			at := lo
			blocks(x[lo:min(hi, lo+per)], c, func(part []U, mask U) {
				for i, u := range part {
					if u ^= mask; u > limit {
						continue
					}
					if u < limit {
						f.below = append(f.below, at+i)
					} else if len(f.equal) < k-below {
						f.equal = append(f.equal, at+i)
					}
				}
				at += len(part)
			})
		}
	})
	if err == nil {
		err = h.Err()
	}
	if err != nil {
		return nil, err
	}
	idx := cpu.Results[int](k)[:0]
	for _, f := range lists {
		idx = append(idx, f.below...)
	}
	order := make([]U, below)
	for i, at := range idx {
		order[i] = codec.Of(x[at])
	}
	err = pairs(order, idx, h)
	for _, f := range lists {
		idx = append(idx, f.equal[:min(len(f.equal), k-len(idx))]...)
	}
	return slices.Clip(idx), err
}

// pairs sorts the encoded keys k and moves v alike.
func pairs[U key.Word](k []U, v []int, h cpu.Options) error {
	if unsafe.Sizeof(0) == 4 {
		return cpu.Pairs(k, key.Words[uint32](key.Memory(v)), key.CodecUnsigned, h)
	}
	return cpu.Pairs(k, key.Words[uint64](key.Memory(v)), key.CodecUnsigned, h)
}
