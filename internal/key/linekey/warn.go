package linekey

import "fmt"

// Warnings are what sort --debug says of a spec: keys that hardly mean what they say.
func (s Spec) Warnings() (all []string) {
	say := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	keys := s.Keys
	global := len(keys) == 0
	plain := s.Global
	plain.Reverse = false
	if global && !plain.none() {
		keys = []Key{{EndField: -1, Options: s.Global}}
	}
	left := s.Global // options that no key has
	basic, general, basicSpan, generalSpan := false, false, false, false
	for i, k := range keys {
		if k.none() {
			k.Options = s.Global
		}
		kind := Key{Options: k.Options}.kind()
		number := kind == Numeric || kind == General || kind == Human
		if number {
			basic, general = basic || kind != General, general || kind == General
		}
		left = left.without(k.Options)
		if global {
			continue
		}
		empty := k.EndField >= 0 && k.EndField < k.Field
		if empty {
			say("key %d has zero width and will be ignored", i+1)
		}
		inFirst := k.EndField == 0 && k.EndChar != 0
		if !empty && s.Separator < 0 && !inFirst &&
			(!k.SkipStart && !number && kind != Month || !k.SkipStart && k.Char != 0 || !k.SkipEnd && k.EndChar != 0) {
			say("leading blanks are significant in key %d; consider also specifying 'b'", i+1)
		}
		if number && (k.EndField < 0 || k.Field < k.EndField) {
			say("key %d is numeric and spans multiple fields", i+1)
			basicSpan, generalSpan = basicSpan || kind != General, generalSpan || kind == General
		}
	}
	told := false
	if sep := s.Separator; basicSpan || generalSpan {
		what := ""
		switch {
		case sep == '.':
			what, told = "a decimal point", true
		case sep == '-':
			what = "a minus sign"
		case generalSpan && sep == '+':
			what = "a plus sign"
		}
		if what != "" {
			say("field separator '%c' is treated as %s in numbers", sep, what)
		}
	}
	if (basic || general) && !told {
		note := "note "
		if s.Separator == '.' {
			note = ""
		}
		say("%snumbers use '.' as a decimal point in this locale", note)
	}
	last := !s.Stable && !s.Unique
	reverse := left.Reverse
	left.Reverse = reverse && !last && len(keys) > 0
	switch letters := left.letters(); {
	case len(letters) == 1:
		say("option '-%s' is ignored", letters)
	case len(letters) > 1:
		say("options '-%s' are ignored", letters)
	}
	if reverse && last && len(keys) > 0 {
		say("option '-r' only applies to last-resort comparison")
	}
	return all
}

// without is o less the options of a key.
func (o Options) without(k Options) Options {
	o.kinds &^= k.kinds
	o.Fold = o.Fold && !k.Fold
	if k.Dict == o.Dict && k.Printable == o.Printable || k.Dict && o.Dict {
		o.Dict, o.Printable = false, false
	}
	o.Reverse = o.Reverse && !k.Reverse
	o.SkipStart, o.SkipEnd = o.SkipStart && !k.SkipStart, o.SkipEnd && !k.SkipEnd
	return o
}

// letters are those that set the options, in the order of the alphabet.
func (o Options) letters() (s string) {
	has := func(letter byte) bool {
		for i, l := range []byte("ngh MRV") {
			if l == letter {
				return o.kinds>>i&1 != 0
			}
		}
		switch letter {
		case 'b':
			return o.SkipStart || o.SkipEnd
		case 'd':
			return o.Dict
		case 'f':
			return o.Fold
		case 'i':
			return o.Printable && !o.Dict
		}
		return o.Reverse
	}
	for _, l := range []byte("bdfghiMnRrV") {
		if has(l) {
			s += string(l)
		}
	}
	return s
}
