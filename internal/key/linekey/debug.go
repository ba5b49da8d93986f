package linekey

// Span is a part of a line.
type Span struct{ From, To int }

// Marks returns the part of line that each key compares, as sort --debug marks them, and
// all of it where lines that tie are compared as a whole.
func (c *Schema) Marks(line []byte) (marks []Span) {
	for i := range c.marked {
		k := &c.marked[i]
		from, to := c.bounds(&k.Key, line)
		first := k.Field == 0 && k.Char == 0
		if first {
			from = 0
		}
		if k.kind == Numeric || k.kind == General || k.kind == Human || k.kind == Month || first && k.SkipStart {
			for from != to && from < len(line) && blank[line[from]] {
				from++
			}
			to = from + k.compared(line[from:max(from, to)])
		}
		marks = append(marks, Span{from, max(from, to)})
	}
	if c.tail || len(marks) == 0 {
		marks = append(marks, Span{0, len(line)})
	}
	return marks
}

// compared is how many bytes at the beginning of text count.
func (p *part) compared(text []byte) int {
	switch p.kind {
	case Numeric, Human:
		return decimalEnd(text, p.kind == Human)
	case General:
		return floatEnd(text)
	case Month:
		if month(text) == 0 {
			return 0
		}
		return 3
	}
	return len(text)
}

// decimalEnd is where the decimal ends that text begins with, and a suffix behind it; 0 if
// there is none.
func decimalEnd(text []byte, human bool) int {
	at := 0
	if len(text) > 0 && text[0] == '-' {
		at++
	}
	found := false
	digits := func() {
		for ; at < len(text) && text[at]-'0' < 10; at++ {
			found = true
		}
	}
	if digits(); at < len(text) && text[at] == '.' {
		at++
		digits()
	}
	switch {
	case !found:
		return 0
	case human && at < len(text) && suffix(text[at]) > 0:
		at++
	}
	return at
}

// floatEnd is where the float ends that text begins with, by strtold's rules; 0 if there
// is none.
func floatEnd(text []byte) int {
	at := 0
	for at < len(text) && (text[at] == ' ' || text[at]-'\t' < 5) {
		at++
	}
	if at < len(text) && (text[at] == '-' || text[at] == '+') {
		at++
	}
	rest := text[at:]
	switch {
	case hasWord(rest, "infinity"):
		return at + 8
	case hasWord(rest, "inf"):
		return at + 3
	case hasWord(rest, "nan"):
		return at + 3 + nanEnd(rest[3:])
	}
	hex := len(rest) > 2 && rest[0] == '0' && rest[1]|0x20 == 'x'
	n := 0
	if hex {
		if n = numberEnds(rest[2:], true); n > 0 {
			n += 2
		}
	}
	if n == 0 {
		n = numberEnds(rest, false)
	}
	if n == 0 {
		return 0
	}
	return at + n
}

// nanEnd is the length of characters in parentheses.
func nanEnd(text []byte) int {
	if len(text) == 0 || text[0] != '(' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		if text[i] == ')' {
			return i + 1
		}
		if !alnum(text[i]) && text[i] != '_' {
			break
		}
	}
	return 0
}

// numberEnds is the length of digits with a point, and of the exponent behind them; 0 if
// there are no digits.
func numberEnds(text []byte, hex bool) int {
	at, found, point := 0, false, false
	for ; at < len(text); at++ {
		c := text[at]
		switch {
		case c == '.' && !point:
			point = true
			continue
		case c-'0' < 10 || hex && c|0x20 >= 'a' && c|0x20 <= 'f':
			found = true
			continue
		}
		break
	}
	if !found {
		return 0
	}
	mark := byte('e')
	if hex {
		mark = 'p'
	}
	if at < len(text) && text[at]|0x20 == mark {
		if _, ok := parseExponent(text[at+1:]); ok {
			at++
			if text[at] == '-' || text[at] == '+' {
				at++
			}
			for at < len(text) && text[at]-'0' < 10 {
				at++
			}
		}
	}
	return at
}
