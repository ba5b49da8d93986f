package grid

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gpusort/gpusort/cmd/internal/lazy"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// sheet is a page as a list of parts, to be written in one format or another.
type sheet struct{ blocks []block }

// block is one part; of its fields one is set, Align with Rows.
type block struct {
	Title string // of level Level, 1 to 3
	Level int
	Text  string // a paragraph
	Items []item
	Rows  [][]string // a table; the first row is its heading
	Align string     // an l or an r for each column, the last also for all after it
	Code  []string   // lines
}

// item is one of a list: a link, if it has one, and text.
type item struct{ Name, Link, Text string }

func (s *sheet) head(level int, title string) {
	s.blocks = append(s.blocks, block{Title: flat(title), Level: level})
}

func (s *sheet) para(format string, args ...any) {
	s.blocks = append(s.blocks, block{Text: fmt.Sprintf(format, args...)})
}

// item adds to the list that the last block is, or begins one.
func (s *sheet) item(format string, args ...any) { s.add(item{Text: fmt.Sprintf(format, args...)}) }

func (s *sheet) add(x item) {
	x.Text = flat(x.Text)
	if n := len(s.blocks); n > 0 && len(s.blocks[n-1].Items) > 0 {
		s.blocks[n-1].Items = append(s.blocks[n-1].Items, x)
		return
	}
	s.blocks = append(s.blocks, block{Items: []item{x}})
}

func (s *sheet) table(align string, rows [][]string) {
	for _, row := range rows {
		for i := range row {
			row[i] = flat(row[i])
		}
	}
	s.blocks = append(s.blocks, block{Rows: rows, Align: align})
}

func (s *sheet) code(lines []string) {
	b := block{}
	for _, l := range lines {
		b.Code = append(b.Code, flat(l))
	}
	s.blocks = append(s.blocks, b)
}

// flat is a text in one line.
func flat(s string) string { return strings.ReplaceAll(s, "\n", " ") }

// bold marks a cell of a table, strong tells such a one.
func bold(s string) string { return "**" + s + "**" }

func strong(s string) (string, bool) {
	in, ok := strings.CutPrefix(s, "**")
	if !ok {
		return s, false
	}
	return strings.CutSuffix(in, "**")
}

// markdown writes the sheet so that it also reads as text.
func (s *sheet) markdown() []byte {
	var out bytes.Buffer
	for i, b := range s.blocks {
		if i > 0 {
			out.WriteString("\n")
		}
		switch {
		case b.Title != "":
			fmt.Fprintf(&out, "%s %s\n", strings.Repeat("#", b.Level), b.Title)
		case b.Rows != nil:
			rows := make([][]string, len(b.Rows))
			for i, row := range b.Rows {
				for _, c := range row {
					rows[i] = append(rows[i], strings.ReplaceAll(c, "|", `\|`))
				}
			}
			// A buffer takes everything.
			_ = result.WriteTable(&out, rows, b.Align)
		case b.Items != nil:
			for _, x := range b.Items {
				if x.Link != "" {
					x.Text = fmt.Sprintf("[%s](%s)%s", x.Name, strings.ReplaceAll(x.Link, " ", "%20"), x.Text)
				}
				fmt.Fprintf(&out, "- %s\n", x.Text)
			}
		case b.Code != nil:
			for _, l := range b.Code {
				fmt.Fprintf(&out, "    %s\n", l)
			}
		default:
			out.WriteString(wrap(b.Text))
		}
	}
	return out.Bytes()
}

const lineWidth = 84

// wrap breaks a text into lines of at most lineWidth characters.
func wrap(text string) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > lineWidth && !sticks().MatchString(word):
			b.WriteString("\n")
			at = 0
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String() + "\n"
}

// sticks tells words that begin no line: Markdown would see a list or a
// heading, or they are units of the word before.
var sticks = lazy.Regexp(`^(\d+[.)]|[-+*#>]+|[%×µ].*)$`)
