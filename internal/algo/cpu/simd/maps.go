package simd

import "unsafe"

// FloatMap holds the constants M, Twice, Sign, Last and Flip of a float codec:
// with p the usual encoded key of a pattern (negative: all bits flipped; others:
// Sign flipped), the encoded key is p + M, or Twice − p if p < M; minus Last; XOR
// Flip. M may be 0, for which there are shorter kernels: the order is then that
// of the usual encoded keys, from Last on.
type FloatMap[U Word] [5]U

// mapMin is the number of words below which a plain loop is as fast.
const mapMin = 8

// Encode maps src to dst, its length, by f, or declines.
func Encode[U Word](dst, src []U, f *FloatMap[U]) bool {
	if len(src) < mapMin || Current() == Plain {
		return false
	}
	n := len(src)
	if Current() == AVX2 {
		n &^= mapMin - 1 // whole vectors
		for i, u := range src[n:] {
			dst[n+i] = f.encode(u)
		}
	}
	if f[0] == 0 {
		encodeLoose(dst[:n], src[:n], unsafe.Pointer(f))
	} else {
		encode(dst[:n], src[:n], unsafe.Pointer(f))
	}
	return true
}

// Decode undoes Encode.
func Decode[U Word](dst, src []U, f *FloatMap[U]) bool {
	if len(src) < mapMin || Current() == Plain {
		return false
	}
	n := len(src)
	if Current() == AVX2 {
		n &^= mapMin - 1
		for i, u := range src[n:] {
			dst[n+i] = f.decode(u)
		}
	}
	if f[0] == 0 {
		decodeLoose(dst[:n], src[:n], unsafe.Pointer(f))
	} else {
		decode(dst[:n], src[:n], unsafe.Pointer(f))
	}
	return true
}

// Xor writes src XOR mask to dst, its length, or declines.
func Xor[U Word](dst, src []U, mask U) bool {
	if len(src) < mapMin || Current() != AVX512 {
		return false
	}
	xor(dst, src, mask)
	return true
}

// encodeAll encodes x, of any length, by c; decodeAll undoes it.
func encodeAll[U Word](x []U, c Codec[U]) {
	if c.Float == nil {
		xorAll(x, c.Mask)
	} else if !Encode(x, x, c.Float) {
		for i, u := range x {
			x[i] = c.Float.encode(u)
		}
	}
}

func decodeAll[U Word](x []U, c Codec[U]) {
	if c.Float == nil {
		xorAll(x, c.Mask)
	} else if !Decode(x, x, c.Float) {
		for i, u := range x {
			x[i] = c.Float.decode(u)
		}
	}
}

func xorAll[U Word](x []U, mask U) {
	if !Xor(x, x, mask) {
		for i := range x {
			x[i] ^= mask
		}
	}
}

// sign is a word's highest bit spread over all.
func sign[U Word](u U) U { return -(u >> (unsafe.Sizeof(u)*8 - 1)) }

func (f *FloatMap[U]) encode(u U) U {
	p := u ^ (sign(u) | f[2])
	y := p + f[0]
	if p < f[0] {
		y = f[1] - p
	}
	return (y - f[3]) ^ f[4]
}

func (f *FloatMap[U]) decode(y U) U {
	y = (y ^ f[4]) + f[3]
	p := y - f[0]
	if p < f[0] {
		p = f[1] - y
	}
	return p ^ (^sign(p) | f[2])
}

// OrderBlock is how many bytes Ordered looks at in one go. One word more must
// follow for the last to be among them.
const OrderBlock = streamsBlock

// Ordered returns an i, the encoded keys of x[:i+1] being in order, that is close to
// the first disorder if the processor has kernels, and 0 otherwise.
func Ordered[U Word](x []U, c Codec[U]) int {
	if len(x) < 2*Slack {
		return 0
	}
	k := kernelsOf[U]()
	switch {
	case k == nil || k.orderedXor == nil:
		return 0
	case c.Float != nil:
		return k.orderedFloat(unsafe.SliceData(x), len(x), c.Float)
	}
	return k.orderedXor(unsafe.SliceData(x), len(x), c.Mask)
}

// Encode replaces the words of x by their encoded keys.
func (c Codec[U]) Encode(x []U) { encodeAll(x, c) }

// Decode undoes Encode.
func (c Codec[U]) Decode(x []U) { decodeAll(x, c) }
