package key

import (
	"fmt"
	"reflect"
	"unsafe"
)

// Kind says how the bits of a key are read.
type Kind uint8

// The kinds of key.
const (
	Unsigned Kind = iota
	Signed
	Float
)

// Type names a row of the key-type table. Its zero value is U8.
type Type uint8

// The key types, in table order.
const (
	U8 Type = iota
	I8
	U16
	I16
	U32
	I32
	U64
	I64
	F32
	F64

	// The processor alone sorts these: neither Table nor a device has them.

	F16  // IEEE 754 binary16
	BF16 // the high half of an F32
	U128 // two words of the machine: high, low
	B128 // 16 bytes, the first the highest
	numTypes

	numTabled = F16
)

// Row describes one key type.
type Row struct {
	Type Type
	Name string // as flags, case IDs and kernel names spell it
	Bits int    // width: 8, 16, 32 or 64; 128 for U128 and B128
	Kind Kind
}

var table = [numTypes]Row{
	{U8, "u8", 8, Unsigned},
	{I8, "i8", 8, Signed},
	{U16, "u16", 16, Unsigned},
	{I16, "i16", 16, Signed},
	{U32, "u32", 32, Unsigned},
	{I32, "i32", 32, Signed},
	{U64, "u64", 64, Unsigned},
	{I64, "i64", 64, Signed},
	{F32, "f32", 32, Float},
	{F64, "f64", 64, Float},
	{F16, "f16", 16, Float},
	{BF16, "bf16", 16, Float},
	{U128, "u128", 128, Unsigned},
	{B128, "b128", 128, Unsigned},
}

// Table returns a copy of the rows of all types that devices sort and commands name.
func Table() []Row { return append([]Row(nil), table[:numTabled]...) }

// HostOnly reports whether only the processor sorts keys of type t.
func (t Type) HostOnly() bool { return t >= numTabled }

// Row returns the type's row. It panics if there is no such type.
func (t Type) Row() Row { return table[t] }

// String returns the type's name, such as "u32".
func (t Type) String() string {
	if int(t) >= len(table) {
		return fmt.Sprintf("key.Type(%d)", uint8(t))
	}
	return table[t].Name
}

// Bits returns the width of a key in bits.
func (t Type) Bits() int { return table[t].Bits }

// Bytes returns the width of a key in bytes.
func (t Type) Bytes() int { return table[t].Bits / 8 }

// Key is the set of Go's numbers that are sorted as keys: every type of the
// table, the platform-sized integers, and named types on them.
type Key interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~uint64 | ~int64 |
		~int | ~uint | ~uintptr | ~float32 | ~float64
}

// Of returns the table's type for the Go type T; int, uint and uintptr map to
// the integer of their width on this platform.
func Of[T Key]() Type {
	var zero T
	one := zero + 1
	switch {
	case one/2 != 0: // only a float keeps the half
		if unsafe.Sizeof(zero) == 4 {
			return F32
		}
		return F64
	case zero-one < zero:
		return ByWidth(int(unsafe.Sizeof(zero)), I8, I16, I32, I64)
	default:
		return UnsignedOf(int(unsafe.Sizeof(zero)))
	}
}

// byKind is the type of numbers and arrays of a kind; structs have none.
var byKind = [32]Type{
	reflect.Uint8: U8, reflect.Int8: I8, reflect.Uint16: U16, reflect.Int16: I16,
	reflect.Uint32: U32, reflect.Int32: I32, reflect.Uint64: U64, reflect.Int64: I64,
	reflect.Float32: F32, reflect.Float64: F64, reflect.Array: B128,
	reflect.Int: Of[int](), reflect.Uint: Of[uint](), reflect.Uintptr: Of[uintptr](),
	reflect.Struct: numTypes,
}

// TypeOf returns the type of keys of type T: a number, an array of 16 bytes, or one of
// the caller's structs: of the bits of an F16, of a BF16, or any other, which is a U128.
func TypeOf[T, F16s, BF16s any]() Type {
	if t := byKind[reflect.TypeFor[T]().Kind()&31]; t != numTypes {
		return t
	}
	return structType[T, F16s, BF16s]()
}

func structType[T, F16s, BF16s any]() Type {
	switch any((*T)(nil)).(type) {
	case *F16s:
		return F16
	case *BF16s:
		return BF16
	}
	return U128
}

// ByWidth returns what stands for a width of 1, 2, 4 or 8 bytes: a value, or the
// instance of a generic function for words of that width. It is a switch and no
// map because Of is on the path of sorts of a few keys.
func ByWidth[F any](bytes int, b1, b2, b4, b8 F) F {
	switch bytes {
	case 1:
		return b1
	case 2:
		return b2
	case 4:
		return b4
	}
	return b8
}

// ByWidthTo16 is ByWidth of widths that 16 bytes are among.
func ByWidthTo16[F any](bytes int, b1, b2, b4, b8, b16 F) F {
	if bytes == 16 {
		return b16
	}
	return ByWidth(bytes, b1, b2, b4, b8)
}

// ByWidths returns what stands for keys and values of such widths: of the first
// four, by the keys' width, for values of 4 bytes or none, of the others for values
// of 8 bytes.
func ByWidths[F any](keyBytes, valueBytes int, a1, a2, a4, a8, b1, b2, b4, b8 F) F {
	if valueBytes == 8 {
		return ByWidth(keyBytes, b1, b2, b4, b8)
	}
	return ByWidth(keyBytes, a1, a2, a4, a8)
}

// ByType returns what stands for t, of one value for each row of the table. It
// panics if t is not in the table.
func ByType[F any](t Type, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 F) F {
	return [numTabled]F{u8, i8, u16, i16, u32, i32, u64, i64, f32, f64}[t]
}
