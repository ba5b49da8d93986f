package table

import (
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/gpusort/gpusort/internal/key/by"
)

// arrowTable is Arrow IPC files or streams of one schema.
type arrowTable struct {
	of     Kind
	files  []string
	open   Opener
	first  string      // name that the schema is of
	plain  bool        // columns of dictionaries become columns of their values
	stream *ipc.Reader // instead of files
	counts []int       // batches of each file
	schema *arrow.Schema
	shapes []*shape // of the columns
	dicts  []*dictionary
	order  []int // the column of each field of rows: those of the keys come first
	by     []*fieldKey
	words  []string
}

// openArrows opens files whose schemas agree.
func openArrows(of Kind, names []string, open Opener, plain bool) (*arrowTable, error) {
	t := &arrowTable{of: of, open: open, plain: plain}
	for _, name := range names {
		if err := t.addFile(name); err != nil {
			return nil, err
		}
	}
	return t, t.takeShapes(names[0])
}

// addFile adds a file whose schema agrees with that of the table.
func (t *arrowTable) addFile(name string) error {
	s, n, err := arrowSchema(t.of, name, t.open)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if t.plain {
		s = withoutDictionaries(s)
	}
	if t.schema == nil {
		t.schema, t.first = s, name
	} else if err := agreeArrow(t.schema, s); err != nil {
		return fmt.Errorf("%s and %s cannot be sorted together: %w", t.first, name, err)
	} else {
		t.schema = withMissing(t.schema, s)
	}
	t.files, t.counts = append(t.files, name), append(t.counts, n)
	return nil
}

// withoutDictionaries has columns of values for those of dictionaries.
func withoutDictionaries(s *arrow.Schema) *arrow.Schema {
	fields := s.Fields()
	for i, f := range fields {
		if d, ok := f.Type.(*arrow.DictionaryType); ok {
			fields[i].Type = d.ValueType
		}
	}
	meta := s.Metadata()
	return arrow.NewSchemaWithEndian(fields, &meta, s.Endianness())
}

// withMissing is a, with missing values allowed in the columns that have them allowed in b.
func withMissing(a, b *arrow.Schema) *arrow.Schema {
	fields := a.Fields()
	for i := range fields {
		fields[i].Nullable = fields[i].Nullable || b.Field(i).Nullable
	}
	meta := a.Metadata()
	return arrow.NewSchemaWithEndian(fields, &meta, a.Endianness())
}

// takeShapes settles how the columns lie in rows.
func (t *arrowTable) takeShapes(name string) error {
	for _, f := range t.schema.Fields() {
		s, err := shapeOf(f.Type)
		if err != nil {
			return fmt.Errorf("%s: column %s: %w", name, f.Name, err)
		}
		t.shapes = append(t.shapes, s)
		d := (*dictionary)(nil)
		if s.form == coded {
			d = &dictionary{shape: s.kids[0], at: map[string]uint32{}}
		}
		t.dicts = append(t.dicts, d)
	}
	return nil
}

