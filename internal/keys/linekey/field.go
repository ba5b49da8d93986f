package linekey

// blank says which bytes separate fields: in the C locale blank and tab; the newline,
// too, which is within lines that end with a zero byte.
var blank = [256]bool{' ': true, '\t': true, '\n': true}

// find returns the part of line that k names. It is empty where the line is too short.
func (c *Schema) find(k *Key, line []byte) []byte {
	end := len(line)
	if k.EndField >= 0 {
		end = c.end(k, line)
	}
	begin := c.begin(k, line)
	return line[begin:max(begin, end)]
}

// begin returns where k begins.
func (c *Schema) begin(k *Key, line []byte) int {
	at := 0
	if c.separator >= 0 {
		sep := byte(c.separator)
		for n := k.Field; n > 0 && at < len(line); n-- {
			for at < len(line) && line[at] != sep {
				at++
			}
			if at < len(line) {
				at++
			}
		}
	} else {
		at = behindFields(line, k.Field)
	}
	if k.SkipStart {
		at = behindBlanks(line, at)
	}
	return advance(line, at, k.Char)
}

// end returns where k ends.
func (c *Schema) end(k *Key, line []byte) int {
	n := k.EndField
	if k.EndChar == 0 {
		n++ // all of the field
	}
	at := 0
	if c.separator >= 0 {
		sep := byte(c.separator)
		for ; n > 0 && at < len(line); n-- {
			for at < len(line) && line[at] != sep {
				at++
			}
			if at < len(line) && (n > 1 || k.EndChar > 0) {
				at++
			}
		}
	} else {
		at = behindFields(line, n)
	}
	if k.EndChar == 0 {
		return at
	}
	if k.SkipEnd {
		at = behindBlanks(line, at)
	}
	return advance(line, at, k.EndChar)
}

// advance returns the place n bytes behind at, or the line's end.
func advance(line []byte, at, n int) int {
	if n > len(line)-at {
		return len(line)
	}
	return at + n
}

// behindFields returns where the first n fields end, each with the blanks before it.
func behindFields(line []byte, n int) int {
	at := 0
	for ; n > 0 && at < len(line); n-- {
		for at < len(line) && blank[line[at]] {
			at++
		}
		for at < len(line) && !blank[line[at]] {
			at++
		}
	}
	return at
}

func behindBlanks(line []byte, at int) int {
	for at < len(line) && blank[line[at]] {
		at++
	}
	return at
}
