package linekey

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// letters are the ordering options of sort(1).
const letters = "bdfghiMnRrV"

// Set sets the option that a letter of sort(1) stands for. It reports whether there is
// such an option. Of two kinds the stronger one holds as sort(1) has it, once Check has
// passed them.
func (o *Options) Set(letter byte) bool {
	switch letter {
	case 'b':
		o.SkipStart, o.SkipEnd = true, true
	case 'd':
		o.Dict = true
	case 'f':
		o.Fold = true
	case 'i':
		o.Printable = true
	case 'r':
		o.Reverse = true
	default:
		at := strings.IndexByte("ngh MRV", letter)
		if at < 0 || letter == ' ' {
			return false
		}
		o.kinds |= 1 << at
	}
	return true
}

// ParseKey reads a key as sort(1) has it: F[.C][OPTS][,F[.C][OPTS]], counted from 1.
func ParseKey(s string) (Key, error) {
	k := Key{EndField: -1}
	p := keyParser{rest: s}
	var err error
	if k.Field, err = p.number("field"); err != nil {
		return k, p.wrap(s, err)
	}
	if k.Field--; k.Field < 0 {
		return k, p.wrap(s, errors.New("the first field is 1"))
	}
	if p.take('.') {
		if k.Char, err = p.number("character"); err != nil {
			return k, p.wrap(s, err)
		}
		if k.Char--; k.Char < 0 {
			return k, p.wrap(s, errors.New("the first character is 1"))
		}
	}
	k.SkipStart = p.options(&k.Options)
	k.SkipEnd = false
	if p.take(',') {
		if k.EndField, err = p.number("field behind the comma"); err != nil {
			return k, p.wrap(s, err)
		}
		if k.EndField--; k.EndField < 0 {
			return k, p.wrap(s, errors.New("the first field is 1"))
		}
		if p.take('.') {
			if k.EndChar, err = p.number("character behind the comma"); err != nil {
				return k, p.wrap(s, err)
			}
		}
		start := k.SkipStart
		k.SkipEnd = p.options(&k.Options)
		k.SkipStart = start
	}
	if p.rest != "" {
		return k, p.wrap(s, fmt.Errorf("%q is no option of a key: there are %s", p.rest[:1], letters))
	}
	return k, nil
}

// keyParser reads a key from left to right.
type keyParser struct{ rest string }

func (p *keyParser) wrap(key string, err error) error {
	return fmt.Errorf("key %q: %w; write a key as F[.C][OPTS][,F[.C][OPTS]]", key, err)
}

func (p *keyParser) take(c byte) bool {
	if p.rest == "" || p.rest[0] != c {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// number reads digits, before which blanks and a plus may stand. What is too large for any line
// is the largest number.
func (p *keyParser) number(what string) (int, error) {
	p.rest = strings.TrimPrefix(strings.TrimLeft(p.rest, " \t\n\v\f\r"), "+")
	n := 0
	for n < len(p.rest) && p.rest[n]-'0' < 10 {
		n++
	}
	if n == 0 {
		return 0, fmt.Errorf("the number of the %s is missing", what)
	}
	v := 0
	for _, c := range []byte(p.rest[:n]) {
		if v > (math.MaxInt32-9)/10 {
			v = math.MaxInt32
			break
		}
		v = v*10 + int(c-'0')
	}
	p.rest = p.rest[n:]
	return v, nil
}

// options reads letters, and reports whether b is among them.
func (p *keyParser) options(o *Options) (blanks bool) {
	for p.rest != "" && o.Set(p.rest[0]) {
		blanks = blanks || p.rest[0] == 'b'
		p.rest = p.rest[1:]
	}
	return blanks
}

// Check returns an error if options exclude each other.
func (s Spec) Check() error {
	all := s.Keys
	if len(all) == 0 {
		all = []Key{{Options: s.Global}}
	}
	for _, k := range all {
		o := k.Options
		if o.none() {
			o = s.Global
		}
		if err := o.check(); err != nil {
			return err
		}
	}
	return nil
}

// check refuses more than one way to compare a key.
func (o Options) check() error {
	ways, given := 0, ""
	text := false
	for i, letter := range []byte("ngh MRV") {
		if o.kinds>>i&1 == 0 {
			continue
		}
		given += string(letter)
		if letter == 'R' || letter == 'V' {
			text = true
		} else {
			ways++
		}
	}
	if o.Dict {
		given, text = given+"d", true
	}
	if o.Printable {
		given, text = given+"i", true
	}
	if text {
		ways++
	}
	if ways > 1 {
		return fmt.Errorf("options '-%s' exclude each other: each is another way to compare a key", given)
	}
	return nil
}

// kind is how a key is compared where several are given: what is random is not in
// order of versions.
func (o Options) kind() Kind {
	for i, k := range []Kind{Numeric, General, Human, Text, Month, Random, Version} {
		if o.kinds>>i&1 != 0 {
			return k
		}
	}
	return Text
}
