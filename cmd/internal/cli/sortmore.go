package cli

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/cmd/internal/lazy"
	"github.com/gpusort/gpusort/internal/run"
)

// splitSize is the most that a part of the output has; zero if there is one part.
type splitSize struct {
	rows  int64
	bytes uint64
}

func (v *splitSize) String() string { return "" }
func (v *splitSize) Type() string   { return "SIZE" }

// Set reads a number of rows, or a size.
func (v *splitSize) Set(s string) error {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && n > 0 {
		*v = splitSize{rows: n}
		return nil
	}
	var size bufferValue
	if err := size.Set(s); err != nil || size.percent || size.bytes == 0 {
		return errors.New("give a number of rows, or a size as 64M or 1GiB")
	}
	*v = splitSize{bytes: size.bytes}
	return nil
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
	case l.merge || l.spec.Unique || l.count || l.checking():
		return errors.New("--unique-by sorts twice, and keeps the first line of each key: leave out -c, -C, -m, -u and --count")
	}
	switch {
	case l.split == splitSize{}:
		return nil
	case len(partNumber().FindAllString(l.output, 2)) != 1:
		return errors.New("--split writes several files: their names need one place for a number, as in -o part-%04d.txt")
	}
	return nil
}

// digits is how many digits the numbers of parts have so that names sort, and how many parts
// there may be then; 0 if the numbers have as many as they need.
func (l *lineSort) digits() (digits, limit int) {
	verb := partNumber().FindString(l.output)
	if len(verb) < len("%04d") {
		return 0, 0
	}
	digits = int(verb[2] - '0')
	return digits, int(math.Pow10(digits))
}

// tooMany is the error of more parts than names with so many digits have.
func (l *lineSort) tooMany(digits, named int) error {
	err := fmt.Errorf("--split: there are more parts than numbers of %d digits: give %%0%dd, or make the parts larger", digits, digits+1)
	if named > 0 {
		err = fmt.Errorf("%w; %d parts are complete", err, named)
	}
	return err
}

// fewParts returns an error if bytes of so many surely make more parts than there are names.
func (l *lineSort) fewParts() error {
	most := l.split.bytes
	if most == 0 || l.top > 0 || l.spec.Unique || len(l.uniqueBy) > 0 {
		return nil
	}
	digits, limit := l.digits()
	if size := l.size(); limit > 0 && size > 0 && uint64(size)/most > uint64(limit) {
		return l.tooMany(digits, 0)
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
	if l.toColumns() != columns.None {
		return nil // names of columns are in the schema
	}
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
