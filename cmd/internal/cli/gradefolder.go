package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/grade"
)

// submissionsOf puts the submissions of each folder in its place, by name. Of what lies in a folder
// and has none it tells, because a student would be missing.
func (g *gradeCmd) submissionsOf(args []string) (out []string, folders bool, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		if err != nil || !info.IsDir() {
			out = append(out, arg) // which Run says more of
			continue
		}
		folders = true
		list, err := os.ReadDir(arg)
		if err != nil {
			return nil, folders, err
		}
		var none []string
		before := len(out)
		for _, e := range list {
			path := filepath.Join(arg, e.Name())
			found, err := submissionsBelow(path)
			var fault *fs.PathError
			switch {
			case errors.As(err, &fault): // of one student, who must not stop the others
				none = append(none, fmt.Sprintf("%s (%v)", quoteName(path), fault.Err))
			case err != nil:
				return nil, folders, err
			case len(found) == 0:
				none = append(none, quoteName(path))
			}
			out = append(out, found...)
		}
		if len(out) == before {
			return nil, folders, fmt.Errorf("%s: no submission in it: their names end in .cl, .cu or .so", visible(arg))
		}
		if len(none) > 0 {
			const most = 10
			more := ""
			if len(none) > most {
				more = fmt.Sprintf(" and %d more", len(none)-most)
				none = none[:most]
			}
			fmt.Fprintf(g.err, "gpusort: no submission (.cl, .cu, .so) in %s%s\n", strings.Join(none, ", "), more)
		}
	}
	return out, folders, nil
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
