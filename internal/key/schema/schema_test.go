package schema

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// value is one value of a column with its bytes, and whether it is missing.
type value struct {
	p    unsafe.Pointer
	null bool
	show string
}

// of has the values in v, ascending by compare, and a missing one.
func of[K any](v ...K) []value {
	out := []value{{null: true, show: "null"}}
	for i := range v {
		out = append(out, value{p: unsafe.Pointer(&v[i]), show: fmt.Sprintf("%.40v", v[i])})
	}
	return out
}

// ascending has for each kind its values, each before the next (docs/order.md).
func ascending() map[Column][]value {
	nan := math.Float64frombits
	number := func(t key.Type) Column { return Column{Type: t} }
	v := map[Column][]value{
		number(key.U8):   of[uint8](0, 1, 127, 128, 255),
		number(key.I16):  of[int16](math.MinInt16, -1, 0, 1, 255, 256, math.MaxInt16),
		number(key.I64):  of[int64](math.MinInt64, -1<<32, -1, 0, 1, math.MaxInt64),
		number(key.U64):  of[uint64](0, 1, 1<<63, math.MaxUint64),
		number(key.F32):  of[float32](float32(math.Inf(-1)), -1, -1e-40, 0, 1e-40, 1, float32(math.Inf(1))),
		number(key.F64):  of(nan(0x7ff0000000000001), nan(0x7fffffffffffffff), nan(0xfff8000000000000), math.Inf(-1), -2.5, math.Copysign(0, -1), 0, 2.5, math.Inf(1)),
		{Kind: Bool}:     of(false, true),
		{Kind: Float16}:  of[uint16](0x7c01, 0x7fff, 0xfc01, 0xffff, 0xfc00, 0xbc00, 0x8001, 0x8000, 0, 1, 0x3c00, 0x7c00),
		{Kind: BFloat16}: of[uint16](0x7f81, 0x7fff, 0xff81, 0xffff, 0xff80, 0xbf80, 0x8001, 0x8000, 0, 1, 0x3f80, 0x7f80),
		{Kind: Wide}:     of([2]uint64{0, 0}, [2]uint64{0, math.MaxUint64}, [2]uint64{1, 0}, [2]uint64{math.MaxUint64, 1}),
		{Kind: Octets}:   of([16]byte{}, [16]byte{15: 1}, [16]byte{0: 1}, [16]byte{0: 255}),
		{Kind: Time}:     of(time.Time{}.Add(-time.Second), time.Time{}, time.Unix(-1, 999999999), time.Unix(0, 0).UTC(), time.Unix(0, 1), time.Unix(1<<40, 0)),
		{Kind: Addr}: of(netip.Addr{}, netip.MustParseAddr("0.0.0.0"), netip.MustParseAddr("9.255.1.1"), netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("::"),
			netip.MustParseAddr("::1"), netip.MustParseAddr("::ffff:1.2.3.4"), netip.MustParseAddr("fe80::1"), netip.MustParseAddr("fe80::1%a"), netip.MustParseAddr("fe80::1%ab"), netip.MustParseAddr("fe80::2")),
		{Kind: Text}:  of("", "\x00", "\x00\x00", "\x00\x01", "\x01", "\x01\x00", "\x02", "a", "a\x00", "a\x00b", "a\x01", "ab", "é", "\xff", "\xff\xff"),
		{Kind: Bytes}: of([]byte{}, []byte{0}, []byte{0, 255}, []byte{1}, []byte("a"), []byte{255}),
	}
	return v
}

// orders are the forms of a column.
func orders(c Column) (out []Column) {
	for i := range 16 {
		c.Order = key.Order{Desc: i&1 != 0, NaNLast: i&2 != 0}
		c.Nullable, c.NullsLast = i >= 4, i >= 8
		out = append(out, c)
	}
	return out
}

func nan(c Column, v value) bool {
	if v.null {
		return false
	}
	switch {
	case c.Kind == Float16:
		return *(*uint16)(v.p)&0x7fff > 0x7c00
	case c.Kind == BFloat16:
		return *(*uint16)(v.p)&0x7fff > 0x7f80
	case c.Kind == Number && c.Type == key.F64:
		return math.IsNaN(*(*float64)(v.p))
	}
	return false
}

// compare is the wanted order of the values at i and j of v.
func compare(c Column, v []value, i, j int) int {
	a, b := v[i], v[j]
	if a.null || b.null {
		d := 0
		if a.null != b.null {
			d = 1
			if a.null {
				d = -1
			}
		}
		if c.NullsLast {
			d = -d
		}
		return d
	}
	d := cmp.Compare(i, j)
	if na, nb := nan(c, a), nan(c, b); c.Order.NaNLast && na != nb {
		d = -1
		if na {
			d = 1
		}
	}
	if c.Order.Desc {
		d = -d
	}
	return d
}

