package op

// Integer is the set of types that offsets, and indices of segments, can have.
type Integer interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64 |
		~int | ~uint | ~uintptr
}
