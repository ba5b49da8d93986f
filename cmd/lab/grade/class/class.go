// Package class grades the submissions of a class by one rubric and puts the
// grades side by side: who earned what, how points are spread, which grades
// would not repeat, and which sources are alike.
package class

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/grade"
)

// Class is the outcome.
type Class struct {
	Title string
	Rows  []Row // by points, the most first
	Alike []Pair
}

// Row is one submission.
type Row struct {
	Name   string // the path behind the folder that all share, as one printable line, which no other row has
	File   string // a name for its own files, without an ending
	Rank   int    // 1 for the most points; equal points have equal ranks
	Report grade.Report
	Err    string // why it could not be graded, which is not its fault
	Reruns int    // gradings that were repeated, because they would not repeat
}

// Remark says in a line what there is to say of the row beside its points.
func (r Row) Remark() string {
	if r.Err == "" {
		return grade.Line(r.Report.Remark())
	}
	why, _, _ := strings.Cut(r.Err, "\n")
	return grade.Line("not graded: " + why)
}

// reruns is how often a grading is repeated whose criteria could not be measured.
const reruns = 1

// Grade grades one submission; it is grade.Run but for tests.
type Grade func(ctx context.Context, submission string) (grade.Report, error)

// Run grades submissions one after the other. done is told each row as soon as
// it is known. The error is that of ctx: what goes wrong with one submission is
// in its row.
func Run(ctx context.Context, submissions []string, g Grade, done func(Row) error) (Class, error) {
	var c Class
	names := shorten(submissions)
	sources := map[string]string{}
	for i, path := range submissions {
		r := Row{Name: shown(names[i]), File: fileName(names[i])}
		rep, err := grade.Report{}, noLink(path, names[i])
		if err == nil {
			rep, err = g(ctx, path)
		}
		for err == nil && rep.Unstable && r.Reruns < reruns {
			r.Reruns++
			var again grade.Report
			if again, err = g(ctx, path); err == nil && noise(again) < noise(rep) {
				rep = again
			}
		}
		if ctx.Err() != nil {
			return c, context.Cause(ctx)
		}
		if err != nil {
			r.Err = err.Error()
		} else if rep.Source != "" {
			sources[names[i]] = rep.Source
		}
		r.Report = rep
		if c.Title == "" {
			c.Title = rep.Title
		}
		if err := done(r); err != nil {
			return c, err
		}
		c.Rows = append(c.Rows, r)
	}
	slices.SortStableFunc(c.Rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Report.Score, a.Report.Score), cmp.Compare(a.Name, b.Name))
	})
	for i := range c.Rows {
		c.Rows[i].Rank = i + 1
		if i > 0 && c.Rows[i].Report.Score == c.Rows[i-1].Report.Score {
			c.Rows[i].Rank = c.Rows[i-1].Rank
		}
	}
	c.Alike = alike(sources)
	return c, nil
}

// noLink refuses a path that leads through a link below the folder that all
// share: it could be another student's work.
func noLink(path, name string) error {
	for range strings.Split(name, "/") {
		info, err := os.Lstat(path)
		if err != nil {
			return fmt.Errorf("submission: %w", err)
		}
		if info.Mode()&os.ModeSymlink != 0 {
			return fmt.Errorf("submission: %s is a link: give the file itself", path)
		}
		path = filepath.Dir(path)
	}
	return nil
}

// noise is that of the criterion that repeats worst.
func noise(r grade.Report) (worst float64) {
	for _, i := range r.Items {
		worst = max(worst, i.Noise)
	}
	return worst
}

// shorten takes the folders away that all paths share.
func shorten(paths []string) []string {
	split := make([][]string, len(paths))
	for i, p := range paths {
		split[i] = strings.Split(filepath.ToSlash(filepath.Clean(p)), "/")
	}
	shared := 0
	for len(split) > 0 && shared < len(split[0])-1 {
		same := true
		for _, s := range split {
			same = same && len(s) > shared+1 && s[shared] == split[0][shared]
		}
		if !same {
			break
		}
		shared++
	}
	out := make([]string, len(paths))
	for i, s := range split {
		out[i] = strings.Join(s[shared:], "/")
	}
	return out
}

// shown is a name as one printable line. One that is none has a part of its hash behind it: as a line
// it could be another student's name. No submission's name ends so.
func shown(name string) string {
	line := grade.Line(name)
	if line == name {
		return name
	}
	return line + fmt.Sprintf(" #%x", sha256.Sum256([]byte(name)))[:10]
}

// longest is how much of a name a file's name takes.
const longest = 100

// fileName makes of a name one that can be part of a path and of a link; names
// that become equal are told apart by a hash, of which nobody finds two equal.
func fileName(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' && name[0] != '.' {
			return r
		}
		return '_'
	}, name)
	if plain == name && len(plain) <= longest {
		return plain
	}
	return plain[:min(len(plain), longest)] + fmt.Sprintf("-%x", sha256.Sum256([]byte(name)))[:33]
}

// Criteria lists the rubric's criteria, as the first graded row has them.
func (c Class) Criteria() (out []grade.Item) {
	for _, r := range c.Rows {
		if len(r.Report.Items) > len(out) {
			out = r.Report.Items
		}
	}
	return out
}

// Bin is a range of points and how many grades lie in it.
type Bin struct {
	From, To float64
	Grades   int
}

// bins are as many as a reader takes in.
const bins = 10

// Distribution counts grades in ten equal ranges from 0 to the most that can be
// earned; full marks are in the last.
func (c Class) Distribution() (out []Bin) {
	most := 0.0
	for _, r := range c.Rows {
		most = max(most, r.Report.Max)
	}
	if most == 0 {
		return nil
	}
	for i := range bins {
		out = append(out, Bin{From: most * float64(i) / bins, To: most * float64(i+1) / bins})
	}
	for _, r := range c.Rows {
		if r.Err == "" {
			out[min(int(bins*r.Report.Score/most), bins-1)].Grades++
		}
	}
	return out
}

// Ungraded counts the submissions that could not be graded.
func (c Class) Ungraded() (n int) {
	for _, r := range c.Rows {
		if r.Err != "" {
			n++
		}
	}
	return n
}
