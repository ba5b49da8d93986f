package gpusort

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

func keysJob[T Key](x []T, o key.Order) op.Job {
	return op.Job{
		Spec: op.Spec{Type: key.Of[T](), Mode: op.Keys, Order: o, Items: uint64(len(x))},
		At:   op.Memory{pointer(x)},
	}
}

func argsortJob[T Key, I Index](idx []I, x []T, o key.Order) op.Job {
	var i I
	return op.Job{
		Spec: op.Spec{
			Type: key.Of[T](), Mode: op.Argsort, Order: o, Items: uint64(len(x)),
			ValueBytes: int(unsafe.Sizeof(i)),
		},
		At: op.Memory{pointer(x), pointer(idx)},
	}
}

func checkIndex[T Key, I Index](op string, idx []I, x []T) error {
	if len(idx) != len(x) {
		return lengths(op, "indices", len(idx), "keys", len(x))
	}
	var i I
	most := uint64(math.MaxUint32)
	if i-1 < i {
		most = math.MaxInt32
	}
	if unsafe.Sizeof(i) == 4 && len(x) > 0 && uint64(len(x)-1) > most {
		return fmt.Errorf("gpusort: %s: %w: indices of %d items do not fit %T: use an 8-byte index type",
			op, ErrUnsupported, len(x), i)
	}
	return nil
}

// sortPairs sorts by run, which sorts one job, and moves the values along.
func sortPairs[K Key, V any](h values.Host, k []K, v []V, o key.Order, run func(op.Job) error) error {
	job := keysJob(k, o)
	if unsafe.Sizeof(*new(V)) == 0 || len(k) == 0 {
		return run(job)
	}
	job.Mode = op.Pairs
	if at, bytes, ok := values.Words(v); ok {
		job.ValueBytes, job.At[op.ValuesIO] = bytes, at
		return run(job)
	}
	return values.ByIndex(h, k, v, func(keys, places unsafe.Pointer, bytes int) error {
		job.At[op.KeysIO], job.At[op.ValuesIO], job.ValueBytes = keys, places, bytes
		return run(job)
	})
}
