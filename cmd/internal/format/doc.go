// Package format reads and writes the files of the gpusort command: raw
// little-endian keys, .npy arrays and text with one number a line.
//
// What is read and written again has the same bits, NaN payloads included. Text of
// floats is read as the nearest float, but an integer that no float holds, and what
// would become 0 or an infinity, are errors unless Numbers.Round asks for them. Bad input is an error that names the file, the place
// in it and the remedy; nothing is guessed from broken data.
package format

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/internal/key"
)

// Kind is a file format.
type Kind uint8

// The formats. Auto means: by the file's name and its content.
const (
	Auto Kind = iota
	Raw       // little-endian items without a header
	NPY       // NumPy's .npy, versions 1 to 3
	Text      // one number a line
)

var kinds = [...]string{"auto", "raw", "npy", "text"}

// String returns the name that ParseKind reads.
func (k Kind) String() string { return kinds[k] }

// KindNames lists the formats without Auto.
func KindNames() []string { return kinds[1:] }

// ParseKind reads a format's name. The empty name is Auto.
func ParseKind(s string) (Kind, error) {
	for i, n := range kinds {
		if s == n || s == "" {
			return Kind(i), nil
		}
	}
	return Auto, fmt.Errorf("unknown format %q: known are %s", s, strings.Join(KindNames(), ", "))
}

// Guess tells the format, and the type where the name says it, by the end of
// the file's name: .npy, .txt, .text, .csv or .tsv, .raw or .bin, or a key type with its
// width as in keys.u64 and keys.int64, which is raw. It returns Auto for any other name.
func Guess(name string) (Kind, *key.Type) {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	switch ext {
	case "npy":
		return NPY, nil
	case "txt", "text", "csv", "tsv":
		return Text, nil
	case "raw", "bin":
		return Raw, nil
	}
	// Only names with a width: .int, .byte and .long end other files.
	if t, err := key.Parse(ext); err == nil && strings.ContainsAny(ext, "123468") {
		return Raw, &t
	}
	return Auto, nil
}

// Item is what a column's elements are: keys of a type, or opaque bytes.
type Item struct {
	Opaque bool     // not a key: Type is without meaning
	Type   key.Type // of keys
	Bytes  int      // width
	// Descr is the .npy type string of opaque items, empty if unknown; of keys, that of a
	// file which holds them otherwise than memory: big-endian, as bool or as float16.
	// Keys in memory are always Type's.
	Descr string
	// Array is the form of an .npy array of two dimensions and more, else nil.
	Array *Array
}

// KeyItem returns the Item of keys of type t.
func KeyItem(t key.Type) Item { return Item{Type: t, Bytes: t.Bytes()} }

// String returns the type's name, or the width of opaque items.
func (it Item) String() string {
	switch {
	case it.Opaque:
		return fmt.Sprintf("%d-byte values", it.Bytes)
	case it.half():
		return "f16"
	case it.Descr == npyBool:
		return "bool"
	}
	return it.Type.String()
}

// ParseItem reads an item: a key type's name, or a width in bytes from 1 to
// 65536 for opaque items.
func ParseItem(s string) (Item, error) {
	if t, err := key.Parse(s); err == nil {
		return KeyItem(t), nil
	}
	w, err := strconv.Atoi(s)
	if err != nil || w < 1 || w > 65536 {
		_, terr := key.Parse(s)
		return Item{}, fmt.Errorf("%w; or a width in bytes from 1 to 65536", terr)
	}
	return Item{Opaque: true, Bytes: w}, nil
}
