package hostcopy

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/sys/workers"
)

// blockBytes is the unit of parallel copies: small enough that goroutines end
// together, large beside the cost of taking one.
const blockBytes = 256 << 10

// Parallel is Copy by w goroutines.
func Parallel(w int, dst, src unsafe.Pointer, n uint64) {
	blocks := int((n + blockBytes - 1) / blockBytes)
	workers.Each(w, blocks, func(i int) {
		off := uint64(i) * blockBytes
		Copy(unsafe.Add(dst, off), unsafe.Add(src, off), min(blockBytes, n-off))
	})
}
