// Package linekey makes normalised keys of text lines: byte strings whose plain order is
// the order that sort(1) gives the lines in the C locale. One sort and one merge of
// byte strings then serve every option.
//
// All of sort(1)'s orders have such a form; none needs a comparison function.
package linekey

import "slices"

// Kind is how the text of a key is compared.
type Kind uint8

// The kinds, with the letters of sort(1).
const (
	Text    Kind = iota // by bytes
	Numeric             // -n: decimals of any length
	General             // -g: floats as strtold(3) reads them on x86-64
	Human               // -h: decimals with a suffix such as K, M, G
	Month               // -M: names of months
	Random              // -R: by a hash, so that equal keys stay together
	Version             // -V: digits within text by their value
)

// Options are the ordering options of one key, or of all keys that have none.
type Options struct {
	kinds     uint8 // bits of the letters n, g, h, M, R and V
	Fold      bool  // -f: lower case as upper case
	Dict      bool  // -d: only blanks, letters and digits count
	Printable bool  // -i: only printable characters count; -d goes before it
	Reverse   bool  // -r
	SkipStart bool  // -b: blanks at the key's start do not count
	SkipEnd   bool  // -b behind the end position: blanks before its character do not count
}

// none reports whether a key has no option of its own, and so takes the global ones.
func (o Options) none() bool { return o == Options{} }

// Key is a part of a line and how it is compared.
type Key struct {
	Options
	Field, Char int // where it begins, both counted from 0
	// EndField is the field, counted from 0, of the last character, or −1 for the line's
	// end; EndChar is how many characters of that field belong to the key, 0 for all.
	EndField, EndChar int
}

// Spec says how lines are ordered.
type Spec struct {
	Keys      []Key
	Global    Options
	Separator int  // the byte between fields; −1: fields begin where blanks follow others
	Stable    bool // -s: lines whose keys tie keep their order
	Unique    bool // -u: of lines whose keys tie, the first counts
	Seed      [16]byte
}

// Schema is a Spec that is ready for use. Any number of goroutines may use it.
type Schema struct {
	keys      []part
	marked    []part // the same, with those that are not compared apart from the line
	separator int
	seed      [16]byte
	desc      bool // the order of everything is reversed at the end
	tail      bool // lines whose keys tie are ordered by their bytes
	// cased: the only key is the whole line, folded. A bit behind it for each small letter orders
	// lines that tie.
	cased bool
}

// part is a key whose options are settled.
type part struct {
	Key
	kind  Kind
	table *table
	whole bool // the whole line
	fold  bool // a text of which nothing but -f is asked
}

// Compile settles which options hold for each key.
func (s Spec) Compile() *Schema {
	c := &Schema{separator: s.Separator, seed: s.Seed, desc: s.Global.Reverse}
	for _, k := range s.Keys {
		c.add(k, s.Global)
	}
	plain := s.Global
	plain.Reverse = false
	if len(c.keys) == 0 && !plain.none() {
		c.add(Key{EndField: -1}, s.Global)
	}
	c.marked = c.keys
	c.tail = !s.Stable && !s.Unique
	c.cased = c.tail && len(c.keys) == 1 && c.keys[0].whole && c.keys[0].fold
	if len(c.keys) == 1 && !c.tail {
		c.desc = c.keys[0].Reverse
	}
	if len(c.keys) > 0 && c.keys[0].Key == (Key{EndField: -1, Options: Options{Reverse: c.desc}}) {
		c.keys = nil // what ties in all of the line ties in everything
	}
	return c
}

// Random reports whether a key is compared by -R, for which Seed counts.
func (s Spec) Random() bool {
	return slices.ContainsFunc(s.Compile().marked, func(p part) bool { return p.kind == Random })
}

// add adds a key; if it has no options, the global ones hold.
func (c *Schema) add(k Key, global Options) {
	if k.none() {
		k.Options = global
	}
	p := part{Key: k, kind: k.kind(), table: k.table()}
	p.whole = k.Field == 0 && k.Char == 0 && k.EndField < 0 && !k.SkipStart
	if p.fold = p.kind == Text && k.Fold && !k.Dict && !k.Printable; p.fold {
		p.table = nil
	}
	c.keys = append(c.keys, p)
}

// Keyed reports whether keys are apart from the lines; else a line is its own key.
func (c *Schema) Keyed() bool { return len(c.keys) > 0 }

// Tail reports whether lines whose keys tie must still be compared by their bytes.
func (c *Schema) Tail() bool { return c.tail && !c.cased }

// Desc reports whether the order is that of keys, and lines behind them, reversed.
func (c *Schema) Desc() bool { return c.desc }

// encoder makes keys. One goroutine uses it.
type encoder struct {
	*Schema
	text []byte // what -d, -f and -i leave of a key
	hash hasher
}

// Append appends the normalised key of line, which is without its delimiter. No key is
// the beginning of another one, unless it is the last thing that counts. No line is wrong.
func (e *encoder) Append(dst, line []byte) ([]byte, error) {
	var field known
	for i := range e.keys {
		k := &e.keys[i]
		at := len(dst)
		flip := k.Reverse != e.desc
		open := !flip && !e.tail && i == len(e.keys)-1
		text := line
		if !k.whole {
			text = e.find(&k.Key, line, &field)
		}
		dst = e.append(dst, k, text, open)
		if flip {
			complement(dst[at:])
		}
	}
	if e.cased {
		dst = appendCase(dst, line)
	}
	return dst, nil
}

// append appends one key; an open one needs no end.
func (e *encoder) append(dst []byte, k *part, text []byte, open bool) []byte {
	if k.table != nil {
		text = e.transform(k, text)
	}
	switch k.kind {
	case Numeric:
		return appendNumeric(dst, text)
	case General:
		return appendGeneral(dst, text)
	case Human:
		return appendHuman(dst, text)
	case Month:
		return append(dst, month(text))
	case Random:
		return e.hash.append(dst, e.seed, text)
	case Version:
		return appendVersion(dst, text)
	}
	if !open {
		return appendText(dst, text, k.fold)
	}
	at := len(dst)
	if dst = append(dst, text...); k.fold {
		fold(dst[at:])
	}
	return dst
}

func complement(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}
