package gpusort

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/few"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
)

// TestLongOnStack sorts an array that its function has as an argument, so that it is
// on the stack whatever its length, by several goroutines.
func TestLongOnStack(t *testing.T) {
	var x [1 << 20]uint64
	r := rand.New(rand.NewPCG(1, 1))
	for i := range x {
		x[i] = r.Uint64()
	}
	if !sortedArgument(x) {
		t.Error("not sorted")
	}
	if heap := make([]byte, 1<<28); mayBeOnStack(uintptr(unsafe.Pointer(&heap[0])), 1<<28) {
		t.Error("256 MiB of heap are taken for a stack")
	}
}

//go:noinline
func sortedArgument(x [1 << 20]uint64) bool {
	if at := uintptr(unsafe.Pointer(&x)); !mayBeOnStack(at, unsafe.Sizeof(x)) {
		panic("an argument is not taken for one")
	}
	Sort(x[:])
	return slices.IsSorted(x[:])
}

// TestAlone: few keys are sorted by the calling goroutine, many need not be.
func TestAlone(t *testing.T) {
	if !engine.Alone(key.U64, few.Most) || engine.Alone(key.U64, 1<<20) || engine.Alone(key.U128, 1000) {
		t.Error("few keys are not sorted alone, or many are")
	}
}

// TestSortUnknownLevel: Sort cannot fail, whatever the environment says.
func TestSortUnknownLevel(t *testing.T) {
	t.Setenv("GPUSORT_CPU", "sse")
	x := make([]uint64, 1<<19)
	for i := range x {
		x[i] = rand.Uint64()
	}
	if Sort(x); !slices.IsSorted(x) {
		t.Error("not sorted")
	}
}
