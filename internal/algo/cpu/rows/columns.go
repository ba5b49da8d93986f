package rows

import (
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/key/schema"
)

const (
	numberTypes = int(key.F64) + 1
	otherKinds  = int(schema.Bytes)
	columnForms = 16
)

// columns has every column that there is: the types of numbers, then the other kinds, in all
// forms. An Order points to its own, so that it is copied by whole words; a copy of bytes
// that were just written waits for them.
var columns = func() (all [numberTypes + otherKinds][columnForms]schema.Column) {
	for row := range all {
		for form := range all[row] {
			c := &all[row][form]
			if row < numberTypes {
				c.Type = key.Type(row)
			} else {
				c.Kind = schema.Kind(row - numberTypes + 1)
			}
			c.Order.Desc, c.Order.NaNLast = form&1 != 0, form&2 != 0
			c.Nullable, c.NullsLast = form&4 != 0, form&8 != 0
		}
	}
	return all
}()

// Number is the column of numbers of type t.
func Number(t key.Type) *schema.Column { return &columns[t][0] }

// Other is the column of kind k, which is not Number.
func Other(k schema.Kind) *schema.Column { return &columns[numberTypes+int(k)-1][0] }

// interned is the column of columns that is c.
func interned(c schema.Column) *schema.Column {
	row, form := int(c.Type), 0
	if c.Kind != schema.Number {
		row = numberTypes + int(c.Kind) - 1
	}
	for bit, is := range [...]bool{c.Order.Desc, c.Order.NaNLast, c.Nullable, c.NullsLast} {
		if is {
			form |= 1 << bit
		}
	}
	return &columns[row][form]
}

// Desc is o in the reverse order of keys.
func (o Order[T]) Desc() Order[T] {
	c := *o.Column
	c.Order.Desc = true
	o.Column = interned(c)
	return o
}

// NaNLast is o with NaN behind +Inf.
func (o Order[T]) NaNLast() Order[T] {
	c := *o.Column
	c.Order.NaNLast = true
	o.Column = interned(c)
	return o
}

// MissingLast is o with missing keys behind all others.
func (o Order[T]) MissingLast() Order[T] {
	c := *o.Column
	c.NullsLast = true
	o.Column = interned(c)
	return o
}
