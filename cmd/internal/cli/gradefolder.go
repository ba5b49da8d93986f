package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/grade"
)

// submissionsOf puts the submissions of each folder in its place, by name. Of what lies in a folder
// and has none it tells, because a student would be missing, and of what has several.
func (g *gradeCmd) submissionsOf(args []string) (out []string, folders bool, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		isDir := err == nil && info.IsDir()
		if g.output != "" && g.among(arg, isDir) {
			return nil, folders, fmt.Errorf("-o %s lies where %s does: links that were handed in could lead what is written to other files: give a folder of its own", g.output, arg)
		}
		if !isDir {
			out = append(out, arg) // which Run says more of
			continue
		}
		folders = true
		found, err := g.submissionsIn(arg)
		if err != nil {
			return nil, folders, err
		}
		out = append(out, found...)
	}
	return out, folders, nil
}

// among reports whether the output lies where a submission does, or anywhere in a folder of them.
func (g *gradeCmd) among(arg string, isDir bool) bool {
	if !isDir {
		arg = filepath.Dir(arg)
	}
	in, err := os.Stat(arg)
	if err != nil {
		return false // Run says that it is not there
	}
	at, err := filepath.Abs(g.output)
	for err == nil {
		if real, e := filepath.EvalSymlinks(at); e == nil {
			at = real
		}
		if info, e := os.Stat(at); e == nil && os.SameFile(info, in) {
			return true
		}
		up := filepath.Dir(at)
		if up == at || !isDir {
			return false
		}
		at = up
	}
	return false
}

// submissionsIn are those of a folder.
func (g *gradeCmd) submissionsIn(folder string) (out []string, err error) {
	list, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	type several struct {
		path string
		n    int
	}
	var none, many []string
	var most []several
	for _, e := range list {
		path := filepath.Join(folder, e.Name())
		found, err := submissionsBelow(path)
		var fault *fs.PathError
		switch {
		case errors.As(err, &fault): // of one student, who must not stop the others
			none = append(none, fmt.Sprintf("%s (%v)", quoteName(path), fault.Err))
		case err != nil:
			return nil, err
		case len(found) == 0:
			none = append(none, quoteName(path))
		case len(found) > 1:
			most = append(most, several{path, len(found)})
		}
		out = append(out, found...)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no submission in it: their names end in .cl, .cu or .so", visible(folder))
	}
	slices.SortStableFunc(most, func(a, b several) int { return cmp.Compare(b.n, a.n) })
	for _, m := range most {
		many = append(many, fmt.Sprintf("%s (%d)", quoteName(m.path), m.n))
	}
	g.tell("no submission (.cl, .cu, .so)", none)
	g.tell("several submissions, each with a grade of its own,", many)
	return out, nil
}

// tell says what is in some places, of which it names the first.
func (g *gradeCmd) tell(what string, places []string) {
	const named = 10
	more := ""
	if len(places) > named {
		more = fmt.Sprintf(" and %d more", len(places)-named)
		places = places[:named]
	}
	if len(places) > 0 {
		fmt.Fprintf(g.err, "gpusort: %s in %s%s\n", what, strings.Join(places, ", "), more)
	}
}

// submissionsBelow are the files at or below path whose names are those of submissions; links are
// not followed, but listed, so that they are refused by name.
func submissionsBelow(path string) (out []string, err error) {
	err = filepath.WalkDir(path, func(at string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if strings.HasPrefix(e.Name(), "._") {
			return nil // what macOS writes beside a file into archives
		}
		if _, err := grade.KindOf(at); err == nil {
			out = append(out, at)
		}
		return nil
	})
	return out, err
}
