package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/internal/key/linekey"
)

// orderLetters are the options that say how lines are compared.
var orderLetters = map[string]byte{
	"ignore-leading-blanks": 'b', "dictionary-order": 'd', "ignore-case": 'f', "general-numeric-sort": 'g', "human-numeric-sort": 'h',
	"ignore-nonprinting": 'i', "month-sort": 'M', "numeric-sort": 'n', "random-sort": 'R', "reverse": 'r', "version-sort": 'V',
}

// ofNumbers are the flags that only numbers have, which therefore ask for them.
var ofNumbers = map[string]bool{
	"type": true, "format": true, "out-format": true, "algo": true, "nan": true, "equal-zeros": true, "argsort": true, "index": true, "values": true,
	"value-type": true, "values-out": true, "axis": true, "round": true, "loose-integers": true,
}

// ofBoth are the flags that lines and numbers have; all others only lines have.
var ofBoth = map[string]bool{
	"reverse": true, "check": true, "check-quiet": true, "output": true, "buffer-size": true, "parallel": true, "json": true, "verbose": true,
	"device": true, "help": true, "version": true, "stable": true, "temporary-directory": true, "max-temp": true, "compress-program": true, "batch-size": true,
}

// numbers reports whether numbers are to be sorted: if a flag says so, or, where none
// says that lines are, the name of an input.
func numbers(options []given, files []string) bool {
	lines := false
	for _, o := range options {
		if o.flag.Name == "by" || o.flag.Name == "format" && o.value == "lines" {
			return false
		}
	}
	for _, o := range options {
		if ofNumbers[o.flag.Name] && !(o.flag.Name == "format" && slices.Contains(tableKinds, o.value)) {
			return true
		}
		lines = lines || !ofBoth[o.flag.Name]
	}
	for _, name := range files {
		if kind, _ := format.Guess(name); !lines && (kind == format.Raw || kind == format.NPY) {
			return true
		}
	}
	return false
}

// newLineSort makes what the options ask for.
func newLineSort(s *sortCmd, options []given, files []string) (*lineSort, error) {
	l := &lineSort{sortCmd: s, files: files, delim: '\n', spec: linekey.Spec{Separator: -1}, tableSort: tableSort{heading: -1}}
	for _, o := range options {
		if err := l.set(o.flag.Name, o.value); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// set applies one option.
func (l *lineSort) set(name, value string) (err error) {
	if ok, err := l.setTable(name, value); ok {
		return err
	}
	if ok, err := l.setColumns(name, value); ok {
		return err
	}
	if ok, err := l.setMore(name, value); ok {
		return err
	}
	if letter := orderLetters[name]; letter != 0 {
		if value == "true" {
			l.spec.Global.Set(letter)
		}
		return nil
	}
	switch name {
	case "key":
		l.keys = append(l.keys, value)
	case "record":
		l.records.Size, err = count(name, value, 1)
	case "sort":
		letter := orderLetters[value+"-sort"]
		if letter == 0 {
			return usageOfLines("--sort: %v", errChoice(value, "general-numeric", "human-numeric", "month", "numeric", "random", "version"))
		}
		l.spec.Global.Set(letter)
	case "field-separator":
		sep, err := separator(value)
		if err == nil && l.spec.Separator >= 0 && l.spec.Separator != sep {
			err = errors.New("-t: there can be one separator only")
		}
		if err != nil {
			return usageError{err, "gpusort sort"}
		}
		l.spec.Separator = sep
	case "stable":
		l.spec.Stable = true
	case "unique":
		l.spec.Unique = true
	case "zero-terminated":
		l.delim = 0
	case "merge":
		l.merge = true
	case "check":
		switch value {
		case "quiet", "silent":
			return l.checks(false)
		case "diagnose-first":
			return l.checks(true)
		}
		return usageOfLines("--check: %v", errChoice(value, "diagnose-first", "quiet", "silent"))
	case "check-quiet":
		return l.checks(false)
	case "output":
		if l.output != "" && l.output != value {
			return usageOfLines("-o: there can be one output only")
		}
		if value == "" {
			return usageOfLines("-o: the name is empty: give a file, or leave the flag out")
		}
		l.output = value
	case "buffer-size":
		if err := l.buffer.Set(value); err != nil {
			return usageOfLines("-S: %v", err)
		}
	case "temporary-directory":
		l.temp = append(l.temp, value)
	case "max-temp":
		err = l.maxTemp.Set(value)
	case "compress-program":
		if l.filter != "" && l.filter != value {
			return usageOfLines("--compress-program: there can be one only")
		}
		l.filter = value
	case "files0-from":
		l.names0 = value
	case "random-source":
		if l.random != "" && l.random != value {
			return usageOfLines("--random-source: there can be one only")
		}
		l.random = value
	case "parallel":
		l.workers, err = count(name, value, 1)
	case "batch-size":
		l.batch, err = count(name, value, 2)
	case "json":
		l.json = value == "true"
	case "verbose":
		l.verbose = value == "true"
	case "device":
		if value != "auto" && value != "cpu" {
			return usageOfLines("--device %s: lines are sorted on the CPU; numbers need --type", value)
		}
	}
	return err
}

// checks asks for a check, of one kind.
func (l *lineSort) checks(loud bool) error {
	if l.checkQuietly && loud || l.check != "" && !loud {
		return usageOfLines("options '-cC' exclude each other: -C is -c without a message")
	}
	if l.checkQuietly = !loud; loud {
		l.check = "diagnose-first"
	}
	return nil
}

// separator reads one byte, or \0.
func separator(s string) (int, error) {
	switch {
	case s == `\0`:
		return 0, nil
	case s == "":
		return 0, errors.New(`-t: the separator is empty: give one character, or \0`)
	case len(s) > 1:
		return 0, fmt.Errorf("-t %q: the separator is one character", s)
	}
	return int(s[0]), nil
}

// count reads a whole number from least on. What is larger than any is the largest.
func count(name, s string, least int) (int, error) {
	v, err := strconv.Atoi(s)
	if errors.Is(err, strconv.ErrRange) && !strings.HasPrefix(s, "-") {
		err, v = nil, 1<<30
	}
	if err != nil || v < least {
		return 0, usageOfLines("--%s %q: give a whole number from %d on", name, s, least)
	}
	return min(v, 1<<30), nil
}
