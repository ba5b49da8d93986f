// Package values moves values of any type along with the keys that are sorted.
//
// Values of 4 and 8 bytes without pointers travel with their keys as bits. For all
// others the keys are sorted with the positions of their values, which are then
// moved by plain Go assignments, so that the garbage collector sees every pointer.
package values

import (
	"reflect"
	"unsafe"
)

// Words returns the address and the width in bytes of values that travel as bits,
// and whether v are such: 4 or 8 bytes, aligned to them, without pointers.
func Words[V any](v []V) (at unsafe.Pointer, bytes int, ok bool) {
	size := unsafe.Sizeof(*new(V))
	at = unsafe.Pointer(unsafe.SliceData(v))
	if size != 4 && size != 8 || HasPointers(reflect.TypeFor[V]()) || uintptr(at)%size != 0 {
		return nil, 0, false
	}
	return at, int(size), true
}

// Permute puts v[idx[i]] at i for every i, in place: it follows each cycle of
// the permutation once and needs no scratch. It leaves idx the identity.
func Permute[I uint32 | uint64, V any](v []V, idx []I) {
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

// HasPointers reports whether values of type t hold anything that the garbage
// collector follows.
func HasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return false
	case reflect.Array:
		return t.Len() > 0 && HasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if HasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return true
}
