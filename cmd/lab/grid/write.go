package grid

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/gpusort/gpusort/cmd/lab/report"
)

// WriteJSON writes the page as one JSON object.
func (p Page) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(p)
}

// WriteMarkdown writes the page: losses, summary, cliffs, tables, environment.
// It reads as plain text too.
func (p Page) WriteMarkdown(w io.Writer) error {
	_, err := w.Write(p.sheet().markdown())
	return err
}

//go:embed page.html
var pageHTML string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"sup":  report.Raise,
		"cell": func(s string) cellView { text, loss := strong(s); return cellView{text, loss} },
		"num":  func(align string, i int) bool { return align[min(i, len(align)-1)] == 'r' },
	}).Parse(pageHTML))
})

// cellView is one cell of a table.
type cellView struct {
	Text string
	Loss bool
}

// WriteHTML writes the same page as one offline HTML file without a script.
func (p Page) WriteHTML(w io.Writer) error {
	s := p.sheet()
	err := pageTemplate().Execute(w, struct {
		Title  string
		Style  template.CSS
		Blocks []block
	}{s.blocks[0].Title, template.CSS(report.StyleSheet()), s.blocks})
	if err != nil {
		return fmt.Errorf("page of the grid: %w", err)
	}
	return nil
}

func (p Page) sheet() *sheet {
	s := &sheet{}
	p.head(s)
	p.losses(s)
	p.whole(s)
	p.notCounted(s)
	p.cliffs(s)
	p.tables(s)
	p.environment(s)
	return s
}