// arrowSchema reads the schema of a file, and how many batches it has.
func arrowSchema(of Kind, name string, open Opener) (s *arrow.Schema, batches int, err error) {
	f, err := open(name, 0, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	what := textOfKind(of)
	err = reading(what, func() error {
		if of == Stream {
			size, err := sizeOf(f)
			if err != nil {
				return err
			}
			r, err := openArrowStream(f, size)
			if err == nil {
				s, batches = r.Schema(), 1
				r.Release()
			}
			return damage(what, err)
		}
		r, err := openArrowFile(f)
		if err == nil {
			s, batches = r.Schema(), r.NumRecords()
			err = r.Close()
		}
		return damage(what, err)
	})
	return s, batches, err
}

func agreeArrow(a, b *arrow.Schema) error {
	for i := range max(a.NumFields(), b.NumFields()) {
		switch {
		case i >= a.NumFields():
			return fmt.Errorf("only the second has a column %s", b.Field(i).Name)
		case i >= b.NumFields():
			return fmt.Errorf("only the first has a column %s", a.Field(i).Name)
		case a.Field(i).Name != b.Field(i).Name:
			return fmt.Errorf("column %d of the first is %s, and of the second %s", i+1, a.Field(i).Name, b.Field(i).Name)
		case !arrow.TypeEqual(a.Field(i).Type, b.Field(i).Type):
			return fmt.Errorf("column %s is %v in the first, and %v in the second", a.Field(i).Name, a.Field(i).Type, b.Field(i).Type)
		}
	}
	return nil
}

func (t *arrowTable) kind() Kind              { return t.of }
func (t *arrowTable) keys() []*fieldKey       { return t.by }
func (t *arrowTable) describe(key int) string { return t.words[key] }
func (t *arrowTable) size() int64             { return -1 }
func (t *arrowTable) names() (names []string) {
	for _, f := range t.schema.Fields() {
		names = append(names, f.Name)
	}
	return names
}

// orderBy implements source.
func (t *arrowTable) orderBy(keys []by.Key) error {
	used := map[int]bool{}
	for _, k := range keys {
		i, err := k.Find(t.names())
		if err != nil {
			return err
		}
		if used[i] {
			continue
		}
		f := t.schema.Field(i)
		kind, err := arrowKind(f.Type)
		if err != nil {
			return fmt.Errorf("column %s is no key: %w", f.Name, err)
		}
		if k.Kind != by.Guess {
			return fmt.Errorf("column %s has a type, %v: leave out %q", f.Name, f.Type, k.Kind)
		}
		used[i] = true
		fk := newKey(t.shapes[i].field(), kind, k)
		if d := t.dicts[i]; d != nil {
			fk.entry = d.value
		}
		t.order, t.by = append(t.order, i), append(t.by, fk)
		t.words = append(t.words, fmt.Sprintf("column %s, %v, %s", f.Name, f.Type, wordsOf(k)))
	}
	t.by[len(t.by)-1].last = true
	for i := range t.shapes {
		if !used[i] {
			t.order = append(t.order, i)
		}
	}
	return nil
}

// arrowPieces is how many pieces a file has at most: each reads the file's end again.
const arrowPieces = 64

// pieces implements source. Entries of dictionaries get their numbers in the order of the
// rows, so that tables with dictionaries are read in one piece.
func (t *arrowTable) pieces() (all []piece) {
	if t.stream != nil {
		return []piece{func(emit func([]byte) ([]byte, error)) error {
			r := &arrowRows{t: t, emit: emit}
			return reading(inStream, func() error { return eachBatch(t.stream, r.add) })
		}}
	}
	for i, name := range t.files {
		n, step := t.counts[i], 1
		if t.of == Stream || t.coded() {
			step = max(n, 1)
		}
		for from := 0; from < n; from += step {
			if n > arrowPieces {
				step = max(step, n/arrowPieces)
			}
			all = append(all, t.piece(name, from, min(n, from+step)))
		}
	}
	if t.coded() && len(all) > 1 {
		parts := all
		all = []piece{func(emit func([]byte) ([]byte, error)) error {
			for _, p := range parts {
				if err := p(emit); err != nil {
					return err
				}
			}
			return nil
		}}
	}
	return all
}

func (t *arrowTable) coded() bool {
	for _, d := range t.dicts {
		if d != nil {
			return true
		}
	}
	return false
}

// piece reads batches [from, to) of a file, or a stream.
func (t *arrowTable) piece(name string, from, to int) piece {
	return func(emit func([]byte) ([]byte, error)) error {
		f, err := t.open(name, 0, math.MaxInt64)
		if err != nil {
			return err
		}
		defer f.Close()
		r := &arrowRows{t: t, emit: emit}
		if err := reading(textOfKind(t.of), func() error { return t.batches(f, from, to, r.add) }); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
}
