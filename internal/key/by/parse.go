package by

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Parse reads keys. What a key's words leave open is as in standard.
func Parse(text string, standard Key) ([]Key, error) {
	var keys []Key
	for rest, more := text, true; more; {
		var k Key
		var err error
		if k, rest, more, err = parseKey(rest, standard); err != nil {
			return nil, fmt.Errorf("key %d of %q: %w", len(keys)+1, text, err)
		}
		keys = append(keys, k)
	}
	return keys, nil
}

// parseKey reads one key and returns what is behind its comma, if there is one.
func parseKey(s string, standard Key) (k Key, rest string, more bool, err error) {
	p, err := nextPart(s)
	if err != nil {
		return k, "", false, err
	}
	k = standard
	k.Path = p.divided
	k.Name = strings.Join(p.divided, ".")
	switch {
	case k.Name == "" && !p.quoted:
		return k, "", false, fmt.Errorf(`no column is named: write its name or its number; a name with a comma or a colon goes in double quotes`)
	case !p.quoted && strings.Trim(k.Name, "0123456789") == "":
		if k.Number, err = strconv.Atoi(k.Name); err != nil || k.Number == 0 {
			return k, "", false, fmt.Errorf("column %s: the first column is 1; a name of digits goes in double quotes", k.Name)
		}
	}
	var w words
	for p.end == ':' {
		if p, err = nextPart(p.rest); err == nil {
			err = w.set(&k, strings.Join(p.divided, "."))
		}
		if err != nil {
			return k, "", false, err
		}
	}
	if k.Zone != standard.Zone && k.Kind != Time {
		return k, "", false, fmt.Errorf("zone= is of times: add the word time")
	}
	return k, p.rest, p.end == ',', nil
}

// part is what lies between two signs.
type part struct {
	divided []string // at dots
	quoted  bool     // some of it
	end     byte     // the comma or colon behind it, or 0
	rest    string   // behind that
}

func nextPart(s string) (p part, err error) {
	var b strings.Builder
	inside := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '"' && inside && i+1 < len(s) && s[i+1] == '"':
			b.WriteByte(c)
			i++
		case c == '"':
			inside, p.quoted = !inside, true
		case inside:
			b.WriteByte(c)
		case c == '.':
			p.divided = append(p.divided, b.String())
			b.Reset()
		case c == ',' || c == ':':
			p.divided = append(p.divided, b.String())
			p.end, p.rest = c, s[i+1:]
			return p, nil
		default:
			b.WriteByte(c)
		}
	}
	p.divided = append(p.divided, b.String())
	if inside {
		err = fmt.Errorf(`%q has a quote that nothing closes: "" stands for a quote`, s)
	}
	return p, err
}

// words are those that a key has already.
type words struct{ kind, direction, nulls, zone string }

// set applies one word.
func (w *words) set(k *Key, word string) (err error) {
	name, value, valued := strings.Cut(word, "=")
	slot := &w.kind
	switch name {
	case "asc", "desc":
		slot = &w.direction
		k.Desc = name == "desc"
	case "first", "last":
		slot = &w.nulls
		k.NullsFirst = name == "first"
	case "zone":
		slot = &w.zone
		if !valued || value == "" {
			return fmt.Errorf("zone needs a name, as in zone=Europe/Berlin")
		}
		if k.Zone, err = time.LoadLocation(value); err != nil {
			return fmt.Errorf("zone=%s: %w", value, err)
		}
	default:
		kind := Guess
		for i, n := range kindNames[1:] {
			if n == name {
				kind = Kind(i + 1)
			}
		}
		if kind == Guess {
			return fmt.Errorf("%q is no word of a key: there are %s, asc, desc, first, last and zone=; a name with a colon goes in double quotes",
				word, strings.Join(kindNames[1:], ", "))
		}
		k.Kind = kind
		if kind >= Date && valued {
			if k.Layout, err = layout(value); err != nil {
				return fmt.Errorf("%s: %w", word, err)
			}
			valued = false
		}
	}
	if valued && name != "zone" {
		return fmt.Errorf("%s takes no value: leave out %q", name, "="+value)
	}
	if *slot != "" {
		return fmt.Errorf("%s and %s exclude each other", *slot, word)
	}
	*slot = word
	return nil
}
