package cli

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/key/linekey"
)

// rowFlags are the options of sort that numbers have no use for, and those of temporary
// files.
type rowFlags struct {
	spec     linekey.Spec // without keys
	keys     []string     // which are read when it is known what is sorted
	record   int
	zero     bool
	merge    bool
	random   string
	names0   fileList
	temp     []string
	maxTemp  sizeValue
	filter   string
	batch    int
	by       string
	heading  int // rows; −1 if that is not known
	nulls    string
	explain  bool
	rows     string // of --format: lines, or one of tableKinds
	top      int
	count    bool
	split    splitSize
	debug    bool
	uniqueBy []string
	packing  string // of --compression
	group    int    // of --row-group
	types    string
}

// add adds the flags, which set r.
func (r *rowFlags) add(f *pflag.FlagSet) {
	r.spec.Separator, r.heading = -1, -1
	letter := func(name, short, usage string) {
		f.BoolFuncP(name, short, usage, unlessFalse(func() error { r.spec.Global.Set(short[0]); return nil }))
	}
	f.VarP((*listValue)(&r.keys), "key", "k", "lines: sort by a part of each, `KEYDEF`; several are compared in turn;\nof records, FROM:TO[:TYPE][:desc], bytes counted from 0")
	f.Var(&countValue{&r.record, 1}, "record", "sort records of `LENGTH` bytes each, not lines")
	f.VarP(&separatorValue{r: r}, "field-separator", "t", "`SEP` is between fields, not the change from non-blank to blank")
	letter("ignore-leading-blanks", "b", "leave out blanks at the beginning of keys")
	letter("dictionary-order", "d", "compare blanks, letters and digits only")
	letter("ignore-case", "f", "compare lower case as upper case")
	letter("ignore-nonprinting", "i", "compare printable characters only")
	letter("numeric-sort", "n", "compare decimal numbers of any length")
	letter("general-numeric-sort", "g", "compare floats, as 1e-3, 0x1p4, inf and nan")
	letter("human-numeric-sort", "h", "compare numbers as 2K and 1.5G")
	letter("month-sort", "M", "compare names of months: anything else < JAN < … < DEC")
	letter("version-sort", "V", "compare numbers within text by their value")
	letter("random-sort", "R", "shuffle, but keep equal keys together")
	f.Var(only((*textValue)(&r.random)), "random-source", "`FILE` of random bytes for -R; the same bytes give the same order")
	f.Func("sort", "as -g, -h, -M, -n, -R or -V: `WORD` is general-numeric, human-numeric,\nmonth, numeric, random or version", func(word string) error {
		word, err := wholeWord(word, "general-numeric", "human-numeric", "month", "numeric", "random", "version")
		if err != nil {
			return err
		}
		return f.Lookup(word + "-sort").Value.Set("true")
	})
	f.BoolVarP(&r.spec.Stable, "stable", "s", false, "keep the order of lines whose keys are equal")
	f.BoolVarP(&r.spec.Unique, "unique", "u", false, "write the first of lines whose keys are equal; with -c, none may be")
	f.BoolVarP(&r.zero, "zero-terminated", "z", false, "lines end with a zero byte, not with a newline")
	f.BoolVarP(&r.merge, "merge", "m", false, "merge files that are sorted already")
	f.Var(&r.names0, "files0-from", "read the names of the inputs from `FILE`, each ended by a zero byte")
	f.VarP((*listValue)(&r.temp), "temporary-directory", "T", "`DIR` for temporary files, not $TMPDIR or /tmp; several are used in turn")
	f.Var(&r.maxTemp, "max-temp", "fail before temporary files take more than `SIZE`")
	f.Var(only((*textValue)(&r.filter)), "compress-program", "have temporary files go through `PROG`, and back with PROG -d")
	f.Func("by", "CSV, TSV, JSON Lines, Parquet, Arrow: sort by columns, `COLUMN[:WORD]…[,COLUMN…]`: names, numbers or\npaths as user.age, with words\namong number, i64, u64, f64, text, bool, date[=LAYOUT], time[=LAYOUT], zone=NAME,\nasc, desc, first and last, which are places of empty values", func(by string) error {
		if by == "" {
			return errors.New("no column is named")
		}
		r.by = strings.TrimPrefix(r.by+","+by, ",")
		return nil
	})
	f.Var(&countValue{&r.heading, 0}, "header", "`N` rows stay first; of a table it is guessed, of lines it is 0")
	f.Var(oneOf(&r.nulls, "first", "last"), "nulls", "`PLACE` of empty values of --by: first or last; last if nothing says it")
	f.BoolVar(&r.explain, "explain", false, "say what was guessed and how it would be sorted, and sort nothing")
	f.Var(oneOf(&r.packing, columns.Compressions()...), "compression", "Parquet, Arrow: `CODEC` of the output, "+strings.Join(columns.Compressions(), ", ")+"; that of\nthe input")
	f.Var(&countValue{&r.group, 1}, "row-group", "Parquet, Arrow: at most `N` rows in a row group; as many as in the input")
	f.StringVar(&r.types, "types", "", "CSV to Parquet or Arrow: `COLUMN:KIND[,…]` with kinds as --by has them, *:KIND for\nthe other columns; else each has the type that gives all of its values back")
	f.Var(&countValue{&r.top, 1}, "top", "write the first `N` rows only, and keep no others in memory")
	f.BoolVar(&r.debug, "debug", false, "mark the parts of each line that are compared, and warn of odd keys")
	f.Var((*listValue)(&r.uniqueBy), "unique-by", "write only the first of the rows that have the same `KEYDEF`, which may be\nanother key than that of the order; several count together")
	f.BoolVar(&r.count, "count", false, "write one of the rows that are equal, behind their number, as uniq -c does")
	f.Var(&r.split, "split", "write several files of `ROWS|SIZE` each: 1000000 rows, or 64M or 1GiB;\n-o needs a %d or %04d, which their numbers replace, from 0")
	f.String("engine", "", "sort objects of stores, in several processes, by `ENGINE` local, ray or spark:\ngpusort-cluster run --help has its flags")
	f.Var(&countValue{&r.batch, 2}, "batch-size", "merge at most `N` files or runs at once")
}

