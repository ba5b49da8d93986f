package table

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/metadata"
)

// parquetFile is one of the inputs. It is open only while something is read of it.
type parquetFile struct {
	name string
	meta *metadata.FileMetaData
	open Opener
}

// readProps has pages read one after another, not a column of a row group at once.
func readProps() *parquet.ReaderProperties {
	p := parquet.NewReaderProperties(memory.DefaultAllocator)
	p.BufferedStreamEnabled = true
	p.BufferSize = 64 << 10
	return p
}

// openParquet reads what the end of a file says of it.
func openParquet(name string, open Opener) (*parquetFile, error) {
	f, err := open(name, 0, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkParquet(f); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var r *file.Reader
	err = reading(inParquet, func() (err error) {
		r, err = file.NewParquetReader(f, file.WithReadProps(readProps()))
		return damage(inParquet, err)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &parquetFile{name, r.MetaData(), open}, nil
}

// checkParquet tells apart why a file cannot be read.
func checkParquet(f Reader) error {
	size, err := sizeOf(f)
	if err != nil {
		return err
	}
	const least = 12 // magic, length of the footer, magic
	var head, tail [4]byte
	if size < least {
		return fmt.Errorf("this is no Parquet file: it has %d bytes", size)
	}
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return err
	}
	if _, err := f.ReadAt(tail[:], size-4); err != nil {
		return err
	}
	switch {
	case string(tail[:]) == "PARE" || string(head[:]) == "PARE":
		return errors.New("the Parquet file is encrypted: write it without encryption first")
	case string(head[:]) != "PAR1":
		return errors.New("this is no Parquet file")
	case string(tail[:]) != "PAR1":
		return errors.New("the Parquet file has no end: it was cut off, or its writer did not finish")
	}
	return nil
}

// inParquet is what errors are about.
const inParquet = "the Parquet file"

// with calls f with the open file, of which it reads a row group, or a part of it.
func (p *parquetFile) with(group int, all bool, f func(*file.Reader) error) error {
	from, to := p.extent(group)
	if !all {
		to = from
	}
	in, err := p.open(p.name, from, to)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := file.NewParquetReader(in, file.WithReadProps(readProps()), file.WithMetadata(p.meta))
	if err != nil {
		return err
	}
	return f(r)
}

// extent is where a row group lies in the file.
func (p *parquetFile) extent(group int) (from, to int64) {
	rg := p.meta.RowGroups[group]
	for i, c := range rg.Columns {
		m := c.MetaData
		at := m.DataPageOffset
		if m.DictionaryPageOffset != nil && *m.DictionaryPageOffset > 0 {
			at = min(at, *m.DictionaryPageOffset)
		}
		if i == 0 {
			from = at
		}
		from, to = min(from, at), max(to, at+m.TotalCompressedSize)
	}
	return from, to
}

var errShort = errors.New("a column has fewer values than there are rows")

// noEOF is err, or what an end before its time is.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
