package cli

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/cmd/internal/units"
)

// addLineFlags adds the flags of sort(1) that sort lines and nothing else.
func (s *sortCmd) addLineFlags(f *pflag.FlagSet) {
	f.StringArrayP("key", "k", nil, "lines: sort by a part of each, `KEYDEF`; several are compared in turn;\nof records, FROM:TO[:TYPE][:desc], bytes counted from 0")
	f.String("record", "", "sort records of `LENGTH` bytes each, not lines")
	f.StringP("field-separator", "t", "", "`SEP` is between fields, not the change from non-blank to blank")
	f.BoolP("ignore-leading-blanks", "b", false, "leave out blanks at the beginning of keys")
	f.BoolP("dictionary-order", "d", false, "compare blanks, letters and digits only")
	f.BoolP("ignore-case", "f", false, "compare lower case as upper case")
	f.BoolP("ignore-nonprinting", "i", false, "compare printable characters only")
	f.BoolP("numeric-sort", "n", false, "compare decimal numbers of any length")
	f.BoolP("general-numeric-sort", "g", false, "compare floats, as 1e-3, 0x1p4, inf and nan")
	f.BoolP("human-numeric-sort", "h", false, "compare numbers as 2K and 1.5G")
	f.BoolP("month-sort", "M", false, "compare names of months: anything else < JAN < … < DEC")
	f.BoolP("version-sort", "V", false, "compare numbers within text by their value")
	f.BoolP("random-sort", "R", false, "shuffle, but keep equal keys together")
	f.String("random-source", "", "`FILE` of random bytes for -R; the same bytes give the same order")
	f.String("sort", "", "as -g, -h, -M, -n, -R or -V: `WORD` is general-numeric, human-numeric,\nmonth, numeric, random or version")
	f.BoolP("stable", "s", false, "keep the order of lines whose keys are equal")
	f.BoolP("unique", "u", false, "write the first of lines whose keys are equal; with -c, none may be")
	f.BoolP("zero-terminated", "z", false, "lines end with a zero byte, not with a newline")
	f.BoolP("merge", "m", false, "merge files that are sorted already")
	f.String("files0-from", "", "read the names of the inputs from `FILE`, each ended by a zero byte")
	f.StringArrayP("temporary-directory", "T", nil, "`DIR` for temporary files, not $TMPDIR or /tmp; several are used in turn")
	f.Var(&s.maxTemp, "max-temp", "fail before temporary files take more than `SIZE`")
	f.String("compress-program", "", "have temporary files go through `PROG`, and back with PROG -d")
	f.StringArray("by", nil, "CSV, TSV, JSON Lines, Parquet, Arrow: sort by columns, `COLUMN[:WORD]…[,COLUMN…]`: names, numbers or\npaths as user.age, with words\namong number, i64, u64, f64, text, bool, date[=LAYOUT], time[=LAYOUT], zone=NAME,\nasc, desc, first and last, which are places of empty values")
	f.String("header", "", "`N` rows stay first; of a table it is guessed, of lines it is 0")
	f.String("nulls", "", "`PLACE` of empty values of --by: first or last; last if nothing says it")
	f.Bool("explain", false, "say what was guessed and how it would be sorted, and sort nothing")
	f.String("compression", "", "Parquet, Arrow: `CODEC` of the output, "+strings.Join(columns.Compressions(), ", ")+"; that of\nthe input")
	f.Int("row-group", 0, "Parquet, Arrow: at most `N` rows in a row group; as many as in the input")
	f.Int("top", 0, "write the first `N` rows only, and keep no others in memory")
	f.Bool("debug", false, "mark the parts of each line that are compared, and warn of odd keys")
	f.StringArray("unique-by", nil, "write only the first of the rows that have the same `KEYDEF`, which may be\nanother key than that of the order; several count together")
	f.Bool("count", false, "write one of the rows that are equal, behind their number, as uniq -c does")
	f.String("split", "", "write several files of `ROWS|SIZE` each: 1000000 rows, or 64M or 1GiB;\n-o needs a %d or %04d, which their numbers replace, from 0")
	f.Int("batch-size", 0, "merge at most `N` files or runs at once")
}

// bufferValue is a size of memory as sort(1) has it.
type bufferValue struct {
	bytes   uint64 // or hundredths of the memory
	percent bool
	text    string
}

func (v *bufferValue) String() string { return v.text }
func (v *bufferValue) Type() string   { return "SIZE" }

// Set reads digits, in KiB or with a suffix, or what other commands take as a size. What
// is larger than any memory is the largest number.
func (v *bufferValue) Set(s string) error {
	n := 0
	for n < len(s) && s[n]-'0' < 10 {
		n++
	}
	digits, suffix := s[:n], s[n:]
	shift := 1 // in powers of 1024
	switch {
	case n == 0 || len(suffix) > 1:
		size, err := units.Parse(s)
		if err != nil {
			return fmt.Errorf("%q is no size: write 1000 (KiB), 512b, 64K, 50M, 2G, 1.5GiB or 25%%", s)
		}
		*v = bufferValue{bytes: size, text: s}
		return nil
	case suffix == "":
	case suffix == "b", suffix == "%":
		shift = 0
	default:
		if shift = 1 + strings.Index("KMGTPEZY", strings.ToUpper(suffix)); shift == 0 {
			return fmt.Errorf("%q is no size: the suffix may be b, K, M, G, T, P, E or %%", s)
		}
	}
	size, err := strconv.ParseUint(digits, 10, 64)
	for ; shift > 0 && err == nil; shift-- {
		over, low := bits.Mul64(size, 1024)
		if size = low; over != 0 {
			err = strconv.ErrRange
		}
	}
	if err != nil {
		size = math.MaxUint64
	}
	*v = bufferValue{bytes: size, percent: suffix == "%", text: s}
	return nil
}
