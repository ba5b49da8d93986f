package schema

import (
	"encoding/binary"
	"net/netip"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// AppendNull appends the key of a missing value to dst: as long as any, if all are.
func (c Column) AppendNull(dst []byte) []byte {
	var rest [16]byte
	return append(append(dst, c.mark(true)), rest[:c.valueWidth()]...)
}

// mark is the byte before a value that may be missing.
func (c Column) mark(missing bool) byte {
	if missing == c.NullsLast {
		return 1
	}
	return 0
}

// Append appends the key of the value at p, of the column's kind, to dst. last is the
// column that no other follows.
func (c Column) Append(dst []byte, p unsafe.Pointer, last bool) []byte {
	if c.Nullable {
		dst = append(dst, c.mark(false))
	}
	switch c.Kind {
	case Number, Bool, Float16, BFloat16:
		return c.appendWord(dst, c.Word(p))
	case Text:
		s := *(*string)(p)
		return c.appendText(dst, unsafe.Slice(unsafe.StringData(s), len(s)), last)
	case Bytes:
		return c.appendText(dst, *(*[]byte)(p), last)
	}
	from := len(dst)
	switch c.Kind {
	case Wide:
		w := *(*[2]uint64)(p)
		dst = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(dst, w[0]), w[1])
	case Octets:
		dst = append(dst, (*(*[16]byte)(p))[:]...)
	case Time:
		dst = appendTime(dst, *(*time.Time)(p))
	default:
		dst = appendAddr(dst, *(*netip.Addr)(p), last && !c.Order.Desc)
	}
	return c.complemented(dst, from)
}

// complemented is dst with the bytes from from on complemented in descending order.
func (c Column) complemented(dst []byte, from int) []byte {
	if c.Order.Desc {
		for i := range dst[from:] {
			dst[from+i] ^= 0xff
		}
	}
	return dst
}

// Word is the key of the value at p of a column whose values have at most 8 bytes: a
// number of as many bytes.
func (c Column) Word(p unsafe.Pointer) uint64 {
	if c.Kind == Float16 || c.Kind == BFloat16 {
		return uint64(c.half(*(*uint16)(p)))
	}
	codec := key.CodecOf(c.Type, c.Order)
	switch c.Type.Bytes() {
	case 1:
		return uint64(key.Encode(codec, *(*uint8)(p)))
	case 2:
		return uint64(key.Encode(codec, *(*uint16)(p)))
	case 4:
		return uint64(key.Encode(codec, *(*uint32)(p)))
	}
	return key.Encode(codec, *(*uint64)(p))
}

// half is the encoded key of a float of 16 bits.
func (c Column) half(u uint16) uint16 {
	t := key.F16
	if c.Kind == BFloat16 {
		t = key.BF16
	}
	return key.Encode(key.CodecOf(t, c.Order), u)
}

// appendWord appends the lowest bytes of w, as many as a value has, the highest first.
func (c Column) appendWord(dst []byte, w uint64) []byte {
	switch c.valueWidth() {
	case 1:
		return append(dst, byte(w))
	case 2:
		return binary.BigEndian.AppendUint16(dst, uint16(w))
	case 4:
		return binary.BigEndian.AppendUint32(dst, uint32(w))
	}
	return binary.BigEndian.AppendUint64(dst, w)
}

// timeWords are what time.Time.Compare goes by for times without a monotonic clock.
func timeWords(t time.Time) (seconds, nanoseconds uint64) {
	// Unix counts from 1970, by which the first and last of all seconds change places.
	const from1 = 62135596800
	return uint64(t.Unix()+from1) ^ 1<<63, uint64(t.Nanosecond())
}

func appendTime(dst []byte, t time.Time) []byte {
	s, ns := timeWords(t)
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint64(dst, s), uint32(ns))
}

// addrKind is 0 for no address, 1 for IPv4, 2 for IPv6.
func addrKind(a netip.Addr) uint8 {
	switch {
	case !a.IsValid():
		return 0
	case a.Is4():
		return 1
	}
	return 2
}

// appendAddr appends what netip.Addr.Compare goes by.
func appendAddr(dst []byte, a netip.Addr, open bool) []byte {
	kind := addrKind(a)
	dst = append(dst, kind)
	switch kind {
	case 0:
		return dst
	case 1:
		b := a.As4()
		return append(dst, b[:]...)
	}
	b := a.As16()
	return appendEscaped(append(dst, b[:]...), []byte(a.Zone()), open)
}

func (c Column) appendText(dst, s []byte, last bool) []byte {
	from := len(dst)
	return c.complemented(appendEscaped(dst, s, last && !c.Order.Desc), from)
}

// appendEscaped appends s as text; if nothing may follow, as it is.
func appendEscaped(dst, s []byte, open bool) []byte {
	if open {
		return append(dst, s...)
	}
	return AppendEscaped(dst, s)
}

// AppendEscaped appends s and an end, so that it is the beginning of no other: a byte 0, for
// which bytes 0 and 1 of s are written as two.
func AppendEscaped(dst, s []byte) []byte {
	if !hasLow(s) {
		return append(append(dst, s...), 0)
	}
	for _, b := range s {
		if b <= 1 {
			dst, b = append(dst, 1), b+1
		}
		dst = append(dst, b)
	}
	return append(dst, 0)
}

// hasLow reports whether s has a byte 0 or 1.
func hasLow(s []byte) bool {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	for ; len(s) >= 8; s = s[8:] {
		if w := binary.LittleEndian.Uint64(s); (w-2*ones)&^w&tops != 0 {
			return true
		}
	}
	for _, b := range s {
		if b <= 1 {
			return true
		}
	}
	return false
}
