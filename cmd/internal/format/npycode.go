package format

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/internal/key"
)

// npyBool is the type string of bools, which are keys of type u8.
const npyBool = "|b1"

// half says that an .npy file holds the keys as float16. In memory they are f32: the
// conversion keeps every value, NaN's payload and the order, and back again loses nothing.
func (it Item) half() bool { return !it.Opaque && strings.HasSuffix(it.Descr, "f2") }

// bigEndian says that an .npy file holds the keys with their first byte last in memory.
func (it Item) bigEndian() bool { return !it.Opaque && strings.HasPrefix(it.Descr, ">") }

// coded says that the bytes of an .npy file are not those of memory.
func (it Item) coded() bool { return it.half() || it.bigEndian() }

// fileBytes is the width of an item in an .npy file.
func (it Item) fileBytes() int {
	if it.half() {
		return 2
	}
	return it.Bytes
}

// decode turns items of a file into those of memory. dst may be src if the widths are equal.
func (it Item) decode(dst, src []byte) {
	if !it.half() {
		it.swap(dst, src)
		return
	}
	for i := range len(src) / 2 {
		binary.LittleEndian.PutUint32(dst[4*i:], widen(it.order().Uint16(src[2*i:])))
	}
}

// encode is the inverse of decode.
func (it Item) encode(dst, src []byte) {
	if !it.half() {
		it.swap(dst, src)
		return
	}
	for i := range len(src) / 4 {
		it.order().PutUint16(dst[2*i:], narrow(binary.LittleEndian.Uint32(src[4*i:])))
	}
}

func (it Item) order() binary.ByteOrder {
	if it.bigEndian() {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// swap reverses the bytes of every item.
func (it Item) swap(dst, src []byte) {
	copy(dst, src)
	for at := 0; at < len(dst); at += it.Bytes {
		slices.Reverse(dst[at : at+it.Bytes])
	}
}

// The float16 format: a sign, 5 bits of exponent, 10 of mantissa.
const (
	halfInf    = 0x7c00
	halfBits   = 10
	floatBits  = 23
	moreBits   = floatBits - halfBits
	biasChange = (127 - 15) << floatBits
	leastHalf  = 1.0 / (1 << 24) // the smallest number above 0
)

// widen returns the bits of the float32 that has the value, or the payload, of a float16.
func widen(h uint16) uint32 {
	sign, u := uint32(h>>15)<<31, uint32(h&0x7fff)
	switch {
	case u >= halfInf:
		return sign | 0x7f800000 | (u&0x3ff)<<moreBits
	case u>>halfBits == 0:
		return sign | math.Float32bits(float32(u)*leastHalf)
	}
	return sign | (u<<moreBits + biasChange)
}

// narrow is the inverse of widen. It takes only what widen returns.
func narrow(f uint32) uint16 {
	sign, u := uint16(f>>31)<<15, f&0x7fffffff
	switch {
	case u >= 0x7f800000:
		return sign | halfInf | uint16(u>>moreBits&0x3ff)
	case u < biasChange+1<<floatBits:
		return sign | uint16(math.Float32frombits(u)/leastHalf)
	}
	return sign | uint16((u-biasChange)>>moreBits)
}

// codeItems is the number of items that are decoded or encoded at a time.
const codeItems = 1 << 16

// decodeAll returns the memory's items of a whole file's. It uses the memory of data where
// the widths are equal.
func (it Item) decodeAll(data []byte) []byte {
	w, out := it.fileBytes(), data
	n := len(data) / w
	if w != it.Bytes {
		out = alloc(n * it.Bytes)
	}
	each((n+codeItems-1)/codeItems, func(i int) error {
		lo, hi := i*codeItems, min((i+1)*codeItems, n)
		it.decode(out[lo*it.Bytes:hi*it.Bytes], data[lo*w:hi*w])
		return nil
	})
	return out
}

// decoder reads the memory's items of a file's.
type decoder struct {
	r    io.Reader
	it   Item
	in   []byte // of the file
	out  []byte // decoded
	rest []byte // of out: not read yet
	err  error
}

func newDecoder(r io.Reader, it Item) *decoder {
	return &decoder{r: r, it: it, in: make([]byte, codeItems*it.fileBytes()), out: make([]byte, codeItems*it.Bytes)}
}

// Read ends with io.EOF behind the last whole item; io.ErrUnexpectedEOF says that
// a part of another follows.
func (d *decoder) Read(p []byte) (int, error) {
	for len(d.rest) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		n, err := io.ReadFull(d.r, d.in)
		whole := n / d.it.fileBytes()
		if err == io.ErrUnexpectedEOF && n%d.it.fileBytes() == 0 {
			err = io.EOF
		}
		d.err = err
		d.rest = d.out[:whole*d.it.Bytes]
		d.it.decode(d.rest, d.in[:whole*d.it.fileBytes()])
	}
	n := copy(p, d.rest)
	d.rest = d.rest[n:]
	return n, nil
}

// codedKeys are the number types that keys have in .npy files and not in memory.
var codedKeys = map[string]key.Type{"b1": key.U8, "f2": key.F32}
