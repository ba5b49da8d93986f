package run

import (
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/op"
)

// checkOutput is check for what may be a prefix sum of the input instead of its
// sorted order.
func (in *input) checkOutput(out output) error {
	switch {
	case out.result == op.Sort:
		return in.check(out.keys, out.values)
	case in.p.Type.Bytes() == 4:
		return checkSums[uint32](in, out)
	}
	return checkSums[uint64](in, out)
}

// checkSums adds up the input again.
func checkSums[U uint32 | uint64](in *input, out output) error {
	x, got := unsafe.Slice((*U)(in.keys), in.p.Items), unsafe.Slice((*U)(out.keys), in.p.Items)
	var sum U
	for i, v := range x {
		want := sum
		sum += v
		if out.result == op.InclusiveSums {
			want = sum
		}
		if got[i] != want {
			return fmt.Errorf("position %d holds the sum %d, want %d", i, got[i], want)
		}
	}
	return nil
}
