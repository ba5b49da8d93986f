package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gpusort/gpusort/cmd/internal/format"
)

// unlessFalse is what a flag without a value does, unless it is given with the value false.
func unlessFalse(do func() error) func(string) error {
	return func(value string) error {
		if value == "false" {
			return nil
		}
		return do()
	}
}

// countValue is a whole number from least on. What is larger than any is the largest.
type countValue struct {
	n     *int
	least int
}

func (v *countValue) String() string {
	if v.n == nil || *v.n < v.least {
		return ""
	}
	return strconv.Itoa(*v.n)
}
func (v *countValue) Type() string { return "N" }
func (v *countValue) Set(s string) error {
	n, err := strconv.Atoi(trimBlanks(s))
	if errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(s, "-") {
		err, n = nil, 1<<30
	}
	if err != nil || n < v.least {
		return fmt.Errorf("give a whole number from %d on", v.least)
	}
	*v.n = min(n, 1<<30)
	return nil
}

// textValue is any text.
type textValue string

func (v *textValue) String() string     { return string(*v) }
func (v *textValue) Type() string       { return "TEXT" }
func (v *textValue) Set(s string) error { *v = textValue(s); return nil }

// fileList is the file that names the inputs, if it was given: its name may be empty then.
type fileList struct {
	name  string
	given bool
}

func (v *fileList) String() string     { return v.name }
func (v *fileList) Type() string       { return "TEXT" }
func (v *fileList) Set(s string) error { *v = fileList{s, true}; return nil }

// listValue is what a flag that may be repeated was given. pflag's own writes its values as CSV
// when it is made.
type listValue []string

func (v *listValue) String() string     { return strings.Join(*v, ",") }
func (v *listValue) Type() string       { return "stringArray" }
func (v *listValue) Set(s string) error { *v = append(*v, s); return nil }

// onlyValue is a value that may be given again, but not another one.
type onlyValue struct {
	pflag.Value
	given bool
}

func only(v pflag.Value) *onlyValue { return &onlyValue{Value: v} }

// Set implements pflag.Value.
func (v *onlyValue) Set(s string) error {
	if v.given && v.String() != s {
		return fmt.Errorf("it was %q before, and there can be one only", v.String())
	}
	v.given = true
	return v.Value.Set(s)
}

// choiceValue is one of some words.
type choiceValue struct {
	word  *string
	known []string
}

func oneOf(word *string, known ...string) *choiceValue { return &choiceValue{word, known} }

func (v *choiceValue) String() string {
	if v.word == nil {
		return ""
	}
	return *v.word
}
func (v *choiceValue) Type() string { return "WORD" }
func (v *choiceValue) Set(s string) error {
	if !slices.Contains(v.known, s) {
		return errChoice(s, v.known...)
	}
	*v.word = s
	return nil
}

// separatorValue is one byte, or \0.
type separatorValue struct{ r *rowFlags }

func (v *separatorValue) String() string { return "" }
func (v *separatorValue) Type() string   { return "SEP" }
func (v *separatorValue) Set(s string) error {
	switch {
	case s == `\0`:
		s = "\x00"
	case s == "":
		return errors.New(`the separator is empty: give one character, or \0`)
	case len(s) > 1:
		return errors.New("the separator is one character")
	}
	if old := v.r.spec.Separator; old >= 0 && old != int(s[0]) {
		return errors.New("there can be one separator only")
	}
	v.r.spec.Separator = int(s[0])
	return nil
}

// checkValue is whether only the order is checked, and how loudly.
type checkValue uint8

const (
	unchecked checkValue = iota
	checkedLoudly
	checkedQuietly
)

func (v *checkValue) String() string { return [...]string{"", "diagnose-first", "quiet"}[*v] }
func (v *checkValue) Type() string   { return "HOW" }
func (v *checkValue) Set(s string) error {
	word, err := wholeWord(s, "diagnose-first", "quiet", "silent")
	if err != nil {
		return err
	}
	how := checkedLoudly
	if word != "diagnose-first" {
		how = checkedQuietly
	}
	if *v != unchecked && *v != how {
		return errors.New("options '-cC' exclude each other: -C is -c without a message")
	}
	*v = how
	return nil
}

// formatValue is the format of numbers, or of rows of text.
type formatValue struct {
	numbers *kindValue
	rows    *string
}

func (v *formatValue) String() string {
	if v.rows == nil {
		return ""
	}
	return *v.rows + v.numbers.String()
}
func (v *formatValue) Type() string { return "FORMAT" }
func (v *formatValue) Set(s string) error {
	*v.numbers, *v.rows = kindValue{}, ""
	if s == "lines" || slices.Contains(tableKinds, s) {
		*v.rows = s
		return nil
	}
	if v.numbers.Set(s) != nil {
		return errChoice(s, append(append([]string{"lines"}, tableKinds...), format.KindNames()...)...)
	}
	return nil
}