func (c Column) keyOf(dst []byte, v value, last bool) []byte {
	if v.null {
		return c.AppendNull(dst)
	}
	return c.Append(dst, v.p, last)
}

func (c Column) flatOf(v value) Flat {
	if v.null {
		return c.FlatNull()
	}
	return c.Flat(v.p)
}

// TestPairs compares the keys of all pairs of values, alone and before another column.
func TestPairs(t *testing.T) {
	for base, values := range ascending() {
		for _, c := range orders(base) {
			v := values
			if !c.Nullable {
				v = v[1:]
			}
			for i := range v {
				for j := range v {
					want := compare(c, v, i, j)
					x, y := c.keyOf(nil, v[i], true), c.keyOf(nil, v[j], true)
					if got := bytes.Compare(x, y); got != want {
						t.Errorf("%+v: %s against %s: %d, want %d: % x, % x", c, v[i].show, v[j].show, got, want, x, y)
					}
					f, g := c.flatOf(v[i]), c.flatOf(v[j])
					if got := c.Compare(&f, &g); got != want {
						t.Errorf("%+v: %s against %s by value: %d, want %d", c, v[i].show, v[j].show, got, want)
					}
					if w := c.Width(); w != 0 && (len(x) != w || len(y) != w) {
						t.Errorf("%+v: keys of %d and %d bytes, want %d", c, len(x), len(y), w)
					}
					// Behind it what would turn the order if one were the other's prefix.
					x = append(c.keyOf(nil, v[i], false), 0xff)
					y = append(c.keyOf(nil, v[j], false), 0)
					if want == 0 {
						want = 1
					}
					if got := bytes.Compare(x, y); got != want {
						t.Errorf("%+v, not last: %s against %s: %d, want %d: % x, % x", c, v[i].show, v[j].show, got, want, x, y)
					}
				}
			}
		}
	}
}

// TestWord: the number of a short column is its key's bytes.
func TestWord(t *testing.T) {
	for base, values := range ascending() {
		for _, c := range orders(base) {
			if c.Nullable || c.Width() == 0 || c.Width() > 8 {
				continue
			}
			for _, v := range values[1:] {
				n := uint64(0)
				for _, b := range c.Append(nil, v.p, true) {
					n = n<<8 | uint64(b)
				}
				if w := c.Word(v.p); w != n {
					t.Errorf("%+v of %s: %x, want %x", c, v.show, w, n)
				}
			}
		}
	}
}

// TestTimes compares with time.Time.Compare, up to the ends of what it holds.
func TestTimes(t *testing.T) {
	v := []time.Time{time.Unix(math.MaxInt64, 1), time.Unix(math.MinInt64, 0), time.Unix(math.MaxInt64-62135596800, 0), {}}
	for range 200 {
		v = append(v, time.Unix(int64(rand.Uint64()), rand.Int64N(1e9)), time.Unix(rand.Int64N(3), rand.Int64N(3)))
	}
	c := Column{Kind: Time}
	for i := range v {
		for j := range v {
			got := bytes.Compare(c.Append(nil, unsafe.Pointer(&v[i]), true), c.Append(nil, unsafe.Pointer(&v[j]), true))
			if want := v[i].Compare(v[j]); got != want {
				t.Fatalf("%v against %v: %d, want %d", v[i], v[j], got, want)
			}
		}
	}
}

// TestStore: what is stored at once is what is appended one by one.
func TestStore(t *testing.T) {
	for base, values := range ascending() {
		for _, c := range orders(base) {
			if !c.Bulk() {
				continue
			}
			// The values of a slice, whose first is the second of these: null is no value.
			n, stride := len(values)-1, c.Width()+3
			dst := make([]byte, n*stride)
			c.Store(dst, stride, values[1].p, n)
			for i, v := range values[1:] {
				if want := c.Append(nil, v.p, true); !bytes.Equal(dst[i*stride:][:c.Width()], want) {
					t.Errorf("%+v of %s: % x, want % x", c, v.show, dst[i*stride:][:c.Width()], want)
				}
				if !bytes.Equal(dst[i*stride+c.Width():(i+1)*stride], make([]byte, 3)) {
					t.Errorf("%+v of %s: written beyond the key", c, v.show)
				}
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add("a\x00", "a", "b", "\x01")
	f.Fuzz(func(t *testing.T, a, b, x, y string) {
		for _, desc := range []bool{false, true} {
			c := Column{Kind: Text, Order: key.Order{Desc: desc}}
			k := func(a, x string) []byte {
				return c.Append(c.Append(nil, unsafe.Pointer(&a), false), unsafe.Pointer(&x), true)
			}
			want := cmp.Or(cmp.Compare(a, b), cmp.Compare(x, y))
			if desc {
				want = -want
			}
			if got := bytes.Compare(k(a, x), k(b, y)); got != want {
				t.Errorf("desc %v: (%q %q) against (%q %q): %d, want %d", desc, a, x, b, y, got, want)
			}
		}
	})
}
