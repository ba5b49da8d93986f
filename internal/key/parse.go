package key

import (
	"fmt"
	"slices"
	"strings"
)

// aliases are the names of other languages and of NumPy for the table's types. Where
// languages differ, C's meaning on 64-bit Unix counts: int has 32 bits, long 64, float is f32.
// u8, i8 are the table's own, of 8 bits; NumPy's of 8 bytes are <u8 and <i8.
var aliases = [numTabled]string{
	U8:  "uint8 uint8_t byte ubyte uchar u1 |u1 <u1",
	I8:  "int8 int8_t sbyte i1 |i1 <i1",
	U16: "uint16 uint16_t ushort u2 <u2",
	I16: "int16 int16_t short i2 <i2",
	U32: "uint32 uint32_t uint u4 <u4",
	I32: "int32 int32_t int i4 <i4",
	U64: "uint64 uint64_t ulong <u8",
	I64: "int64 int64_t long <i8",
	F32: "float32 float single f4 <f4",
	F64: "float64 double f8 <f8",
}

// Parse finds a type by its name, or by one that other languages or NumPy have for it,
// such as int64, double or <u4, in any case of letters. The error lists the table's names.
func Parse(name string) (Type, error) {
	lower := strings.ToLower(name)
	for t, list := range aliases {
		if lower == table[t].Name || slices.Contains(strings.Fields(list), lower) {
			return Type(t), nil
		}
	}
	if strings.HasPrefix(name, ">") {
		return 0, fmt.Errorf("key type %q is big-endian: only .npy files may be, and they say so themselves", name)
	}
	names := make([]string, numTabled)
	for i, r := range Table() {
		names[i] = r.Name
	}
	return 0, fmt.Errorf("unknown key type %q: known are %s; int64, double, <u4 and the like mean them, too", name, strings.Join(names, ", "))
}
