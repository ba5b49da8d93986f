package by

import (
	"fmt"
	"strings"
	"time"
)

// strftime has the parts of package time's layouts for the letters of strftime(3).
var strftime = map[byte]string{
	'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'j': "002", 'b': "Jan", 'h': "Jan", 'B': "January", 'a': "Mon", 'A': "Monday",
	'H': "15", 'I': "03", 'M': "04", 'S': "05", 'p': "PM", 'z': "-0700", 'Z': "MST", 'F': "2006-01-02", 'T': "15:04:05", 'R': "15:04",
	'D': "01/02/06", 't': "\t", 'n': "\n", '%': "%",
}

// layout reads a layout of either notation. Digits behind a point may follow the seconds in
// any.
func layout(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i++; i == len(s) {
			return "", fmt.Errorf("a %% stands at the end: %%%% means the sign itself")
		}
		part, ok := strftime[s[i]]
		if !ok {
			return "", fmt.Errorf("%%%c is no part of a time: there are %%Y %%y %%m %%d %%e %%j %%b %%B %%a %%A %%H %%I %%M %%S %%p %%z %%Z %%F %%T %%R %%D %%%%", s[i])
		}
		b.WriteString(part)
	}
	l := b.String()
	one, other := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC), time.Date(1999, 11, 12, 23, 57, 58, 0, time.UTC)
	if one.Format(l) == other.Format(l) {
		return "", fmt.Errorf("nothing of a date or time is in it: write it as %%d.%%m.%%Y, or as 02.01.2006")
	}
	return l, nil
}
