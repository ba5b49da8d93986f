package key

import (
	"cmp"
	"encoding/binary"
)

// Octets is the memory of a key of 128 bits: a U128 or a B128.
type Octets [16]byte

// Wide is the encoded key of one: what Hi and then Lo order.
type Wide struct{ Hi, Lo uint64 }

// EncodeWide returns the encoded key of b.
func EncodeWide(c Codec, b *Octets) (w Wide) {
	if c&CodecBytes != 0 {
		w = Wide{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
	} else {
		w = Wide{binary.NativeEndian.Uint64(b[:8]), binary.NativeEndian.Uint64(b[8:])}
	}
	if c&CodecDesc != 0 {
		w.Hi, w.Lo = ^w.Hi, ^w.Lo
	}
	return w
}

// DecodeWide writes the key of w to b.
func DecodeWide(c Codec, b *Octets, w Wide) {
	if c&CodecDesc != 0 {
		w.Hi, w.Lo = ^w.Hi, ^w.Lo
	}
	if c&CodecBytes != 0 {
		binary.BigEndian.PutUint64(b[:8], w.Hi)
		binary.BigEndian.PutUint64(b[8:], w.Lo)
		return
	}
	binary.NativeEndian.PutUint64(b[:8], w.Hi)
	binary.NativeEndian.PutUint64(b[8:], w.Lo)
}

// Less reports whether w is before v.
func (w Wide) Less(v Wide) bool { return w.Hi < v.Hi || w.Hi == v.Hi && w.Lo < v.Lo }

// Compare is negative where w is before v, 0 where they are equal, else positive.
func (w Wide) Compare(v Wide) int {
	if w.Hi != v.Hi {
		return cmp.Compare(w.Hi, v.Hi)
	}
	return cmp.Compare(w.Lo, v.Lo)
}
