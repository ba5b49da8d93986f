package table

import (
	"cmp"
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// chunk reads a column of a row group.
type chunk struct {
	column
	r      file.ColumnChunkReader
	texts  []parquet.ByteArray
	fixeds []parquet.FixedLenByteArray
}

// parquetField is how a column's values lie in rows.
func parquetField(c *schema.Column) field {
	f := field{def: uint8(c.MaxDefinitionLevel()), rep: uint8(c.MaxRepetitionLevel())}
	switch c.PhysicalType() {
	case parquet.Types.Boolean:
		f.width = 1
	case parquet.Types.Int32, parquet.Types.Float:
		f.width = 4
	case parquet.Types.Int64, parquet.Types.Double:
		f.width = 8
	case parquet.Types.Int96:
		f.width = 12
	case parquet.Types.FixedLenByteArray:
		f.width = c.TypeLength()
	}
	return f
}

// readLevels is how many levels of a repeated column are read at a time.
const readLevels = 4096

// fill reads on until the column has so many rows.
func (c *chunk) fill(rows int) error {
	if c.flat() {
		for c.places() < rows {
			n, err := c.read(rows - c.places())
			if err == nil && n == 0 {
				err = errShort
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	// A row ends where the next one begins.
	starts, seen := 0, 0
	for {
		for ; seen < len(c.reps); seen++ {
			if c.reps[seen] == 0 {
				starts++
			}
		}
		if starts > rows {
			return nil
		}
		n, err := c.read(readLevels)
		switch {
		case err != nil:
			return err
		case n == 0 && starts == rows:
			return nil
		case n == 0:
			return errShort
		}
	}
}

// skip passes over so many rows.
func (c *chunk) skip(rows int) error {
	for rows > 0 {
		n := min(rows, readLevels)
		if !c.flat() {
			if err := c.fill(n); err != nil {
				return err
			}
			c.drop(c.extent(n))
		} else {
			// All values that were read were taken.
			if !c.hasNext() {
				return cmp.Or(noEOF(c.r.Err()), errShort)
			}
			got, err := c.r.(interface{ Skip(int64) (int64, error) }).Skip(int64(rows))
			if err == nil && got == 0 {
				err = errShort
			}
			if err != nil {
				return noEOF(err)
			}
			n = int(got)
		}
		rows -= n
	}
	return nil
}

// mostEmpty bounds the pages without a value that follow each other.
const mostEmpty = 16

// hasNext reports whether a value follows. The reader takes a page without values, as some
// writers make them, for the end, but goes on behind it.
func (c *chunk) hasNext() bool {
	for range mostEmpty {
		if c.r.HasNext() {
			return true
		}
		if c.r.Err() != nil {
			break
		}
	}
	return false
}

// read appends at most n places, of one page. It returns 0 at the end.
func (c *chunk) read(n int) (int, error) {
	if !c.hasNext() {
		return 0, noEOF(c.r.Err())
	}
	var defs, reps []int16
	levels := len(c.defs)
	if c.def > 0 {
		c.defs = grow(c.defs, n)
		defs = c.defs[levels:]
	}
	if c.rep > 0 {
		c.reps = grow(c.reps, n)
		reps = c.reps[levels:]
	}
	begin := len(c.fixed)
	var total int64
	var got int
	var err error
	switch r := c.r.(type) {
	case *file.ByteArrayColumnChunkReader:
		c.texts = grow2(c.texts, n)
		total, got, err = r.ReadBatchInPage(int64(n), c.texts, defs, reps)
		for _, t := range c.texts[:got] {
			c.addText(t)
		}
	case *file.FixedLenByteArrayColumnChunkReader:
		c.fixeds = grow2(c.fixeds, n)
		total, got, err = r.ReadBatchInPage(int64(n), c.fixeds, defs, reps)
		c.fixed = grow(c.fixed, got*c.width)
		for i, b := range c.fixeds[:got] {
			copy(c.fixed[begin+i*c.width:], b[:c.width])
		}
	default:
		c.fixed = grow(c.fixed, n*c.width)
		total, got, err = readFixed(c.r, int64(n), c.fixed[begin:], defs, reps)
		c.fixed = c.fixed[:begin+got*c.width]
	}
	if c.def > 0 {
		c.defs = c.defs[:levels+int(total)]
	}
	if c.rep > 0 {
		c.reps = c.reps[:levels+int(total)]
	}
	if err == nil {
		err = c.r.Err()
	}
	return int(total), noEOF(err)
}

// readFixed reads values of numbers to b.
func readFixed(r file.ColumnChunkReader, n int64, b []byte, defs, reps []int16) (int64, int, error) {
	switch r := r.(type) {
	case *file.BooleanColumnChunkReader:
		return r.ReadBatchInPage(n, view[bool](b), defs, reps)
	case *file.Int32ColumnChunkReader:
		return r.ReadBatchInPage(n, view[int32](b), defs, reps)
	case *file.Int64ColumnChunkReader:
		return r.ReadBatchInPage(n, view[int64](b), defs, reps)
	case *file.Int96ColumnChunkReader:
		return r.ReadBatchInPage(n, view[parquet.Int96](b), defs, reps)
	case *file.Float32ColumnChunkReader:
		return r.ReadBatchInPage(n, view[float32](b), defs, reps)
	case *file.Float64ColumnChunkReader:
		return r.ReadBatchInPage(n, view[float64](b), defs, reps)
	}
	return 0, 0, fmt.Errorf("values of %T are not known", r)
}

// grow2 returns n elements of any content, for types with pointers.
func grow2[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return make([]T, n)
}
