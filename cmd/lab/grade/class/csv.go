package class

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// WriteCSV writes one line for each submission, with a column for each
// criterion.
func (c Class) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"rank", "submission", "points", "of", "unstable", "reruns", "remark", "seed", "confined"}
	criteria := c.Criteria()
	for _, i := range criteria {
		head = append(head, i.Name)
	}
	lines := [][]string{head}
	for _, r := range c.Rows {
		line := []string{strconv.Itoa(r.Rank), r.Name, points(r.Report.Score), points(r.Report.Max), strconv.FormatBool(r.Report.Unstable),
			strconv.Itoa(r.Reruns), r.Remark(), strconv.FormatUint(r.Report.Seed, 10), strconv.FormatBool(r.Report.Confinement.Whole)}
		for i := range criteria {
			cell := ""
			if i < len(r.Report.Items) && r.Report.Items[i].Status != "skipped" {
				cell = points(r.Report.Items[i].Points)
			}
			line = append(line, cell)
		}
		lines = append(lines, line)
	}
	for _, l := range lines {
		for i := range l {
			l[i] = harmless(l[i])
		}
	}
	if err := out.WriteAll(lines); err != nil {
		return fmt.Errorf("class table: %w", err)
	}
	return nil
}

func points(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// harmless keeps a spreadsheet from running what a student wrote as a formula. What looks as if it
// had been kept from that is marked once more, so that two texts stay two.
func harmless(s string) string {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsSpace(r) || r == '\'' }))
	if strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + s
	}
	return s
}
