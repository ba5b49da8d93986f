package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/gpusort/gpusort/cmd/internal/lazy"
	"github.com/gpusort/gpusort/internal/run"
)

// moreSort is what a sort does besides ordering rows.
type moreSort struct {
	top   int
	count bool
	split splitSize
	debug bool

	uniqueBy []string
}

// splitSize is the most that a part of the output has; zero if there is one part.
type splitSize struct {
	rows  int64
	bytes uint64
}

// setMore applies an option of these and reports whether name is one.
func (m *moreSort) setMore(name, value string) (ok bool, err error) {
	switch name {
	case "top":
		m.top, err = count(name, value, 1)
	case "unique-by":
		m.uniqueBy = append(m.uniqueBy, value)
	case "debug":
		m.debug = value == "true"
	case "count":
		m.count = value == "true"
	case "split":
		if n, e := strconv.ParseInt(value, 10, 64); e == nil && n > 0 {
			m.split.rows = n
			break
		}
		var size bufferValue
		if e := size.Set(value); e != nil || size.percent || size.bytes == 0 {
			return true, usageOfLines("--split %q: give a number of rows, or a size as 64M or 1GiB", value)
		}
		m.split.bytes = size.bytes
	default:
		return false, nil
	}
	return true, err
}

// partNumber is what stands for the number in the name of a part.
var partNumber = lazy.Regexp(`%(0[1-9])?d`)

// settleMore refuses what does not go together.
func (l *lineSort) settleMore() error {
	if err := l.settleDebug(); err != nil {
		return err
	}
	switch {
	case len(l.uniqueBy) == 0:
	case l.ofTable():
		return errors.New("--unique-by takes keys of lines and records, not columns: sort by the columns that are to be unique, with -u")
	case l.merge || l.spec.Unique || l.count || l.checking():
		return errors.New("--unique-by sorts twice, and keeps the first line of each key: leave out -c, -C, -m, -u and --count")
	}
	switch {
	case l.count && l.ofRecords():
		return errors.New("--count writes text before each row, which records of one length have no room for: leave it out, or --record")
	case l.split == splitSize{}:
		return nil
	case len(partNumber().FindAllString(l.output, 2)) != 1:
		return errors.New("--split writes several files: their names need one place for a number, as in -o part-%04d.txt")
	}
	return nil
}

// part is the name of an output.
func (l *lineSort) part(i int) string {
	if l.split == (splitSize{}) {
		return l.output
	}
	return partNumber().ReplaceAllStringFunc(l.output, func(verb string) string { return fmt.Sprintf(verb, i) })
}

// setOptions has rows counted and the first ones selected.
func (l *lineSort) setOptions(o *run.Options) {
	o.Top = int64(l.top)
	if len(l.uniqueBy) > 0 {
		o.UniqueBy = l.unique.Encoder
	}
	if !l.count {
		return
	}
	o.Unique = true
	o.Count = func(dst []byte, n int64) []byte { return fmt.Appendf(dst, "%7d ", n) }
	if l.csv != nil {
		o.Count = func(dst []byte, n int64) []byte { return append(strconv.AppendInt(dst, n, 10), l.csv.Separator) }
	}
}

// countedFirst is what an output begins with.
func (l *lineSort) countedFirst() []byte {
	if !l.count || len(l.first) == 0 || l.csv == nil {
		return l.first
	}
	heading, marked := bytes.CutPrefix(l.first, []byte(run.Mark))
	counted := "count" + string(rune(l.csv.Separator))
	if marked {
		counted = run.Mark + counted
	}
	return append([]byte(counted), heading...)
}
