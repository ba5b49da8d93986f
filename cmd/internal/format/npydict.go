package format

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// dictReader reads the Python dictionary of a .npy header: exactly the keys
// descr, fortran_order and shape, each once.
type dictReader struct {
	s       string
	descr   string // a string's content, or text that starts with [ for a list
	fortran bool
	shape   []uint64
}

func (d *dictReader) space() { d.s = strings.TrimLeft(d.s, " \t\r\n") }

// take removes p from the front and says whether it was there.
func (d *dictReader) take(p string) bool {
	d.space()
	rest, ok := strings.CutPrefix(d.s, p)
	if ok {
		d.s = rest
	}
	return ok
}

func (d *dictReader) want(p string) error {
	if !d.take(p) {
		return fmt.Errorf("expected %q at %.20q", p, d.s)
	}
	return nil
}

func (d *dictReader) read() error {
	if err := d.want("{"); err != nil {
		return err
	}
	seen := map[string]bool{}
	for !d.take("}") {
		k, err := d.str()
		if err != nil {
			return err
		}
		if seen[k] {
			return fmt.Errorf("%q occurs twice", k)
		}
		seen[k] = true
		if err := d.want(":"); err != nil {
			return err
		}
		if err := d.value(k); err != nil {
			return err
		}
		if !d.take(",") {
			if err := d.want("}"); err != nil {
				return err
			}
			break
		}
	}
	if d.space(); d.s != "" {
		return fmt.Errorf("text after the dictionary: %.20q", d.s)
	}
	if len(seen) != 3 {
		return errors.New("descr, fortran_order and shape must all be there")
	}
	return nil
}

func (d *dictReader) value(k string) (err error) {
	switch k {
	case "descr":
		if d.take("[") {
			d.descr = "["
			return d.skipList()
		}
		d.descr, err = d.str()
	case "fortran_order":
		if d.take("True") {
			d.fortran = true
			return nil
		}
		return d.want("False")
	case "shape":
		return d.tuple()
	default:
		return fmt.Errorf("unknown key %q", k)
	}
	return err
}

func (d *dictReader) str() (string, error) {
	for _, q := range []string{"'", `"`} {
		if d.take(q) {
			s, rest, ok := strings.Cut(d.s, q)
			if !ok {
				return "", errors.New("a string does not end")
			}
			d.s = rest
			return s, nil
		}
	}
	return "", fmt.Errorf("expected a string at %.20q", d.s)
}

// skipList passes the rest of a list, whose first bracket is taken.
func (d *dictReader) skipList() error {
	for depth := 1; d.s != ""; {
		c := d.s[0]
		if c == '\'' || c == '"' {
			if _, err := d.str(); err != nil {
				return err
			}
			continue
		}
		d.s = d.s[1:]
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return nil
			}
		}
	}
	return errors.New("a list does not end")
}

func (d *dictReader) tuple() error {
	if err := d.want("("); err != nil {
		return err
	}
	for !d.take(")") {
		d.space()
		i := 0
		for i < len(d.s) && '0' <= d.s[i] && d.s[i] <= '9' {
			i++
		}
		n, err := strconv.ParseUint(d.s[:i], 10, 63)
		if err != nil {
			return fmt.Errorf("expected a length at %.20q", d.s)
		}
		d.s = strings.TrimPrefix(d.s[i:], "L") // Python 2 wrote long integers so
		d.shape = append(d.shape, n)
		if !d.take(",") {
			return d.want(")")
		}
	}
	return nil
}