// trimBlanks leaves out what sort(1) passes over before a number.
func trimBlanks(s string) string { return strings.TrimLeft(s, " \t\n\v\f\r") }

// bufferValue is a size of memory as sort(1) has it.
type bufferValue struct {
	bytes   uint64 // or hundredths of the memory
	percent bool
	text    string
}

func (v *bufferValue) String() string { return v.text }
func (v *bufferValue) Type() string   { return "SIZE" }

// Set reads digits, in KiB or with a suffix, or what other commands take as a size, if its
// unit is written out. What is larger than any memory is the largest number.
func (v *bufferValue) Set(s string) error {
	text := strings.TrimPrefix(trimBlanks(s), "+")
	n := 0
	for n < len(text) && text[n]-'0' < 10 {
		n++
	}
	digits, suffix := text[:n], text[n:]
	shift := 1 // in powers of 1024
	switch {
	case n == 0 || len(suffix) > 1:
		size, err := units.Parse(text)
		if err != nil || text[len(text)-1]-'0' < 10 {
			return errors.New("that is no size: write 1000 (KiB), 512b, 64K, 50M, 2G, 1.5GiB or 25%")
		}
		*v = bufferValue{bytes: size, text: s}
		return nil
	case suffix == "":
	case suffix == "b", suffix == "%":
		shift = 0
	default:
		if strings.Contains("kmgt", suffix) { // of the others sort(1) knows the capital ones
			suffix = strings.ToUpper(suffix)
		}
		if shift = 1 + strings.Index("KMGTPEZY", suffix); shift == 0 {
			return errors.New("that is no size: the suffix may be b, K, M, G, T, P, E or %")
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
