package gpusort

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/algo/cpu/rows"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// ArgsortStringsBuffer writes to idx the positions that put strings in order by bytes, equal ones in
// order of position, in the direction of the Buffers' Sorter, on their device. String i is
// bytes[offsets[i]:offsets[i+1]], as in Arrow: there is one offset more than idx has items. It changes
// neither; idx overlaps neither. There are at most 2^32 − 1 strings. Offsets that do not ascend, or
// are beyond bytes, are an error. After an error the contents of idx are undefined.
func ArgsortStringsBuffer[I, O Index](ctx context.Context, idx *Buffer[I], offsets *Buffer[O], bytes *Buffer[uint8]) error {
	const name = "ArgsortStringsBuffer"
	if err := cmp.Or(offsets.check(name), bytes.check(name), idx.check(name)); err != nil {
		return err
	}
	if idx.n != offsets.n-1 {
		return offsetsOf(name, "indices", idx.n, offsets.n)
	}
	p := op.Spec{
		Kind: op.Strings, Type: key.U64, Order: key.Order{Desc: offsets.s.order.Desc}, Mode: op.Argsort, Items: uint64(idx.n),
		ValueBytes: int(unsafe.Sizeof(*new(I))), Width: int(unsafe.Sizeof(*new(O))), Texts: op.Texts{Bytes: uint64(bytes.n)},
	}
	_, err := offsets.s.find(ctx, name, p, engine.Regions{bytes.region(), idx.region(), offsets.region()}, func(o key.Order, h cpu.Options, m op.Memory) error {
		s := rows.Spans[O]{Offsets: view[O](m, op.OtherIO, offsets.n), Text: view[uint8](m, op.KeysIO, bytes.n)}
		return rows.ArgsortSpans(h, view[I](m, op.ValuesIO, idx.n), s, o.Desc)
	})
	return err
}

// GatherStringsBuffer copies the strings of offsets and bytes at the places in idx to dst, behind each
// other, on their device: string i of the result is dst[dstOffsets[i]:dstOffsets[i+1]]. With the idx of
// ArgsortStringsBuffer they are in order. dstOffsets has one item more than idx. dst may be longer than the strings; if
// it is shorter, an error says how many bytes they have. dst and dstOffsets overlap no other Buffer. A
// place out of range is an error, and bad offsets where a place is. After an error the contents of dst and
// dstOffsets are undefined.
func GatherStringsBuffer[O, I Index](ctx context.Context, dstOffsets *Buffer[O], dst *Buffer[uint8], offsets *Buffer[O], bytes *Buffer[uint8], idx *Buffer[I]) error {
	const name = "GatherStringsBuffer"
	if err := cmp.Or(idx.check(name), offsets.check(name), bytes.check(name), dstOffsets.check(name), dst.check(name)); err != nil {
		return err
	}
	if idx.n != dstOffsets.n-1 {
		return offsetsOf(name, "indices", idx.n, dstOffsets.n)
	}
	if offsets.n == 0 {
		return offsetsOf(name, "strings", 0, 0)
	}
	p := op.Spec{
		Kind: op.GatherStrings, Type: key.TypeOf[I, Float16, BFloat16](), Items: uint64(idx.n), Other: uint64(offsets.n) - 1,
		Width: int(unsafe.Sizeof(*new(O))), Texts: op.Texts{Bytes: uint64(bytes.n), Room: mostOf[O](dst.n)},
	}
	at := engine.Regions{idx.region(), offsets.region(), bytes.region(), dstOffsets.region(), dst.region()}
	_, err := idx.s.find(ctx, name, p, at, func(_ key.Order, h cpu.Options, m op.Memory) error {
		s := rows.Spans[O]{Offsets: view[O](m, op.ValuesIO, offsets.n), Text: view[uint8](m, op.OtherIO, bytes.n)}
		return rows.GatherSpans(h, view[O](m, op.OtherIO+1, dstOffsets.n), view[uint8](m, op.OtherIO+2, dst.n), s, view[I](m, op.KeysIO, idx.n))
	})
	return err
}

// mostOf is n, or the largest offset of type O if that is less.
func mostOf[O Index](n int) uint64 {
	most := uint64(math.MaxUint64)
	if bits := 8 * unsafe.Sizeof(*new(O)); O(0)-1 > 0 {
		most >>= 64 - bits
	} else {
		most >>= 65 - bits
	}
	return min(uint64(n), most)
}

// offsetsOf is the error about offsets that are not one more than what they are of.
func offsetsOf(name, what string, n, offsets int) error {
	return fmt.Errorf("gpusort: %s: %d %s, %d offsets: there is one offset more than strings", name, n, what, offsets)
}
