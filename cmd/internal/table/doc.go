// Package table sorts tables of typed columns, Parquet and Arrow files, of any size within
// a budget of memory.
//
//	columns of a row group → rows as bytes → package run → rows as bytes → columns of a row group
//
// A row as bytes is its length and its fields (layout.go). So runs, temporary files and
// merges are those of lines, and a row is moved in one piece, however many columns it
// has. Package run makes the normalised keys of rows from their first fields, which are
// those of the keys (keys.go).
//
// Parquet columns stay what they are in the file: values with their definition and
// repetition levels. So nested columns need no code of their own, and the schema in the
// output is that of the input to the byte. Of Arrow columns, what is nested is one field.
package table
