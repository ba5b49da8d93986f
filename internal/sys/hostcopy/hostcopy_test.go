package hostcopy

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"
)

const guard = 256

// place returns n bytes at the given offset from a cache line, with guards of
// 0xEE around them, and all of the memory.
func place(n, offset int) (part, whole []byte) {
	whole = bytes.Repeat([]byte{0xEE}, n+2*guard+align)
	at := guard + int(-uintptr(unsafe.Pointer(&whole[guard]))%align) + offset
	return whole[at : at+n : at+n], whole
}

func untouched(t *testing.T, name string, part, whole []byte) {
	t.Helper()
	at := int(uintptr(unsafe.Pointer(&part[0])) - uintptr(unsafe.Pointer(&whole[0])))
	for i, b := range whole {
		if (i < at || i >= at+len(part)) && b != 0xEE {
			t.Fatalf("%s: byte %d beside the copy was written", name, i-at)
		}
	}
}

func TestCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 127, least - 1, least, least + 1, least + 127, least + 129, 2*least - 128, 2 * least, 3*least + 256, 300<<10 + 77} {
		for _, from := range []int{0, 1, 8, 31, 63} {
			for _, to := range []int{0, 4, 32, 63} {
				src, _ := place(n, from)
				for i := range src {
					src[i] = byte(r.Uint32())
				}
				one, oneAll := place(n, to)
				Copy(unsafe.Pointer(&one[0]), unsafe.Pointer(&src[0]), uint64(n))
				a, aAll := place(n, 0)
				b, bAll := place(n, to)
				Twice(unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), unsafe.Pointer(&src[0]), uint64(n))
				c, cAll := place(n, to)
				Cached(unsafe.Pointer(&c[0]), unsafe.Pointer(&src[0]), uint64(n))
				for name, x := range map[string][2][]byte{"Copy": {one, oneAll}, "Cached": {c, cAll}, "Twice, first": {a, aAll}, "Twice, second": {b, bAll}} {
					name = fmt.Sprintf("%s, %d bytes from %d to %d", name, n, from, to)
					if !bytes.Equal(x[0], src) {
						t.Fatalf("%s: the copy differs", name)
					}
					untouched(t, name, x[0], x[1])
				}
			}
		}
	}
	Copy(nil, nil, 0)
	Cached(nil, nil, 0)
	Twice(nil, nil, nil, 0)
}

// TestNothingBehind copies memory up to its last byte: no pointer past it may be made, which make race sees
// (checkptr) and the collector ends a program for.
func TestNothingBehind(t *testing.T) {
	for _, n := range []int{least, 2 * least, blockBytes, 4 * blockBytes} {
		src, one, a, b := make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n)
		for i := range src {
			src[i] = byte(i * 7)
		}
		Copy(unsafe.Pointer(&one[0]), unsafe.Pointer(&src[0]), uint64(n))
		Twice(unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), unsafe.Pointer(&src[0]), uint64(n))
		for i, to := range [][]byte{one, a, b} {
			if !bytes.Equal(to, src) {
				t.Errorf("%d bytes: copy %d differs", n, i)
			}
		}
	}
}

// BenchmarkCopies compares with plain copies, on memory that no cache holds.
func BenchmarkCopies(b *testing.B) {
	const n = 256 << 20
	src, x, y := make([]byte, n), make([]byte, n), make([]byte, n)
	for i := range src {
		src[i], x[i], y[i] = byte(i), 1, 1
	}
	p := func(s []byte) unsafe.Pointer { return unsafe.Pointer(&s[0]) }
	for _, c := range []struct {
		name string
		copy func()
	}{
		{"plain", func() {
			for at := 0; at < n; at += block {
				copy(x[at:at+block], src[at:])
			}
		}},
		{"streamed", func() { Copy(p(x), p(src), n) }},
		{"plain-twice", func() {
			for at := 0; at < n; at += block {
				copy(x[at:at+block], src[at:])
				copy(y[at:at+block], src[at:])
			}
		}},
		{"streamed-twice", func() { Twice(p(x), p(y), p(src), n) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(n)
			for b.Loop() {
				c.copy()
			}
		})
	}
}
