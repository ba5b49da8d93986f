package cpu

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/values"
	"github.com/gpusort/gpusort/internal/key"
)

// words views x as the bit patterns U, which are as wide as T.
func words[U, T any](x []T) []U {
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(x))), len(x))
}

func (s settings) options() cpu.Options {
	return cpu.Options{Workers: s.workers, Ctx: s.ctx, MemoryCap: s.memory}
}

func sortKeys[T Key](x []T, s settings) error {
	c := key.CodecOf(key.Of[T](), s.order)
	switch unsafe.Sizeof(*new(T)) {
	case 1:
		return cpu.Keys(words[uint8](x), c, s.options())
	case 2:
		return cpu.Keys(words[uint16](x), c, s.options())
	case 4:
		return cpu.Keys(words[uint32](x), c, s.options())
	}
	return cpu.Keys(words[uint64](x), c, s.options())
}

// sortPairs sorts keys and values of equal number.
func sortPairs[K Key, V any](k []K, v []V, s settings) error {
	if unsafe.Sizeof(*new(V)) == 0 {
		return sortKeys(k, s)
	}
	if at, bytes, ok := values.Words(v); ok {
		return pairsAt(k, at, bytes, s)
	}
	h := values.Host{Ctx: s.ctx, Workers: s.workers, Limit: s.memory}
	return values.ByIndex(h, k, v, func(keys, places unsafe.Pointer, bytes int) error {
		return pairsAt(unsafe.Slice((*K)(keys), len(k)), places, bytes, s)
	})
}

// pairsAt sorts k and as many values of 4 or 8 bytes.
func pairsAt[K Key](k []K, values unsafe.Pointer, bytes int, s settings) error {
	if bytes == 4 {
		return pairWords(k, unsafe.Slice((*uint32)(values), len(k)), s)
	}
	return pairWords(k, unsafe.Slice((*uint64)(values), len(k)), s)
}

func pairWords[K Key, W cpu.Word32or64](k []K, v []W, s settings) error {
	c := key.CodecOf(key.Of[K](), s.order)
	switch unsafe.Sizeof(*new(K)) {
	case 1:
		return cpu.Pairs(words[uint8](k), v, c, s.options())
	case 2:
		return cpu.Pairs(words[uint16](k), v, c, s.options())
	case 4:
		return cpu.Pairs(words[uint32](k), v, c, s.options())
	}
	return cpu.Pairs(words[uint64](k), v, c, s.options())
}

// argsort writes the order of x to as many indices.
func argsort[T Key, I Index](idx []I, x []T, s settings) error {
	if unsafe.Sizeof(*new(I)) == 4 {
		return argsortWords(words[uint32](idx), x, s)
	}
	return argsortWords(words[uint64](idx), x, s)
}

func argsortWords[T Key, W cpu.Word32or64](idx []W, x []T, s settings) error {
	c := key.CodecOf(key.Of[T](), s.order)
	switch unsafe.Sizeof(*new(T)) {
	case 1:
		return cpu.Argsort(words[uint8](x), idx, c, s.options())
	case 2:
		return cpu.Argsort(words[uint16](x), idx, c, s.options())
	case 4:
		return cpu.Argsort(words[uint32](x), idx, c, s.options())
	}
	return cpu.Argsort(words[uint64](x), idx, c, s.options())
}

func firstDisorder[T Key](x []T, o key.Order) int {
	if len(x) == 0 {
		return -1
	}
	c := key.CodecOf(key.Of[T](), o)
	switch unsafe.Sizeof(*new(T)) {
	case 1:
		return cpu.FirstDisorder(words[uint8](x), c)
	case 2:
		return cpu.FirstDisorder(words[uint16](x), c)
	case 4:
		return cpu.FirstDisorder(words[uint32](x), c)
	}
	return cpu.FirstDisorder(words[uint64](x), c)
}

func checkPairs[K, V any](op string, k []K, v []V) error {
	if len(k) != len(v) {
		return fmt.Errorf("cpu: %s: %w: %d keys but %d values: both slices must have the same length",
			op, ErrUnsupported, len(k), len(v))
	}
	return nil
}

func checkIndex[T Key, I Index](op string, idx []I, x []T) error {
	if len(idx) != len(x) {
		return fmt.Errorf("cpu: %s: %w: %d indices but %d keys: both slices must have the same length",
			op, ErrUnsupported, len(idx), len(x))
	}
	most := uint64(math.MaxUint32)
	if I(0)-1 < 0 {
		most = math.MaxInt32
	}
	if unsafe.Sizeof(*new(I)) == 4 && len(x) > 0 && uint64(len(x)-1) > most {
		return fmt.Errorf("cpu: %s: %w: indices of %d items do not fit %T: use an 8-byte index type",
			op, ErrUnsupported, len(x), I(0))
	}
	return nil
}
