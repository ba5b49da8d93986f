package table

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/gpusort/gpusort/internal/key/by"
)

// parquetTable is files of one schema.
type parquetTable struct {
	files  []*parquetFile
	schema *schema.Schema
	order  []int // the column of each field of rows: those of the keys come first
	fields []field
	paths  []string // of fields
	by     []*fieldKey
	words  []string // that say what each key is
	sorted []parquet.SortingColumn
}

// openParquets opens files whose schemas agree.
func openParquets(names []string, open Opener) (*parquetTable, error) {
	t := &parquetTable{}
	for _, name := range names {
		f, err := openParquet(name, open)
		if err != nil {
			return nil, err
		}
		if len(t.files) > 0 {
			if err := agree(t.files[0].meta.Schema, f.meta.Schema); err != nil {
				return nil, fmt.Errorf("%s and %s cannot be sorted together: %w", t.files[0].name, name, err)
			}
		}
		t.files = append(t.files, f)
	}
	t.schema = t.files[0].meta.Schema
	return t, nil
}

// agree compares schemas.
func agree(a, b *schema.Schema) error {
	for i := range max(a.NumColumns(), b.NumColumns()) {
		switch {
		case i >= a.NumColumns():
			return fmt.Errorf("only the second has a column %s", b.Column(i).Path())
		case i >= b.NumColumns():
			return fmt.Errorf("only the first has a column %s", a.Column(i).Path())
		}
		c, d := a.Column(i), b.Column(i)
		if c.Path() != d.Path() {
			return fmt.Errorf("column %d of the first is %s, and of the second %s", i+1, c.Path(), d.Path())
		}
		if u, v := typeName(c), typeName(d); u != v {
			return fmt.Errorf("column %s is %s in the first, and %s in the second", c.Path(), u, v)
		}
	}
	return nil
}

// typeName says all that matters of a column's type.
func typeName(c *schema.Column) string {
	s := strings.ToLower(c.SchemaNode().RepetitionType().String()) + " " + c.PhysicalType().String()
	if c.PhysicalType() == parquet.Types.FixedLenByteArray {
		s += fmt.Sprintf("(%d)", c.TypeLength())
	}
	if l := c.LogicalType(); l != nil && !l.IsNone() {
		s += " " + l.String()
	}
	if c.MaxDefinitionLevel() > 1 || c.MaxRepetitionLevel() > 0 {
		s += fmt.Sprintf(" with levels %d and %d", c.MaxDefinitionLevel(), c.MaxRepetitionLevel())
	}
	return s
}

// names are those of the top columns.
func (t *parquetTable) names() []string {
	root := t.schema.Root()
	names := make([]string, root.NumFields())
	for i := range names {
		names[i] = root.Field(i).Name()
	}
	return names
}

// find returns the leaf that a key names.
func (t *parquetTable) find(k by.Key) (int, error) {
	names := t.names()
	if k.Number == 0 && len(k.Path) > 1 && !slices.Contains(names, k.Name) {
		if i := t.schema.ColumnIndexByName(strings.Join(k.Path, ".")); i >= 0 {
			return i, nil
		}
	}
	top, err := k.Find(names)
	if err != nil {
		return 0, err
	}
	var inside []string
	for i := range t.schema.NumColumns() {
		switch c := t.schema.Column(i); {
		case t.schema.ColumnRoot(i) != t.schema.Root().Field(top):
		case c.SchemaNode() == t.schema.Root().Field(top):
			return i, nil
		default:
			inside = append(inside, c.Path())
		}
	}
	return 0, fmt.Errorf("column %s is no key: it has columns of its own: %s", names[top], strings.Join(inside, ", "))
}

// orderBy implements source.
func (t *parquetTable) orderBy(keys []by.Key) error {
	for _, k := range keys {
		i, err := t.find(k)
		if err != nil {
			return err
		}
		if slices.Contains(t.order, i) {
			continue // all that an earlier key leaves together ties here
		}
		c := t.schema.Column(i)
		kind, err := parquetKind(c)
		if err != nil {
			return fmt.Errorf("column %s is no key: %w", c.Path(), err)
		}
		if k.Kind != by.Guess {
			return fmt.Errorf("column %s has a type, %s: leave out %q", c.Path(), typeName(c), k.Kind)
		}
		t.order = append(t.order, i)
		t.by = append(t.by, newKey(parquetField(c), kind, k))
		t.words = append(t.words, fmt.Sprintf("column %s, %s, %s", c.Path(), typeName(c), wordsOf(k)))
		t.sorted = append(t.sorted, parquet.SortingColumn{ColumnIdx: int32(i), Descending: k.Desc, NullsFirst: k.NullsFirst})
	}
	t.by[len(t.by)-1].last = true
	for i := range t.schema.NumColumns() {
		if !slices.Contains(t.order, i) {
			t.order = append(t.order, i)
		}
	}
	for _, i := range t.order {
		c := t.schema.Column(i)
		t.fields, t.paths = append(t.fields, parquetField(c)), append(t.paths, c.Path())
	}
	return nil
}

// groups are the row groups of all files.
func (t *parquetTable) groups() (all []rowGroup) {
	for _, f := range t.files {
		for i := range f.meta.NumRowGroups() {
			all = append(all, rowGroup{f, i})
		}
	}
	return all
}

// pieces implements source: the row groups.
func (t *parquetTable) pieces() (all []piece) {
	for _, g := range t.groups() {
		all = append(all, t.piece(g, nil))
	}
	return all
}

// size implements source.
func (t *parquetTable) size() (rows int64) {
	for _, f := range t.files {
		rows += f.meta.NumRows
	}
	return rows
}

// keys implements source.
func (t *parquetTable) keys() []*fieldKey { return t.by }

// kind implements source.
func (t *parquetTable) kind() Kind { return Parquet }

// describe implements source.
func (t *parquetTable) describe(key int) string { return t.words[key] }
