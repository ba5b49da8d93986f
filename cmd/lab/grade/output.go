package grade

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The output formats.
const (
	FormatText       = "text"
	FormatJSON       = "json"
	FormatJUnit      = "junit"
	FormatGradescope = "gradescope"
)

// Formats lists the output formats.
func Formats() []string {
	return []string{FormatText, FormatJSON, FormatJUnit, FormatGradescope}
}

// Write writes the report in a format other than text, which the command
// prints.
func (r Report) Write(w io.Writer, format string) error {
	switch format {
	case FormatJSON:
		return indented(w, r)
	case FormatGradescope:
		return indented(w, r.gradescope())
	case FormatJUnit:
		return r.junit(w)
	}
	return fmt.Errorf("unknown format %q: known are %s", format, strings.Join(Formats(), ", "))
}

func indented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// gradescopeResult is results.json as Gradescope's autograder specification
// describes it.
type gradescopeResult struct {
	Score         float64          `json:"score"`
	ExecutionTime float64          `json:"execution_time"` // seconds
	Output        string           `json:"output"`
	OutputFormat  string           `json:"output_format"`
	Tests         []gradescopeTest `json:"tests"`
}

type gradescopeTest struct {
	Name     string  `json:"name"`
	Score    float64 `json:"score"`
	MaxScore float64 `json:"max_score"`
	Status   string  `json:"status"`
	Output   string  `json:"output"`
}

func (r Report) gradescope() gradescopeResult {
	out := gradescopeResult{Score: r.Score, ExecutionTime: r.Elapsed.Seconds(), Output: r.summary(), OutputFormat: "text", Tests: []gradescopeTest{}}
	for _, i := range r.Items {
		status := "failed"
		if i.Status == Full || i.Status == Partial || i.Status == Skipped {
			status = "passed"
		}
		out.Tests = append(out.Tests, gradescopeTest{i.Name, i.Points, i.Max, status, i.Detail})
	}
	return out
}

// summary is the report's head in a few lines.
func (r Report) summary() string {
	s := fmt.Sprintf("%s: %.4g of %.4g points\n%s on %s %s, %s keys", r.Title, r.Score, r.Max, r.Submission, r.Device, r.DeviceName, r.Key)
	if r.Refused != "" {
		s += "\nNo points: " + r.Refused
	}
	return s
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
	Out      string      `xml:"system-out,omitempty"`
}

type junitCase struct {
	Name    string     `xml:"name,attr"`
	Class   string     `xml:"classname,attr"`
	Failure *junitText `xml:"failure"`
	Skipped *junitText `xml:"skipped"`
	Out     string     `xml:"system-out,omitempty"`
}

type junitText struct {
	Message string `xml:"message,attr"`
}

// junit writes one test case per criterion; one that earned nothing failed.
func (r Report) junit(w io.Writer) error {
	s := junitSuite{Name: r.Title, Tests: len(r.Items), Time: fmt.Sprintf("%.3f", r.Elapsed.Seconds()), Out: r.summary()}
	for _, i := range r.Items {
		c := junitCase{Name: i.Name, Class: r.Submission, Out: fmt.Sprintf("%.4g of %.4g points: %s", i.Points, i.Max, i.Detail)}
		switch i.Status {
		case None:
			c.Failure = &junitText{i.Detail}
			s.Failures++
		case Skipped:
			c.Skipped = &junitText{i.Detail}
			s.Skipped++
		}
		s.Cases = append(s.Cases, c)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(s); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
