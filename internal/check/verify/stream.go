package verify

import (
	"fmt"
	"io"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// Stream checks keys that come in parts, as little-endian bytes of one type.
// Its zero value is not usable; see NewStream.
type Stream struct {
	t     key.Type
	c     key.Codec
	last  [8]byte // the key before the next part
	items uint64
	bad   int64
	a, b  uint64 // bits around the first disorder
	sum   Digest
}

// NewStream returns a checker of keys of type t in order o.
func NewStream(t key.Type, o key.Order) *Stream {
	return &Stream{t: t, c: key.CodecOf(t, o), bad: -1}
}

// Disorder returns the first position whose key comes before its predecessor,
// and the bits of the two keys in input order; position −1 if there is none so
// far.
func (s *Stream) Disorder() (pos int64, before, at uint64) { return s.bad, s.a, s.b }

// Digest returns the multiset digest of all keys so far; it equals Multiset of
// the whole.
func (s *Stream) Digest() Digest { return s.sum }

// Keys checks the next keys. p is little-endian, a whole number of keys,
// aligned to the key's width, and not kept.
func (s *Stream) Keys(p []byte) {
	if len(p)%s.t.Bytes() != 0 {
		panic(fmt.Sprintf("verify: %d bytes are no whole number of %v keys", len(p), s.t))
	}
	key.ByWidth(s.t.Bytes(), streamKeys[uint8], streamKeys[uint16], streamKeys[uint32], streamKeys[uint64])(s, p)
}

func streamKeys[U key.Word](s *Stream, p []byte) {
	n := len(p) / s.t.Bytes()
	if n == 0 {
		return
	}
	x := unsafe.Slice((*U)(unsafe.Pointer(&p[0])), n)
	last := (*U)(unsafe.Pointer(&s.last))
	if s.bad < 0 {
		if s.items > 0 && key.Encode(s.c, x[0]) < key.Encode(s.c, *last) {
			s.bad, s.a, s.b = int64(s.items), uint64(*last), uint64(x[0])
		} else if i := FirstDisorder(x, s.c); i >= 0 {
			s.bad, s.a, s.b = int64(s.items)+int64(i), uint64(x[i-1]), uint64(x[i])
		}
	}
	s.sum.Add(Multiset(x))
	s.items += uint64(n)
	*last = x[n-1]
}

// streamBytes is the part size of Reader: large enough to keep all processors
// busy, small beside any memory.
const streamBytes = 4 << 20

// Reader feeds all of r to the checker. A length that is no multiple of the
// key's width is an error that names the bytes left over.
func (s *Stream) Reader(r io.Reader) error {
	buf := make([]uint64, streamBytes/8) // words: aligned for every key
	p := unsafe.Slice((*byte)(unsafe.Pointer(&buf[0])), streamBytes)
	for {
		n, err := io.ReadFull(r, p)
		over := n % s.t.Bytes()
		s.Keys(p[:n-over])
		switch {
		case err == nil:
			continue
		case err != io.EOF && err != io.ErrUnexpectedEOF:
			return err
		case over != 0:
			return fmt.Errorf("length is no multiple of %d bytes, the width of %v: %d bytes left over after key %d",
				s.t.Bytes(), s.t, over, s.items)
		}
		return nil
	}
}
