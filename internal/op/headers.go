package op

import "unsafe"

// Text is the set of types of byte strings.
type Text interface{ ~string | ~[]byte }

// Headers are byte strings in host memory: the headers of a slice of strings or of byte slices, both of
// which begin with where the bytes are and how many. They keep the slice alive.
type Headers struct {
	first unsafe.Pointer
	size  uintptr // of a header, in bytes
	n     int
}

// HeadersOf are the strings of x.
func HeadersOf[T Text](x []T) Headers {
	return Headers{start(x), unsafe.Sizeof(*new(T)), len(x)}
}

// Len is how many strings there are.
func (h Headers) Len() int { return h.n }

// Bytes is the size of string i, which is below Len.
func (h Headers) Bytes(i int) int { return *(*int)(unsafe.Add(h.at(i), unsafe.Sizeof(h.first))) }

// Text is string i, which is below Len. Those of byte slices change with their bytes.
func (h Headers) Text(i int) string {
	return unsafe.String(*(**byte)(h.at(i)), h.Bytes(i))
}

func (h Headers) at(i int) unsafe.Pointer { return unsafe.Add(h.first, uintptr(i)*h.size) }
