package schema

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"time"
	"unsafe"
)

// Flat is a key of one column by value, for the few rows for which a byte string would
// cost more than the sort. Text in it is the caller's.
type Flat struct {
	mark   uint8 // of what may be missing
	kind   uint8 // of an address
	hi, lo uint64
	text   string
}

// FlatNull is the key of a missing value.
func (c Column) FlatNull() Flat { return Flat{mark: c.mark(true)} }

// Flat is the key of the value at p.
func (c Column) Flat(p unsafe.Pointer) (f Flat) {
	if c.Nullable {
		f.mark = c.mark(false)
	}
	switch c.Kind {
	case Number, Bool, Float16, BFloat16:
		f.lo = c.Word(p)
		return f
	case Text:
		f.text = *(*string)(p)
		return f
	case Bytes:
		b := *(*[]byte)(p)
		f.text = unsafe.String(unsafe.SliceData(b), len(b))
		return f
	case Wide:
		w := *(*[2]uint64)(p)
		f.hi, f.lo = w[0], w[1]
	case Octets:
		f.setOctets(*(*[16]byte)(p))
	case Time:
		f.hi, f.lo = timeWords(*(*time.Time)(p))
	case Addr:
		a := *(*netip.Addr)(p)
		f.kind, f.text = addrKind(a), a.Zone()
		if a.IsValid() {
			f.setOctets(a.As16())
		}
	}
	if c.Order.Desc {
		f.kind, f.hi, f.lo = ^f.kind, ^f.hi, ^f.lo
	}
	return f
}

func (f *Flat) setOctets(b [16]byte) {
	f.hi, f.lo = binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])
}

// Compare compares keys of the column, which must be alive.
func (c Column) Compare(a, b *Flat) int {
	switch {
	case a.mark != b.mark:
		return cmp.Compare(a.mark, b.mark)
	case a.kind != b.kind:
		return cmp.Compare(a.kind, b.kind)
	case a.hi != b.hi:
		return cmp.Compare(a.hi, b.hi)
	case a.lo != b.lo:
		return cmp.Compare(a.lo, b.lo)
	case c.Order.Desc:
		return cmp.Compare(b.text, a.text)
	}
	return cmp.Compare(a.text, b.text)
}
