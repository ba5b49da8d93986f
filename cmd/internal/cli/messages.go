package cli

import (
	"io"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// messages writes text for people: names of the command line that hold line ends or other
// characters that a terminal acts on are quoted, and so are such characters from elsewhere.
type messages struct {
	w     io.Writer
	names *strings.Replacer
}

// newMessages quotes the names among args, alone, behind a flag's = and behind a short flag.
func newMessages(w io.Writer, args []string) *messages {
	var pairs []string
	add := func(name string) {
		if quoted := quoteName(name); quoted != name {
			pairs = append(pairs, name, quoted)
		}
	}
	for _, a := range args {
		if _, value, ok := strings.Cut(a, "="); ok && strings.HasPrefix(a, "-") {
			add(value)
		}
		if len(a) > 2 && a[0] == '-' && a[1] != '-' {
			add(a[2:])
		}
		add(a)
	}
	return &messages{w, strings.NewReplacer(pairs...)}
}

func (m *messages) Write(p []byte) (int, error) {
	if _, err := io.WriteString(m.w, visible(m.names.Replace(string(p)))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// quoteName returns a name as messages show it: in quotes where a terminal would act on it,
// or where it would look like another.
func quoteName(name string) string {
	if visible(name) == name && !strings.ContainsAny(name, "\n\t") {
		return name
	}
	return strconv.Quote(name)
}

// visible returns text with escapes in place of what is no character, other than line
// ends and tabs.
func visible(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1, r != '\n' && r != '\t' && !unicode.IsGraphic(r):
			quoted := strconv.Quote(text[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteString(text[:n])
		}
		text = text[n:]
	}
	return b.String()
}

// takesCursor says whether a terminal's lines may be written over: not if the user wants
// no control codes.
func takesCursor() bool { return os.Getenv("TERM") != "dumb" && os.Getenv("NO_COLOR") == "" }
