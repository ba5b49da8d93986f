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
	size int64
	meta *metadata.FileMetaData
	open Opener
}

// readProps has pages read one after another, not a column of a row group at once. A page may be as large
// as the file, and unpacked as large as the largest column of the row group; damaged ones claim any size.
func (p *parquetFile) readProps(group int) *parquet.ReaderProperties {
	props := parquet.NewReaderProperties(memory.DefaultAllocator)
	props.BufferedStreamEnabled = true
	props.BufferSize = 64 << 10
	props.MaxCompressedPageSize = p.size
	for _, c := range p.meta.RowGroups[group].Columns {
		props.MaxUncompressedPageSize = max(props.MaxUncompressedPageSize, c.MetaData.TotalUncompressedSize)
	}
	return props
}

// openParquet reads what the end of a file says of it.
func openParquet(name string, open Opener) (*parquetFile, error) {
	f, err := open(name, 0, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := checkParquet(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var r *file.Reader
	err = reading(inParquet, func() (err error) {
		r, err = file.NewParquetReader(f)
		return damage(inParquet, err)
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &parquetFile{name, size, r.MetaData(), open}, nil
}

// checkParquet tells apart why a file cannot be read, and returns its size.
func checkParquet(f Reader) (int64, error) {
	size, err := sizeOf(f)
	if err != nil {
		return 0, err
	}
	const least = 12 // magic, length of the footer, magic
	var head, tail [4]byte
	if size < least {
		return 0, fmt.Errorf("this is no Parquet file: it has %d bytes", size)
	}
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return 0, err
	}
	if _, err := f.ReadAt(tail[:], size-4); err != nil {
		return 0, err
	}
	switch {
	case string(tail[:]) == "PARE" || string(head[:]) == "PARE":
		return 0, errors.New("the Parquet file is encrypted: write it without encryption first")
	case string(head[:]) != "PAR1":
		return 0, errors.New("this is no Parquet file")
	case string(tail[:]) != "PAR1":
		return 0, errors.New("the Parquet file has no end: it was cut off, or its writer did not finish")
	}
	return size, nil
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
	r, err := file.NewParquetReader(in, file.WithReadProps(p.readProps(group)), file.WithMetadata(p.meta))
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
