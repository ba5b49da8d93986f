package table

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

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
	j.enc = newEncoder(&j.value)
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
	return encodeTo(&j.value, j.enc, v)
}

func newEncoder(to *bytes.Buffer) *json.Encoder {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	return e
}

// encodeTo has to, to which e writes, hold v as JSON.
func encodeTo(to *bytes.Buffer, e *json.Encoder, v any) error {
	to.Reset()
	err := e.Encode(v)
	to.Truncate(max(to.Len()-1, 0)) // the line feed
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
			if missing(b.Column(i), row) {
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
