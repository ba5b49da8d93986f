package table

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/gpusort/gpusort/cmd/internal/columns"
)

// jsonWriter writes batches as JSON Lines, an object a row, whose members are the columns in
// their order.
type jsonWriter struct {
	w     *bufio.Writer
	value bytes.Buffer
	enc   *json.Encoder // to value
	names []string      // of columns, with what is around them
}

func newJSONWriter(w io.Writer, s *arrow.Schema) (*jsonWriter, error) {
	j := &jsonWriter{w: bufio.NewWriterSize(w, 1<<16)}
	j.enc = json.NewEncoder(&j.value)
	j.enc.SetEscapeHTML(false)
	for i, f := range s.Fields() {
		if err := j.encode(f.Name); err != nil {
			return nil, err
		}
		name := j.value.String() + ":"
		if i > 0 {
			name = "," + name
		}
		j.names = append(j.names, name)
	}
	return j, nil
}

// encode has value hold v as JSON.
func (j *jsonWriter) encode(v any) error {
	j.value.Reset()
	err := j.enc.Encode(v)
	j.value.Truncate(max(j.value.Len()-1, 0)) // the line feed
	return err
}

// Write writes the rows of a batch.
func (j *jsonWriter) Write(b arrow.RecordBatch) error {
	values := make([]func(int) any, b.NumCols())
	for i := range values {
		values[i] = jsonOf(b.Column(i))
	}
	for row := range int(b.NumRows()) {
		j.w.WriteByte('{') // an error stays, for the end of the row
		for i, value := range values {
			if err := j.encode(value(row)); err != nil {
				return err
			}
			j.w.WriteString(j.names[i])
			j.w.Write(j.value.Bytes())
		}
		if _, err := j.w.WriteString("}\n"); err != nil {
			return err
		}
	}
	return nil
}

// jsonOf says values of a column as package json takes them.
func jsonOf(a arrow.Array) func(int) any {
	if _, decimal := a.DataType().(arrow.DecimalType); !decimal {
		return a.GetOneForMarshal
	}
	text := textOf(a)
	return func(i int) any {
		if a.IsNull(i) {
			return nil
		}
		return text(i)
	}
}

// Close writes what is left.
func (j *jsonWriter) Close() error { return j.w.Flush() }

// csvWriter writes batches as CSV: a missing value is nothing between separators, an empty
// text is quotes, as DuckDB has it.
type csvWriter struct {
	w         *bufio.Writer
	separator byte
}

// newCSVWriter begins with the heading.
func newCSVWriter(w io.Writer, k Kind, s *arrow.Schema) (*csvWriter, error) {
	c := &csvWriter{w: bufio.NewWriterSize(w, 1<<16), separator: ','}
	if k == columns.TSV {
		c.separator = '\t'
	}
	for i, f := range s.Fields() {
		c.field(i, f.Name)
	}
	return c, c.w.WriteByte('\n')
}

// field writes a text behind a separator.
func (c *csvWriter) field(i int, text string) {
	c.next(i)
	if text == "" || strings.ContainsAny(text, "\"\r\n"+string(rune(c.separator))) {
		text = `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	c.w.WriteString(text) // an error stays, for the end of the batch
}

func (c *csvWriter) next(i int) {
	if i > 0 {
		c.w.WriteByte(c.separator)
	}
}

// Write writes the rows of a batch.
func (c *csvWriter) Write(b arrow.RecordBatch) error {
	text := make([]func(int) string, b.NumCols())
	for i := range text {
		text[i] = textOf(b.Column(i))
	}
	for row := range int(b.NumRows()) {
		for i, text := range text {
			if b.Column(i).IsNull(row) {
				c.next(i)
			} else {
				c.field(i, text(row))
			}
		}
		if err := c.w.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}

// Close writes what is left.
func (c *csvWriter) Close() error { return c.w.Flush() }

// textOf says values of a column in text that DuckDB reads as the same values.
func textOf(a arrow.Array) func(int) string {
	switch a := a.(type) {
	case *array.Float64:
		return func(i int) string { return floatText(a.Value(i), 64) }
	case *array.Float32:
		return func(i int) string { return floatText(float64(a.Value(i)), 32) }
	case *array.Float16:
		return func(i int) string { return floatText(float64(a.Value(i).Float32()), 32) }
	case *array.Timestamp:
		t := a.DataType().(*arrow.TimestampType)
		layout := "2006-01-02 15:04:05.999999999"
		if t.TimeZone != "" {
			layout += "+00"
		}
		return func(i int) string { return a.Value(i).ToTime(t.Unit).UTC().Format(layout) }
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
	}
	return a.ValueStr
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
