package table

import (
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// What arrow-go reads of a message is checked first: it makes room for as many elements as vectors claim
// to have, and follows tables into each other without end. The places of members are those of Arrow's
// Schema.fbs, Message.fbs and File.fbs. Bytes that are no flatbuffer may panic.

var (
	errCount  = errors.New("a list in it claims to be longer than the file has room for")
	errNested = errors.New("its columns are nested too deeply")
)

// mostDepth is how deeply columns may be nested, and blockBytes the size of a block's place in a footer.
const (
	mostDepth  = 64
	blockBytes = 24
	children   = 5 // the member of a field
)

// rootTable is the table that a flatbuffer begins with.
func rootTable(b []byte) flatbuffers.Table {
	return flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
}

// member is where a table has its n-th member, 0 if it has none.
func member(t flatbuffers.Table, n int) flatbuffers.UOffsetT {
	return flatbuffers.UOffsetT(t.Offset(flatbuffers.VOffsetT(4 + 2*n)))
}

// tableIn is the table that is the n-th member; ok is false if there is none.
func tableIn(t flatbuffers.Table, n int) (inner flatbuffers.Table, ok bool) {
	at := member(t, n)
	if at == 0 {
		return inner, false
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(t.Pos + at)}, true
}

// vector is where the elements of the n-th member begin, and how many there are, of so many bytes.
func vector(t flatbuffers.Table, n, size int) (at flatbuffers.UOffsetT, count int, err error) {
	o := member(t, n)
	if o == 0 {
		return 0, 0, nil
	}
	at, count = t.Vector(o), t.VectorLen(o)
	if count < 0 || count > (len(t.Bytes)-int(at))/size {
		return 0, 0, errCount
	}
	return at, count, nil
}

// eachField calls f with the fields of a schema and those within them. Its error ends that.
func eachField(schema flatbuffers.Table, f func(field flatbuffers.Table) error) error {
	left := len(schema.Bytes) / 8
	var each func(t flatbuffers.Table, n, depth int) error
	each = func(t flatbuffers.Table, n, depth int) error {
		at, count, err := vector(t, n, 4)
		if count > 0 && depth == 0 {
			return errNested
		}
		for i := range flatbuffers.UOffsetT(count) {
			if left--; left < 0 {
				return errCount
			}
			field := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + 4*i)}
			if err := f(field); err != nil {
				return err
			}
			if err := each(field, children, depth-1); err != nil {
				return err
			}
		}
		return err
	}
	return each(schema, 1, mostDepth)
}

// layout is what a schema says of batches.
type layout struct {
	views        int           // columns of views, those within others included
	dictionaries map[int64]int // the same of dictionaries' values
}

// layoutOf checks a schema.
func layoutOf(schema flatbuffers.Table) (l layout, err error) {
	l.dictionaries = map[int64]int{}
	if _, _, err := vector(schema, 2, 4); err != nil { // metadata
		return l, err
	}
	within := false // there are columns within dictionaries, whose views are not told from others
	err = eachField(schema, func(field flatbuffers.Table) error {
		const lastType, integer, bytesView, textView = 26, 2, 23, 24
		typ, name := byte(0), ""
		if at := member(field, 0); at != 0 {
			name = string(field.ByteVector(field.Pos + at))
		}
		if at := member(field, 2); at != 0 {
			typ = field.GetByte(field.Pos + at)
		}
		inner, ok := tableIn(field, 3)
		switch {
		case typ > lastType:
			return unknownType{fmt.Sprintf("column %s has a type that is not known here", name)}
		case typ == integer && ok:
			if bits := int32At(inner, 0); bits > 64 {
				return unknownType{fmt.Sprintf("column %s has integers of %d bits, which are not known here", name, bits)}
			}
		case (typ == bytesView || typ == textView) && member(field, 4) == 0:
			l.views++
		}
		if dictionary, coded := tableIn(field, 4); coded {
			if typ == bytesView || typ == textView {
				l.dictionaries[int64At(dictionary, 0)] = 1
			}
			_, kids, err := vector(field, children, 4)
			if within = within || kids > 0; err != nil {
				return err
			}
		}
		_, _, err := vector(field, 6, 4) // metadata
		return err
	})
	if within {
		l.views = 0
	}
	return l, err
}

// unknownType is the error for a type that is not read.
type unknownType struct{ what string }

func (e unknownType) Error() string { return e.what + ": write it as another type first" }

func int32At(t flatbuffers.Table, n int) int32 {
	if at := member(t, n); at != 0 {
		return t.GetInt32(t.Pos + at)
	}
	return 0
}

func int64At(t flatbuffers.Table, n int) int64 {
	if at := member(t, n); at != 0 {
		return t.GetInt64(t.Pos + at)
	}
	return 0
}

// checkFooter checks what a file ends with.
func checkFooter(footer flatbuffers.Table) (l layout, err error) {
	_, _, err = vector(footer, 4, 4) // metadata
	for _, blocks := range []int{2, 3} {
		if err == nil {
			_, _, err = vector(footer, blocks, blockBytes)
		}
	}
	schema, ok := tableIn(footer, 1)
	if err != nil || !ok {
		return l, err
	}
	return layoutOf(schema)
}

// What messages are.
const schemaMessage, dictionaryMessage, batchMessage = 1, 2, 3

func headerType(m flatbuffers.Table) byte {
	if at := member(m, 1); at != 0 {
		return m.GetByte(m.Pos + at)
	}
	return 0
}

// check checks a message of a stream or file. A schema becomes the layout.
func (l *layout) check(m flatbuffers.Table) (err error) {
	if _, _, err := vector(m, 4, 4); err != nil { // metadata
		return err
	}
	header, ok := tableIn(m, 2)
	if !ok {
		return nil
	}
	switch headerType(m) {
	case schemaMessage:
		*l, err = layoutOf(header)
	case dictionaryMessage:
		if values, ok := tableIn(header, 1); ok {
			err = checkBatch(values, l.dictionaries[int64At(header, 0)])
		}
	case batchMessage:
		err = checkBatch(header, l.views)
	}
	return err
}

// checkBatch checks a batch, which says of each of so many columns of views how many buffers it has.
func checkBatch(batch flatbuffers.Table, views int) error {
	_, _, err := vector(batch, 1, 16)
	if err != nil {
		return err
	}
	_, buffers, err := vector(batch, 2, 16)
	if err != nil {
		return err
	}
	at, n, err := vector(batch, 4, 8)
	if member(batch, 4) != 0 && n < views {
		return errCount
	}
	for i := range flatbuffers.UOffsetT(n) {
		if of := batch.GetInt64(at + 8*i); of < 0 || of > int64(buffers) {
			return errCount
		}
	}
	return err
}
