package cpu

import (
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// images32 writes the images of k, keys of at most 32 bits, to dst.
func images32[U key.Word](dst []uint32, k []U, c key.Codec) {
	if unsafe.Sizeof(k[0]) == 4 {
		encodeTo(dst, cast[uint32](k), c)
		return
	}
	m := intMask[U](c)
	for i, u := range k {
		dst[i] = uint32(u ^ m)
	}
}

// images64 writes the images of k to dst.
func images64[U key.Word](dst []uint64, k []U, c key.Codec) {
	if unsafe.Sizeof(k[0]) == 8 {
		encodeTo(dst, cast[uint64](k), c)
		return
	}
	block := getScratch[uint32](blockItems)
	defer block.put()
	b := block.s
	images32(b[:], k, c)
	for i := range k {
		dst[i] = uint64(b[i])
	}
}

// patterns32 undoes images32.
func patterns32[U key.Word](k []U, src []uint32, c key.Codec) {
	if unsafe.Sizeof(k[0]) == 4 {
		decodeTo(cast[uint32](k), src, c)
		return
	}
	m := intMask[U](c)
	for i := range k {
		k[i] = U(src[i]) ^ m
	}
}

// patterns64 undoes images64.
func patterns64[U key.Word](k []U, src []uint64, c key.Codec) {
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
	patterns32(k, b[:len(k)], c)
}
