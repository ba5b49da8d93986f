package table

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
)

// textOf says values of a column in text that DuckDB reads as the same values.
func textOf(a arrow.Array) func(int) string {
	switch a := a.(type) {
	case *array.Float64:
		return func(i int) string { return floatText(a.Value(i), 64) }
	case *array.Float32:
		return func(i int) string { return floatText(float64(a.Value(i)), 32) }
	case *array.Float16:
		return func(i int) string { return floatText(float64(half(a.Value(i).Uint16())), 32) }
	case *array.Timestamp:
		return timeText(a, ' ', "+00")
	case *array.Dictionary:
		entry := textOf(a.Dictionary())
		return func(i int) string { return entry(a.GetValueIndex(i)) }
	case *array.Decimal32:
		return func(i int) string { return decimalText(big.NewInt(int64(a.Value(i))), a.DataType()) }
	case *array.Decimal64:
		return func(i int) string { return decimalText(big.NewInt(int64(a.Value(i))), a.DataType()) }
	case *array.Decimal128:
		return func(i int) string { return decimalText(a.Value(i).BigInt(), a.DataType()) }
	case *array.Decimal256:
		return func(i int) string { return decimalText(a.Value(i).BigInt(), a.DataType()) }
	case *array.Binary, *array.LargeBinary, *array.BinaryView, *array.FixedSizeBinary:
		return func(i int) string { return blobText(a.ValueStr(i)) }
	case *array.Struct, array.ListLike:
		var text bytes.Buffer
		value, encoder := jsonOf(a), newEncoder(&text)
		return func(i int) string {
			if err := encodeTo(&text, encoder, value(i)); err != nil {
				panic(err)
			}
			return text.String()
		}
	case *extensions.OpaqueArray:
		return textOf(a.Storage())
	}
	return a.ValueStr
}

// timeText says times to the last digit that is not 0, in UTC with a mark behind if they are of a zone.
func timeText(a *array.Timestamp, between rune, utc string) func(int) string {
	t := a.DataType().(*arrow.TimestampType)
	layout := "2006-01-02" + string(between) + "15:04:05.999999999"
	if t.TimeZone != "" {
		layout += utc
	}
	return func(i int) string { return a.Value(i).ToTime(t.Unit).UTC().Format(layout) }
}

// half is the float of 16 bits.
func half(bits uint16) float32 {
	sign, exponent, fraction := uint32(bits>>15)<<31, uint32(bits>>10&0x1f), uint32(bits&0x3ff)
	switch exponent {
	case 0:
		return math.Float32frombits(sign | math.Float32bits(float32(fraction)*0x1p-24))
	case 0x1f:
		exponent = 0xff - (127 - 15)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}

func floatText(v float64, bits int) string {
	switch {
	case math.IsNaN(v):
		return "nan"
	case math.IsInf(v, 0):
		return strings.TrimPrefix(strings.ToLower(fmt.Sprintf("%+v", v)), "+")
	}
	return strconv.FormatFloat(v, 'g', -1, bits)
}

// decimalText has all digits that the type has behind the point.
func decimalText(n *big.Int, t arrow.DataType) string {
	scale := int(t.(arrow.DecimalType).GetScale())
	text, sign := new(big.Int).Abs(n).String(), ""
	if n.Sign() < 0 {
		sign = "-"
	}
	if scale <= 0 {
		if n.Sign() != 0 {
			text += strings.Repeat("0", -scale)
		}
		return sign + text
	}
	text = strings.Repeat("0", max(scale+1-len(text), 0)) + text
	return sign + text[:len(text)-scale] + "." + text[len(text)-scale:]
}

// blobText escapes what is no printable ASCII as \xHH.
func blobText(encoded string) string {
	b, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return encoded
	}
	var s strings.Builder
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' || c == '"' || c == '\'' {
			fmt.Fprintf(&s, `\x%02X`, c)
		} else {
			s.WriteByte(c)
		}
	}
	return s.String()
}
