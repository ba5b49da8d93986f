package gpusort

import (
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/gpusort/gpusort/internal/dispatch"
	"github.com/gpusort/gpusort/internal/key"
)

func keysJob[T Key](x []T, o key.Order) dispatch.Job {
	return dispatch.Job{
		Problem: dispatch.Problem{Type: key.Of[T](), Mode: dispatch.Keys, Order: o, Items: uint64(len(x))},
		Keys:    pointer(x),
	}
}

func argsortJob[T Key, I Index](idx []I, x []T, o key.Order) dispatch.Job {
	var i I
	return dispatch.Job{
		Problem: dispatch.Problem{
			Type: key.Of[T](), Mode: dispatch.Argsort, Order: o, Items: uint64(len(x)),
			ValueBytes: int(unsafe.Sizeof(i)),
		},
		Keys: pointer(x), Values: pointer(idx),
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

// sortPairs sorts by run, which sorts one job. Values that cannot travel as
// bits take the way over indices: they are moved after the keys' sort, by plain Go
// assignments, so that the garbage collector sees every pointer.
func sortPairs[K Key, V any](k []K, v []V, o key.Order, run func(dispatch.Job) error) error {
	var zero V
	job := keysJob(k, o)
	size := unsafe.Sizeof(zero)
	if size == 0 {
		return run(job)
	}
	job.Mode = dispatch.Pairs
	if (size == 4 || size == 8) && !hasPointers(reflect.TypeFor[V]()) {
		// Kernels and host sorts read values as whole words.
		if uintptr(pointer(v))%size == 0 {
			job.ValueBytes, job.Values = int(size), pointer(v)
			return run(job)
		}
	}
	if uint64(len(k)) <= 1<<32 {
		return byIndex[uint32](v, job, run)
	}
	return byIndex[uint64](v, job, run)
}

// byIndex sorts the keys with their numbers as values and gathers v.
func byIndex[I uint32 | uint64, V any](v []V, job dispatch.Job, run func(dispatch.Job) error) error {
	var i I
	idx := make([]I, len(v))
	for n := range idx {
		idx[n] = I(n)
	}
	job.ValueBytes, job.Values = int(unsafe.Sizeof(i)), pointer(idx)
	err := run(job)
	// A sort that failed has left the numbers as they were; one that was cancelled on
	// the CPU in another order, each still with its key: the values must follow.
	permute(v, idx)
	return err
}

// permute puts v[idx[i]] at i for every i, in place: it follows each cycle of
// the permutation once and needs no scratch. It leaves idx the identity.
func permute[I uint32 | uint64, V any](v []V, idx []I) {
	for start := range idx {
		if int(idx[start]) == start {
			continue
		}
		first := v[start]
		at := start
		for {
			from := int(idx[at])
			idx[at] = I(at)
			if from == start {
				v[at] = first
				break
			}
			v[at] = v[from]
			at = from
		}
	}
}

// hasPointers reports whether values of type t hold anything that the garbage
// collector follows.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return false
	case reflect.Array:
		return t.Len() > 0 && hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}
