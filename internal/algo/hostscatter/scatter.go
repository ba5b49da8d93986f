package hostscatter

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// scatterStep is the name of the host function.
const scatterStep = "scatter"

// scatterVals are the function's numbers: items, key type, mode, bytes of a
// value, codec, pass.
func scatterVals(p plan.Problem, pass int) []uint64 {
	return []uint64{p.Items, uint64(p.Type), uint64(p.Mode), uint64(p.ValueBytes), uint64(p.Codec()), uint64(pass)}
}

// scatter moves keys, with their values, or the indices of an argsort, to the
// places that the counts of their digits give, in their order. regions are the
// counts, the keys, unless it is an argsort the moved keys, and with values the
// values and the moved values.
func scatter(regions [][]byte, vals []uint64) error {
	m := mover{
		p:     plan.Problem{Items: vals[0], Type: key.Type(vals[1]), Mode: plan.Mode(vals[2]), ValueBytes: int(vals[3])},
		codec: key.Codec(vals[4]), pass: uint(vals[5]), counts: view[uint32](regions[0]),
	}
	if err := m.prefix(); err != nil {
		return err
	}
	rest := regions[1:]
	key.ByWidth(m.p.Type.Bytes(), move[uint8], move[uint16], move[uint32], move[uint64])(&m, rest)
	if m.past {
		return errors.New("the device's counts are not those of the keys")
	}
	return nil
}

// mover is one pass.
type mover struct {
	p      plan.Problem
	codec  key.Codec
	pass   uint
	counts []uint32
	places [digits]uint64 // of the next key of each digit
	past   bool           // a key had no place
}

// prefix turns counts into places. The sum must be the number of keys, or keys
// would be written outside.
func (m *mover) prefix() error {
	var sum uint64
	for d, c := range m.counts[:digits] {
		m.places[d] = sum
		sum += uint64(c)
	}
	if sum != m.p.Items {
		return fmt.Errorf("the device counted %d keys of %d", sum, m.p.Items)
	}
	return nil
}

func move[U key.Word](m *mover, rest [][]byte) {
	in := view[U](rest[0])
	if m.p.ValueBytes == 8 {
		moveValues[U, uint64](m, in, rest[1:])
		return
	}
	moveValues[U, uint32](m, in, rest[1:])
}

func moveValues[U key.Word, V uint32 | uint64](m *mover, in []U, rest [][]byte) {
	switch m.p.Mode {
	case plan.Keys:
		out := view[U](rest[0])
		for _, k := range in {
			out[place(m, k)] = k
		}
	case plan.Pairs:
		out, values, moved := view[U](rest[0]), view[V](rest[1]), view[V](rest[2])
		for i, k := range in {
			at := place(m, k)
			out[at], moved[at] = k, values[i]
		}
	case plan.Argsort:
		indices, moved := view[V](rest[0]), view[V](rest[1])
		for i := range in {
			at := V(i)
			if m.pass > 0 {
				at = indices[i]
			}
			moved[place(m, in[at])] = at
		}
	}
}

// place is where the next key with k's digit goes.
func place[U key.Word](m *mover, k U) uint64 {
	d := uint64(key.Encode(m.codec, k)) >> (digitBits * m.pass) & (digits - 1)
	at := m.places[d]
	m.places[d]++
	if at >= m.p.Items {
		m.past = true
		return 0
	}
	return at
}

// view is the memory of b as words.
func view[T any](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))/unsafe.Sizeof(t))
}
