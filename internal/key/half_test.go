package key_test

import (
	"testing"

	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
)

// TestHalves has every pattern of both floats of 16 bits in order.
func TestHalves(t *testing.T) {
	for _, ty := range []key.Type{key.F16, key.BF16} {
		for _, o := range []key.Order{{}, {NaNLast: true}, {Desc: true}, {NaNLast: true, Desc: true}} {
			all := make([]uint16, 1<<16)
			for i := range all {
				all[i] = uint16(i)
			}
			verify.SortKeys(all, ty, o)
			c := key.CodecOf(ty, o)
			m := key.MapOf[uint16](c)
			for i, u := range all {
				if e := key.Encode(c, u); int(e) != i || key.Decode(c, e) != u || m.Of(u) != e {
					t.Fatalf("%v %+v: %04x is %04x by Encode, %04x by Map, %04x back; want %04x", ty, o, u, e, m.Of(u), key.Decode(c, e), i)
				}
			}
			o.EqualZeros = true
			c = key.CodecOf(ty, o)
			m = key.MapOf[uint16](c)
			tie := verify.Compare[uint16](ty, o)
			for i, u := range all {
				if canonical := key.Canonical(c, u); tie(canonical, u) != 0 || m.Of(u) != key.Encode(c, u) || m.IsNaN(u) != m.IsNaN(canonical) {
					t.Fatalf("%v: %04x is %04x with equal zeros, %04x by Map", ty, u, key.Encode(c, u), m.Of(u))
				}
				if v := all[max(0, i-1)]; (key.Encode(c, v) == key.Encode(c, u)) != (tie(v, u) == 0) {
					t.Fatalf("%v: %04x and %04x tie or not", ty, v, u)
				}
			}
		}
	}
}

func TestTypeOf(t *testing.T) {
	type half struct{ Bits uint16 }
	type brain struct{ Bits uint16 }
	type id [16]byte
	type single float32
	for _, c := range []struct{ got, want key.Type }{
		{key.TypeOf[uint8, half, brain](), key.U8}, {key.TypeOf[int64, half, brain](), key.I64}, {key.TypeOf[single, half, brain](), key.F32},
		{key.TypeOf[float64, half, brain](), key.F64}, {key.TypeOf[int, half, brain](), key.Of[int]()}, {key.TypeOf[uintptr, half, brain](), key.Of[uintptr]()},
		{key.TypeOf[half, half, brain](), key.F16}, {key.TypeOf[brain, half, brain](), key.BF16}, {key.TypeOf[id, half, brain](), key.B128},
		{key.TypeOf[struct{ hi, lo uint64 }, half, brain](), key.U128},
	} {
		if c.got != c.want {
			t.Errorf("TypeOf = %v, want %v", c.got, c.want)
		}
	}
	for _, r := range key.Table() {
		if r.Type.HostOnly() {
			t.Errorf("the table has %v", r.Name)
		}
	}
	for _, h := range []key.Type{key.F16, key.BF16, key.U128, key.B128} {
		if !h.HostOnly() || h.Row().Type != h {
			t.Errorf("%v: %+v", h, h.Row())
		}
	}
}
