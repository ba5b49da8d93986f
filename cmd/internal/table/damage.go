package table

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// panicked is what a function panicked with. The packages that read files do where data are not as they
// should be.
type panicked struct{ with any }

func (p panicked) Error() string { return fmt.Sprint(p.with) }

func caught(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked{r}
		}
	}()
	return f()
}

// reading calls f, which reads what; that is named if f panics.
func reading(what string, f func() error) error {
	err := caught(f)
	if p, ok := err.(panicked); ok {
		return damage(what, p)
	}
	return err
}

// writing calls f, which does what the error says if f panics.
func writing(doing string, f func() error) error {
	err := caught(f)
	if p, ok := err.(panicked); ok {
		return fmt.Errorf("%s: %w", doing, p)
	}
	return err
}

// damage says what a package's error means: that a file is not as it should be, but for errors of the system
// and for what is not known.
func damage(what string, err error) error {
	if u := (unknownType{}); errors.As(err, &u) {
		return u
	}
	if err == nil || errors.As(err, new(*fs.PathError)) {
		return err
	}
	text := err.Error()
	for _, name := range []string{"arrow/ipc: ", "arrow/array: ", "parquet: "} {
		text = strings.ReplaceAll(text, name, "")
	}
	verb := "is damaged"
	for _, unknown := range []string{"unimplemented", "not implemented", "not handled yet"} {
		if strings.Contains(text, unknown) {
			verb, text = "is written in a way that is not known here", text+": write it with other types or encodings"
		}
	}
	switch {
	case strings.Contains(text, "runtime error"):
		text = "its parts do not fit together"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		text = "it ends too early"
	}
	return told{fmt.Sprintf("%s %s: %s", what, verb, text), err}
}

// told is an error in other words.
type told struct {
	text string
	error
}

func (t told) Error() string { return t.text }
func (t told) Unwrap() error { return t.error }
