package rows

import (
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/schema"
)

const (
	numberTypes = int(key.F64) + 1
	otherKinds  = int(schema.Bytes)
	columnForms = 32

	// Others is the place of the kinds but Number in Columns, whose first is 1.
	Others = int(key.F64)
)

// The forms of a column. A place among them is the sum of those that it has.
const (
	desc uint8 = 1 << iota
	nanLast
	nullable
	nullsLast
	equalZeros
)

// Column is a column, and what sorts of few rows know of it beforehand.
type Column struct {
	schema.Column
	tiny  bool // values are not missing, and numbers of at most 8 bytes or texts
	text  bool
	form  uint8
	left  key.Map[uint64] // encodes such numbers, at the left end; of texts, the first 8 bytes
	forms *[columnForms]Column
}

// Columns has every column that there is: the types of numbers, then the other kinds, in all
// forms. An Order points to its own, so that it is copied by whole words; a copy of bytes
// that were just written waits for them.
var Columns [numberTypes + otherKinds][columnForms]Column

func init() {
	for row := range Columns {
		for form := range Columns[row] {
			c := &Columns[row][form]
			if row < numberTypes {
				c.Type = key.Type(row)
			} else {
				c.Kind = schema.Kind(row - Others)
			}
			c.form, c.forms = uint8(form), &Columns[row]
			c.Order.Desc, c.Order.NaNLast = c.form&desc != 0, c.form&nanLast != 0
			c.Order.EqualZeros = c.form&equalZeros != 0
			c.Nullable, c.NullsLast = c.form&nullable != 0, c.form&nullsLast != 0
			c.tiny = !c.Nullable && (c.Kind <= schema.BFloat16 || c.IsText())
			c.text = c.IsText()
			if c.tiny {
				c.left = leftMap(c.Column)
			}
		}
	}
}

// leftMap encodes values of c at the left end of 64 bits.
func leftMap(c schema.Column) key.Map[uint64] {
	t := c.Type
	switch c.Kind {
	case schema.Float16:
		t = key.F16
	case schema.BFloat16:
		t = key.BF16
	case schema.Text, schema.Bytes:
		t = key.U64
	}
	return key.ByWidth(t.Bytes(), leftOf[uint8], leftOf[uint16], leftOf[uint32], leftOf[uint64])(key.CodecOf(t, c.Order))
}

func leftOf[U key.Word](c key.Codec) key.Map[uint64] {
	m := key.MapOf[U](c)
	return m.Left()
}

// Number is the column of numbers of type t.
func Number(t key.Type) *Column { return &Columns[t][0] }

// Other is the column of kind k, which is not Number.
func Other(k schema.Kind) *Column { return &Columns[Others+int(k)][0] }

// with is c in another form, too; nil if c is.
func (c *Column) with(form uint8) *Column {
	if c == nil {
		return nil
	}
	return &c.forms[(c.form|form)%columnForms]
}

// Desc is o in the reverse order of keys.
func (o Order[T]) Desc() Order[T] { return Order[T]{o.col, o.with(desc)} }

// NaNLast is o with NaN behind +Inf.
func (o Order[T]) NaNLast() Order[T] { return Order[T]{o.col, o.with(nanLast)} }

// EqualZeros is o where both zeros tie, and all NaNs.
func (o Order[T]) EqualZeros() Order[T] { return Order[T]{o.col, o.with(equalZeros)} }

// MissingLast is o with missing keys behind all others.
func (o Order[T]) MissingLast() Order[T] { return Order[T]{o.col, o.with(nullsLast)} }
