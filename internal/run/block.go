package run

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"sync"
)

// headBytes is what precedes a block of a run: its length and its checksum.
const headBytes = 12

// A block of a run has no more bytes than this, unless a row has, and about as many
// rows: what a merge keeps of each row besides counts, too.
const (
	spillBytes = 256 << 10
	spillRows  = 16 << 10
)

var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

var errBlock = errors.New("a block is not as it was written: the disk or the memory is faulty")

// errChanged is that of rows that are none any more.
var errChanged = errors.New("the input was written while it was sorted: sort a copy of it")

// divide hands n rows to write, in blocks.
func divide(format Format, rows []byte, n int, write func(block []byte) error) error {
	step := spillBytes
	if n > 0 {
		step = int(max(1, min(spillBytes, uint64(len(rows))*spillRows/uint64(n))))
	}
	for len(rows) > 0 {
		cut := 0
		for most := step; cut == 0; most *= 2 {
			cut, _ = format.Cut(rows[:min(most, len(rows))])
			if cut == 0 && most >= len(rows) {
				return errChanged
			}
		}
		if err := write(rows[:cut]); err != nil {
			return err
		}
		rows = rows[cut:]
	}
	return nil
}

// headOf is what precedes a block.
func headOf(rows []byte) (head [headBytes]byte) {
	binary.LittleEndian.PutUint64(head[:], uint64(len(rows)))
	binary.LittleEndian.PutUint32(head[8:], crc32.Checksum(rows, castagnoli()))
	return head
}

// readBlock reads the next block of a run that has so many bytes left, into buf or a longer
// buffer. It returns io.EOF, and no rows, where in ends between blocks.
func readBlock(in io.Reader, left int64, buf []byte) (rows []byte, rest int64, err error) {
	var head [headBytes]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return buf[:0], left, err
	}
	n := int64(binary.LittleEndian.Uint64(head[:]))
	if n <= 0 || n > left-headBytes {
		return nil, left, errBlock
	}
	if left -= headBytes + n; int64(cap(buf)) < n {
		buf = make([]byte, n)
	}
	rows = buf[:n]
	if _, err := io.ReadFull(in, rows); err != nil {
		return nil, left, noEOF(err)
	}
	if crc32.Checksum(rows, castagnoli()) != binary.LittleEndian.Uint32(head[8:]) {
		return nil, left, errBlock
	}
	return rows, left, nil
}

// noEOF is err, and an error where a file ends too early.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// WriteBlocks writes n rows as a part of a run that MergeRuns reads. It returns how many bytes
// that takes.
func WriteBlocks(w io.Writer, format Format, rows []byte, n int) (bytes int64, err error) {
	err = divide(format, rows, n, func(block []byte) error {
		head := headOf(block)
		for _, part := range [][]byte{head[:], block} {
			k, err := w.Write(part)
			bytes += int64(k)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return bytes, err
}
