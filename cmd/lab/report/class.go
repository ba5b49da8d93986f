package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"sync"

	"github.com/gpusort/gpusort/cmd/lab/grade"
	"github.com/gpusort/gpusort/cmd/lab/grade/class"
)

//go:embed class.html
var classHTML string

var classTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("class").Funcs(template.FuncMap{
		"sup":     Raise,
		"percent": func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) },
		"points":  func(v float64) string { return fmt.Sprintf("%.4g", v) },
	}).Parse(classHTML))
})

// classView is what the template of a class sees.
type classView struct {
	C        class.Class
	Style    template.CSS
	Criteria []grade.Item
	Bins     []classBin
	Unstable int
	Open     string // the first line of a grade that was not confined
}

type classBin struct {
	class.Bin
	Last  bool
	Width float64 // of the bar, in per cent of the widest
}

// WriteClass writes the page of a class: leaderboard, points by criterion, how
// points are spread, and sources that are alike. It has no script and asks no
// network; each row links to the page NAME.html beside it.
func WriteClass(w io.Writer, c class.Class) error {
	v := classView{C: c, Style: template.CSS(StyleSheet()), Criteria: c.Criteria()}
	most := 1
	for _, b := range c.Distribution() {
		most = max(most, b.Grades)
	}
	for i, b := range c.Distribution() {
		v.Bins = append(v.Bins, classBin{b, i == len(c.Distribution())-1, 100 * float64(b.Grades) / float64(most)})
	}
	for _, r := range c.Rows {
		if r.Report.Unstable {
			v.Unstable++
		}
		if r.Err == "" && !r.Report.Confinement.Whole {
			v.Open = r.Report.Confinement.Line()
		}
	}
	if err := classTemplate().Execute(w, v); err != nil {
		return fmt.Errorf("page of the class: %w", err)
	}
	return nil
}
