package cli

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/gpusort/gpusort/internal/key/linekey"
)

// settleDebug refuses what --debug does not go with, in the words of sort(1).
func (l *lineSort) settleDebug() error {
	switch {
	case !l.debug:
		return nil
	case l.check == checkedLoudly:
		return errors.New("options '-c --debug' are incompatible")
	case l.check == checkedQuietly:
		return errors.New("options '-C --debug' are incompatible")
	case l.output != "":
		return errors.New("options '-o --debug' are incompatible")
	case l.count:
		return errors.New("--debug marks keys of lines: leave out --count")
	}
	return nil
}

// warnDebug says what is odd about the keys.
func (l *lineSort) warnDebug() {
	fmt.Fprintln(l.err, "sort: text ordering performed using simple byte comparison")
	for _, text := range l.spec.Warnings() {
		fmt.Fprintf(l.err, "sort: %s\n", text)
	}
}

// marked appends lines, and below each of them marks of what is compared.
func marked(dst, rows []byte, lines linekey.Lines) []byte {
	for len(rows) > 0 {
		n := bytes.IndexByte(rows, lines.Delim)
		line := rows[:n]
		rows = rows[n+1:]
		for _, c := range line {
			if c == '\t' {
				c = '>'
			}
			dst = append(dst, c)
		}
		dst = append(dst, '\n')
		for _, m := range lines.Marks(line) {
			dst = append(dst, bytes.Repeat([]byte{' '}, width(line[:m.From]))...)
			if n := width(line[m.From:m.To]); n > 0 {
				dst = append(append(dst, bytes.Repeat([]byte{'_'}, n)...), '\n')
			} else {
				dst = append(dst, "^ no match for key\n"...)
			}
		}
	}
	return dst
}

// width is how many columns text takes: control characters take none, tabs one.
func width(text []byte) (n int) {
	for _, c := range text {
		if c >= ' ' && c != 0x7f || c == '\t' {
			n++
		}
	}
	return n
}
