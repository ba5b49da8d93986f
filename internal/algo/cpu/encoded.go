package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// encode32 writes the encoded keys of k, keys of at most 32 bits, to dst.
func encode32[U key.Word](dst []uint32, k []U, c key.Codec) {
	if unsafe.Sizeof(k[0]) == 4 {
		encodeTo(dst, cast[uint32](k), c)
		return
	}
	if isFloat(c) {
		m := key.MapOf[U](c)
		for i, u := range k {
			dst[i] = uint32(m.Of(u))
		}
		return
	}
	m := intMask[U](c)
	for i, u := range k {
		dst[i] = uint32(u ^ m)
	}
}

// encode64 writes the encoded keys of k to dst.
func encode64[U key.Word](dst []uint64, k []U, c key.Codec) {
	if unsafe.Sizeof(k[0]) == 8 {
		encodeTo(dst, cast[uint64](k), c)
		return
	}
	block := getScratch[uint32](blockItems)
	defer block.put()
	b := block.s
	encode32(b[:], k, c)
	for i := range k {
		dst[i] = uint64(b[i])
	}
}

// decode32 undoes encode32.
func decode32[U key.Word](k []U, src []uint32, c key.Codec) {
	if unsafe.Sizeof(k[0]) == 4 {
		decodeTo(cast[uint32](k), src, c)
		return
	}
	if isFloat(c) {
		for i := range k {
			k[i] = key.Decode(c, U(src[i]))
		}
		return
	}
	m := intMask[U](c)
	for i := range k {
		k[i] = U(src[i]) ^ m
	}
}

// decode64 undoes encode64.
func decode64[U key.Word](k []U, src []uint64, c key.Codec) {
	if unsafe.Sizeof(k[0]) == 8 {
		decodeTo(cast[uint64](k), src, c)
		return
	}
	block := getScratch[uint32](blockItems)
	defer block.put()
	b := block.s
	for i, u := range src {
		b[i] = uint32(u)
	}
	decode32(k, b[:len(k)], c)
}
