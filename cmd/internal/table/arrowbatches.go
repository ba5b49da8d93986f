package table

import (
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// What errors are about.
const (
	inStream = "the Arrow stream"
	inFile   = "the Arrow file"
)

func textOfKind(of Kind) string {
	if of == Stream {
		return inStream
	}
	return inFile
}

// eachBatch hands all batches of a stream to f.
func eachBatch(r *ipc.Reader, f func(arrow.RecordBatch) error) error {
	for {
		b, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damage(inStream, err)
		}
		if err := f(b); err != nil {
			return err
		}
	}
}

// batches hands batches of a file to f.
func (t *arrowTable) batches(in Reader, from, to int, f func(arrow.RecordBatch) error) error {
	if t.of == Stream {
		size, err := sizeOf(in)
		if err != nil {
			return err
		}
		r, err := openArrowStream(in, size)
		if err != nil {
			return damage(inStream, err)
		}
		defer r.Release()
		return eachBatch(r, f)
	}
	r, err := openArrowFile(in)
	if err != nil {
		return damage(inFile, err)
	}
	defer r.Close()
	for i := from; i < to; i++ {
		b, err := r.batch(i)
		if err != nil {
			return damage(inFile, err)
		}
		err = f(b)
		b.Release()
		if err != nil {
			return err
		}
	}
	return nil
}
