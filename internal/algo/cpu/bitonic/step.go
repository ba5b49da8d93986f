package bitonic

import (
	"context"

	"github.com/gpusort/gpusort/internal/key"
)

// exchange is the comparator of positions i < j.
func exchange[U key.Word](x []U, i, j int) {
	a, b := x[i], x[j]
	x[i], x[j] = min(a, b), max(a, b)
}

// The loops run one step: position i meets i ^ mask, which is as far away as
// distance says or, in the first step of a merge, its mirror image. Positions
// past the end of x are infinite and stay where they are.

// iter0 looks at every position and leaves half of them to their partners.
func iter0[U key.Word](x []U, _, mask int) {
	for pos := range x {
		partner := pos ^ mask
		if partner > pos && partner < len(x) {
			exchange(x, pos, partner)
		}
	}
}

// iter1 takes the lower half of every block.
func iter1[U key.Word](x []U, distance, mask int) {
	for block := 0; block < len(x); block += 2 * distance {
		for pos := block; pos < block+distance; pos++ {
			if partner := pos ^ mask; partner < len(x) {
				exchange(x, pos, partner)
			}
		}
	}
}

// pairs counts the lower positions of a step among n.
func pairs(n, distance int) int {
	return n/(2*distance)*distance + min(n%(2*distance), distance)
}

// iter2 numbers the pairs, and finds each by a division.
func iter2[U key.Word](x []U, distance, mask int) {
	for p := range pairs(len(x), distance) {
		pos := p + p/distance*distance
		if partner := pos ^ mask; partner < len(x) {
			exchange(x, pos, partner)
		}
	}
}

// iter3 has the distance as a power of two, and shifts.
func iter3[U key.Word](x []U, log, mask int) {
	for p := range pairs(len(x), 1<<log) {
		pos := p + p>>log<<log
		if partner := pos ^ mask; partner < len(x) {
			exchange(x, pos, partner)
		}
	}
}

// checked is the least block at whose merge the context is asked.
const checked = 1 << 16

// recurse sorts the block of size, a power of two, at lo.
func recurse[U key.Word](x []U, lo, size int, ctx context.Context) error {
	if size < 2 || lo+1 >= len(x) {
		return nil
	}
	half := size / 2
	if err := recurse(x, lo, half, ctx); err != nil {
		return err
	}
	if err := recurse(x, lo+half, half, ctx); err != nil {
		return err
	}
	if size >= checked {
		if err := cancelled(ctx); err != nil {
			return err
		}
	}
	for i := max(0, lo+size-len(x)); i < half; i++ {
		exchange(x, lo+i, lo+size-1-i)
	}
	merge(x, lo, half)
	merge(x, lo+half, half)
	return nil
}

// merge sorts the bitonic block of size at lo.
func merge[U key.Word](x []U, lo, size int) {
	if size < 2 || lo+1 >= len(x) {
		return
	}
	half := size / 2
	for i := lo; i < min(lo+half, len(x)-half); i++ {
		exchange(x, i, i+half)
	}
	merge(x, lo, half)
	merge(x, lo+half, half)
}
