package cpu

import "unsafe"

// rec is a 64-bit encoded key with its value or index.
type rec struct{ k, v uint64 }

// elem is what the engine moves: a encoded key, a 32-bit encoded key above its
// value or index, or a rec.
type elem interface{ uint32 | uint64 | rec }

// word returns the ordered word of an element; a rec's is its key.
func word[E elem](p *E) uint64 {
	if unsafe.Sizeof(*p) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(p)))
	}
	return *(*uint64)(unsafe.Pointer(p))
}

// wordBits is the number of bits of word[E].
func wordBits[E elem]() uint {
	var e E
	return min(64, uint(unsafe.Sizeof(e))*8)
}

// insertion sorts a, which is short, by the bits of word from low on. It is
// stable.
func insertion[E elem](a []E, low uint) {
	for i := 1; i < len(a); i++ {
		e := a[i]
		w := word(&a[i]) >> low
		j := i
		for j > 0 && word(&a[j-1])>>low > w {
			a[j] = a[j-1]
			j--
		}
		a[j] = e
	}
}
