package counting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
)

// want returns keys, values and indices sorted stably by comparisons of encoded keys.
func want[U key.Word](keys []U, values []uint32, c key.Codec) (k []U, v []uint32, idx []uint32) {
	for i := range keys {
		idx = append(idx, uint32(i))
	}
	slices.SortStableFunc(idx, func(a, b uint32) int { return cmp.Compare(key.Encode(c, keys[a]), key.Encode(c, keys[b])) })
	for _, i := range idx {
		k, v = append(k, keys[i]), append(v, values[i])
	}
	return k, v, idx
}

// all sorts keys, pairs and indices with f and compares.
func all[U key.Word](t *testing.T, name string, keys []U, c key.Codec, f func(Data[U, uint32]) error) {
	t.Helper()
	values := make([]uint32, len(keys))
	for i := range values {
		values[i] = rand.Uint32()
	}
	wantK, wantV, wantI := want(keys, values, c)
	alone := Data[U, uint32]{Keys: slices.Clone(keys)}
	pairs := Data[U, uint32]{Keys: slices.Clone(keys), Values: slices.Clone(values)}
	order := Data[U, uint32]{Keys: slices.Clone(keys), Indices: make([]uint32, len(keys))}
	for _, d := range []Data[U, uint32]{alone, pairs, order} {
		if err := f(d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	if !slices.Equal(alone.Keys, wantK) {
		t.Errorf("%s: keys differ", name)
	}
	if !slices.Equal(pairs.Keys, wantK) || !slices.Equal(pairs.Values, wantV) {
		t.Errorf("%s: pairs differ", name)
	}
	if !slices.Equal(order.Keys, keys) || !slices.Equal(order.Indices, wantI) {
		t.Errorf("%s: argsort differs", name)
	}
}

func TestRange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	codecs := []key.Codec{key.CodecUnsigned, key.CodecSigned, key.CodecUnsigned | key.CodecDesc, key.CodecSigned | key.CodecDesc}
	floats := append(codecs, key.CodecFloatNaNFirst, key.CodecFloatNaNLast|key.CodecDesc)
	for _, n := range []int{0, 1, 2, 100, 70001} {
		inputs := map[string]func() uint64{
			"dense":  func() uint64 { return 1<<40 + 1<<20 + r.Uint64N(300) },
			"sparse": func() uint64 { return r.Uint64N(5000) * 0x9e3779b97f4a7c15 },
			"wide":   r.Uint64,
		}
		for name, draw := range inputs {
			x64, x32, x8, x16 := make([]uint64, n), make([]uint32, n), make([]uint8, n), make([]uint16, n)
			for i := range x64 {
				v := draw()
				x64[i], x32[i], x16[i], x8[i] = v, uint32(v), uint16(v), uint8(v)
			}
			for _, c := range floats {
				id := fmt.Sprintf("%s n=%d codec=%d", name, n, c)
				all(t, id, x64, c, func(d Data[uint64, uint32]) error { return Range(d, c, Options{}) })
				all(t, id, x32, c, func(d Data[uint32, uint32]) error { return Range(d, c, Options{MemoryCap: 1 << 20}) })
			}
			for _, c := range codecs {
				id := fmt.Sprintf("%s n=%d codec=%d", name, n, c)
				all(t, id, x16, c, func(d Data[uint16, uint32]) error { return Range(d, c, Options{}) })
				all(t, id, x8, c, func(d Data[uint8, uint32]) error { return Range(d, c, Options{}) })
			}
		}
	}
}

func TestMax(t *testing.T) {
	keys := []uint32{5, 3, 9, 3, 0, 9}
	all(t, "ascending", keys, key.CodecUnsigned, func(d Data[uint32, uint32]) error { return Max(d, key.CodecUnsigned, 0, 10, Options{}) })
	desc := key.CodecUnsigned | key.CodecDesc
	all(t, "descending", keys, desc, func(d Data[uint32, uint32]) error { return Max(d, desc, key.Encode(desc, uint32(9)), 10, Options{}) })

	d := Data[uint32, uint32]{Keys: slices.Clone(keys)}
	var above OutOfRange
	if err := Max(d, key.CodecUnsigned, 0, 9, Options{}); !errors.As(err, &above) || above.Bits != 9 || !slices.Equal(d.Keys, keys) {
		t.Errorf("a key above the maximum: %v, %v", err, d.Keys)
	}
	var large TooLarge
	if err := Max(d, key.CodecUnsigned, 0, 10, Options{MemoryCap: 64}); !errors.As(err, &large) {
		t.Errorf("a cap of 64 bytes: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Max(d, key.CodecUnsigned, 0, 10, Options{Ctx: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := Range(d, key.CodecUnsigned, Options{Ctx: ctx}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
