package by

// Guesser finds the kind of a column from some of its values. Its zero value has seen none.
type Guesser struct {
	numbers, dates, times, bools, all int
	digits                            bool // in a number
	buf                               []byte
}

// Add counts a value. Those that are empty do not count.
func (g *Guesser) Add(text []byte) {
	text = trim(text)
	if len(text) == 0 {
		return
	}
	g.all++
	var ok bool
	if g.buf, ok = appendNumber(g.buf[:0], text, 0); ok {
		g.numbers++
		g.digits = g.digits || text[len(text)-1]-'0' < 10 || text[len(text)-1] == '.'
	}
	if _, rest, ok := isoDate(text); ok && len(rest) == 0 {
		g.dates++
	}
	if _, _, ok := isoTime(text, nil); ok {
		g.times++
	}
	if is(text, "true") || is(text, "false") {
		g.bools++
	}
}

// Kind is that of all values: Number, Date, Time (dates may be among them) or Bool; Text
// where they have no other in common, or where there were none.
func (g *Guesser) Kind() Kind {
	switch {
	case g.all == 0:
	case g.numbers == g.all && g.digits:
		return Number
	case g.dates == g.all:
		return Date
	case g.times == g.all:
		return Time
	case g.bools == g.all:
		return Bool
	}
	return Text
}
