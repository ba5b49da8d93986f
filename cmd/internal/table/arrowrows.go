package table

import (
	"encoding/binary"
	"errors"

	"github.com/apache/arrow-go/v18/arrow"
)

// arrowRows makes rows of batches.
type arrowRows struct {
	t    *arrowTable
	emit func([]byte) ([]byte, error)
	p    packer
	buf  []byte
	cols []*column
	last []numbering // of each of cols
}

// add hands the rows of a batch on.
func (r *arrowRows) add(b arrow.RecordBatch) error {
	rows := int(b.NumRows())
	if r.cols == nil {
		for _, i := range r.t.order {
			r.cols = append(r.cols, &column{field: r.t.shapes[i].field()})
		}
		r.last = make([]numbering, len(r.cols))
	}
	numbers := make([][]uint32, len(r.cols))
	size := 0
	for k, i := range r.t.order {
		d := b.Column(i).Data()
		size += int(d.SizeInBytes())
		if r.t.dicts[i] != nil {
			numbers[k] = r.last[k].numbers(r.t.dicts[i], d.Dictionary())
		}
	}
	step := max(1, min(8192, batchBytes*rows/(size+8*rows+1)))
	for from := 0; from < rows; from += step {
		to := min(rows, from+step)
		for k, i := range r.t.order {
			if err := r.cols[k].fill(r.t.shapes[i], b.Column(i).Data(), from, to, numbers[k]); err != nil {
				return err
			}
		}
		var err error
		if r.buf, err = r.emit(r.p.pack(r.buf[:0], r.cols, to-from)); err != nil {
			return err
		}
	}
	return nil
}

var errIndex = errors.New("the Arrow file is damaged: a value is not in its dictionary")

// fill adds values [from, to) of d.
func (c *column) fill(s *shape, d arrow.ArrayData, from, to int, numbers []uint32) error {
	whole := d
	dict, _ := d.DataType().(*arrow.DictionaryType)
	for i := from; i < to; i++ {
		if d = whole; dict != nil && s.form != coded {
			if !valid(d, i) {
				c.defs = append(c.defs, 0)
				continue
			}
			at := index(d, i)
			if d = d.Dictionary(); at < 0 || at >= d.Len() {
				return errIndex
			}
			if err := c.fill(s, d, at, at+1, nil); err != nil {
				return err
			}
			continue
		}
		if !valid(d, i) {
			c.defs = append(c.defs, 0)
			continue
		}
		var number uint32
		if s.form == coded {
			at := index(d, i)
			if at < 0 || at >= len(numbers) {
				return errIndex
			}
			if number = numbers[at]; number == none {
				c.defs = append(c.defs, 0)
				continue
			}
		}
		c.defs = append(c.defs, 1)
		switch s.form {
		case coded:
			c.fixed = binary.LittleEndian.AppendUint32(c.fixed, number)
		case fixed:
			c.fixed = append(c.fixed, s.bytesOf(d, i)...)
		case bitmap:
			c.fixed = append(c.fixed, bit(d, i))
		case text32, text64, views:
			c.addText(s.bytesOf(d, i))
		default:
			c.text = s.appendValue(c.text, d, i)
			c.ends = append(c.ends, uint32(len(c.text)))
		}
	}
	return nil
}
