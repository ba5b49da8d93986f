package suite

import (
	"context"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// openLimited opens an engine whose memory limit makes n items go in pieces.
func openLimited(t *testing.T, device, algorithm string, n uint64) *rig {
	t.Helper()
	return openWith(t, engine.Config{
		Device: device, Algorithm: algorithm, Poison: true,
		// Two pieces on the device at once, each with scratch: about three
		// pieces of u64 pairs, fewer of narrower keys.
		MemoryLimit: n*20 + 4<<20,
	})
}

// runSlice sorts the case in host memory, off its natural alignment's vector
// width and with red zones.
func runSlice(e *rig, c testCase) error {
	switch c.p.Type.Bits() {
	case 8:
		return sliceKeys[uint8](e, c)
	case 16:
		return sliceKeys[uint16](e, c)
	case 32:
		return sliceKeys[uint32](e, c)
	}
	return sliceKeys[uint64](e, c)
}

func sliceKeys[U key.Word](e *rig, c testCase) error {
	if c.p.ValueBytes == 8 {
		return sliceWords[U, uint64](e, c)
	}
	return sliceWords[U, uint32](e, c)
}

func sliceWords[U key.Word, V uint32 | uint64](e *rig, c testCase) error {
	const zone = 64
	n := int(c.p.Items)
	keys := make([]U, n+2*zone+1)
	x := keys[zone+1 : zone+1+n]
	for i := range keys {
		keys[i] = ^U(0) / 3
	}
	dist.Fill(x, c.dist, c.p.Type, seed+c.p.Items)
	was := append([]U(nil), keys...)
	in := was[zone+1 : zone+1+n]
	j := op.Job{Spec: c.p, At: op.Memory{unsafe.Pointer(unsafe.SliceData(x))}}
	var v []V
	if c.p.Mode != plan.Keys {
		v = make([]V, n)
		for i := range v {
			v[i] = V(i)
		}
		j.At[op.ValuesIO] = unsafe.Pointer(unsafe.SliceData(v))
	}
	if _, err := e.Sort(context.Background(), j); err != nil {
		return err
	}
	if err := same(keys[:zone+1], was[:zone+1]); err != nil {
		return err
	}
	if err := same(keys[zone+1+n:], was[zone+1+n:]); err != nil {
		return err
	}
	return judge(c, asBytes(in), asBytes(x), asBytes(v))
}

func asBytes[U any](x []U) []byte {
	var u U
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), uintptr(len(x))*unsafe.Sizeof(u))
}
