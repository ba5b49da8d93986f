package run

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/key"
)

// atMost reports a key that is outside 0 … most, which a caller has promised
// to be the range of the keys: a counting sort would count it outside its
// table. The error wraps driver.ErrUnsupported and names the first such key. A
// most of 0 promises nothing.
func (in *input) atMost(most uint64) error {
	t := in.p.Type
	if most == 0 {
		return nil
	}
	if t.Row().Kind == key.Float {
		return algo.Unsupported("a greatest key of %d is for integers, not for %v", most, t)
	}
	return key.ByWidth(t.Bytes(), atMost[uint8], atMost[uint16], atMost[uint32], atMost[uint64])(in, most)
}

func atMost[U key.Word](in *input, most uint64) error {
	k := unsafe.Slice((*U)(in.keys), in.p.Items)
	signed := in.p.Type.Row().Kind == key.Signed
	sign := U(1) << (in.p.Type.Bits() - 1)
	at := parallel(len(k), func(lo, hi int) int {
		for i := lo; i < hi; i++ {
			if uint64(k[i]) > most || signed && k[i]&sign != 0 {
				return i
			}
		}
		return -1
	})
	switch {
	case at < 0:
		return nil
	case signed && k[at]&sign != 0:
		return algo.Unsupported("the key at position %d is negative: with a greatest key of %d all must lie in 0 … %d", at, most, most)
	}
	return algo.Unsupported("the maximum %d is below a key: position %d holds %d; raise it, or draw keys up to it", most, at, k[at])
}
