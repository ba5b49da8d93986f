package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// Run carries out a sort by Keys, Pairs or Argsort.
func Run(j op.Job, o Options) error {
	if j.Mode == op.Keys {
		return RunKeys(j.Type, j.Order, j.At[op.KeysIO], int(j.Items), o)
	}
	if j.Type.Bytes() == 16 {
		if j.ValueBytes == 8 {
			return runWide[uint64](j, o)
		}
		return runWide[uint32](j, o)
	}
	keys, values, n := j.At[op.KeysIO], j.At[op.ValuesIO], int(j.Items)
	if j.Mode == op.Pairs {
		return pairsAt(keys, values, j.Type.Bytes(), j.ValueBytes, n, j.Codec(), o)
	}
	return argsortAt(keys, values, j.Type.Bytes(), j.ValueBytes, n, j.Codec(), o)
}

// RunKeys is Keys for n keys of type t at keys. A job and key.ByWidth, with its indirect
// call, would cost a sort of 64 keys a fifth more time.
func RunKeys(t key.Type, order key.Order, keys unsafe.Pointer, n int, o Options) error {
	c := key.CodecOf(t, order)
	if t.Bytes() == 16 {
		return KeysWide(unsafe.Slice((*key.Octets)(keys), n), c, o)
	}
	return keysAt(keys, t.Bytes(), n, c, o)
}

func runWide[V uint32 | uint64](j op.Job, o Options) error {
	k := unsafe.Slice((*key.Octets)(j.At[op.KeysIO]), j.Items)
	v := unsafe.Slice((*V)(j.At[op.ValuesIO]), j.Items)
	if j.Mode == op.Pairs {
		return PairsWide(k, v, j.Codec(), o)
	}
	return ArgsortWide(k, v, j.Codec(), o)
}

// Disorder is FirstDisorder of n keys of type t at keys. It is a switch, so that keys
// need not be in the heap.
func Disorder(t key.Type, o key.Order, keys unsafe.Pointer, n int) int {
	c := key.CodecOf(t, o)
	switch t.Bytes() {
	case 1:
		return FirstDisorder(unsafe.Slice((*uint8)(keys), n), c)
	case 2:
		return FirstDisorder(unsafe.Slice((*uint16)(keys), n), c)
	case 4:
		return FirstDisorder(unsafe.Slice((*uint32)(keys), n), c)
	case 16:
		return DisorderWide(unsafe.Slice((*key.Octets)(keys), n), c)
	}
	return FirstDisorder(unsafe.Slice((*uint64)(keys), n), c)
}
