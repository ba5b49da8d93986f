package table

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

// arrowFile is an open file of batches, of which each message is checked before it is read.
type arrowFile struct {
	*ipc.FileReader
	in     io.ReaderAt
	size   int64
	footer flatbuffers.Table
	layout layout
}

const (
	arrowMagic   = "ARROW1"
	continuation = 1<<32 - 1 // what messages begin with
	mostMetadata = 64 << 20  // bytes of a message without its body, or of a file's end
)

var (
	errNoEnd   = errors.New("the Arrow file has no end: it was cut off, or its writer did not finish")
	errOutside = errors.New("a part of it lies outside of the file")
)

// openArrowFile reads the end of a file, and its dictionaries.
func openArrowFile(in Reader) (*arrowFile, error) {
	size, err := sizeOf(in)
	if err != nil {
		return nil, err
	}
	var tail [4 + len(arrowMagic)]byte
	if size < int64(len(tail)) {
		return nil, errNoEnd
	}
	if _, err := in.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return nil, err
	}
	if string(tail[4:]) != arrowMagic {
		return nil, errNoEnd
	}
	f := &arrowFile{in: in, size: size}
	n := int64(binary.LittleEndian.Uint32(tail[:]))
	end, err := f.read(size-int64(len(tail))-n, n)
	if err != nil {
		return nil, err
	}
	f.footer = rootTable(end)
	if f.layout, err = checkFooter(f.footer); err != nil {
		return nil, err
	}
	if err := f.check(dictionaryBlocks, dictionaryMessage, 0, math.MaxInt); err != nil {
		return nil, err
	}
	f.FileReader, err = ipc.NewFileReader(in, readOptions(size)...)
	return f, err
}

// read reads metadata.
func (f *arrowFile) read(at, n int64) ([]byte, error) {
	if at < 0 || n < 8 || n > mostMetadata || at > f.size-n {
		return nil, errOutside
	}
	b := make([]byte, n)
	_, err := f.in.ReadAt(b, at)
	return b, err
}

// dictionaryBlocks and batchBlocks are members of a footer.
const dictionaryBlocks, batchBlocks = 2, 3

// check checks messages [from, to) of those whose blocks the footer lists as a member, as far as there are so
// many.
func (f *arrowFile) check(member int, of byte, from, to int) error {
	at, count, err := vector(f.footer, member, blockBytes)
	if err != nil {
		return err
	}
	for i := from; i < min(to, count); i++ {
		block := f.footer.Bytes[int(at)+i*blockBytes:]
		b, err := f.read(int64(binary.LittleEndian.Uint64(block)), int64(int32(binary.LittleEndian.Uint32(block[8:]))))
		if err != nil {
			return err
		}
		head := 4
		if binary.LittleEndian.Uint32(b) == continuation {
			head = 8
		}
		m := rootTable(b[head:])
		if got := headerType(m); got != of {
			return fmt.Errorf("a message of type %d stands in place of one of type %d", got, of)
		}
		if err := f.layout.check(m); err != nil {
			return err
		}
	}
	return nil
}

// batch reads a batch, which the caller releases.
func (f *arrowFile) batch(i int) (arrow.RecordBatch, error) {
	if err := f.check(batchBlocks, batchMessage, i, i+1); err != nil {
		return nil, err
	}
	return f.RecordBatchAt(i)
}

// readOptions have no message larger than the file, and no buffer that a file of so many bytes would not
// have: compressed ones claim a size.
func readOptions(size int64) []ipc.Option {
	const ratio, least = 256, 1 << 30
	return []ipc.Option{ipc.WithBodySizeLimit(size), ipc.WithAllocator(bounded{memory.DefaultAllocator, max(least, ratio*size)})}
}

// bounded is an allocator that panics where more is asked for at a time.
type bounded struct {
	memory.Allocator
	most int64
}

func (b bounded) bound(n int) {
	if n < 0 || int64(n) > b.most {
		panic(fmt.Sprintf("it claims to have a buffer of %d bytes", n))
	}
}

func (b bounded) Allocate(n int) []byte {
	b.bound(n)
	return b.Allocator.Allocate(n)
}

func (b bounded) Reallocate(n int, old []byte) []byte {
	b.bound(n)
	return b.Allocator.Reallocate(n, old)
}

// openArrowStream reads the schema of a stream of so many bytes, −1 if that is not known.
func openArrowStream(in io.Reader, size int64) (*ipc.Reader, error) {
	options := []ipc.Option{ipc.WithBodySizeLimit(0)}
	if size >= 0 {
		options = readOptions(size)
	}
	return ipc.NewReaderFromMessageReader(ipc.NewMessageReader(&messages{in: in}, options...), options...)
}

// messages is a stream, of which each message is checked before its first byte is read.
type messages struct {
	in     io.Reader
	head   []byte // of a message, before its body
	body   int64  // bytes of it
	layout layout
}

// Read implements io.Reader.
func (m *messages) Read(b []byte) (int, error) {
	if len(m.head) == 0 && m.body == 0 {
		if err := m.next(); err != nil {
			return 0, err
		}
	}
	if len(m.head) > 0 {
		n := copy(b, m.head)
		m.head = m.head[n:]
		return n, nil
	}
	n, err := m.in.Read(b[:min(int64(len(b)), m.body)])
	m.body -= int64(n)
	return n, err
}

// next reads the head of a message.
func (m *messages) next() error {
	var head bytes.Buffer
	word := func() (uint32, error) {
		_, err := io.CopyN(&head, m.in, 4)
		if err != nil {
			return 0, err
		}
		return binary.LittleEndian.Uint32(head.Bytes()[head.Len()-4:]), nil
	}
	n, err := word()
	if err == nil && n == continuation {
		n, err = word()
	}
	if err == nil && n > mostMetadata {
		err = errOutside
	}
	from := head.Len()
	if err == nil && n > 0 {
		_, err = io.CopyN(&head, m.in, int64(n))
	}
	if err != nil {
		if head.Len() > 0 {
			err = noEOF(err)
		}
		return err
	}
	if m.head = head.Bytes(); n == 0 {
		return nil
	}
	t := rootTable(m.head[from:])
	if at := member(t, 3); at != 0 {
		m.body = t.GetInt64(t.Pos + at)
	}
	if m.body < 0 {
		return errOutside
	}
	return m.layout.check(t)
}
