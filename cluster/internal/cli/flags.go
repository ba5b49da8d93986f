package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gpusort/gpusort/cluster"
)

// orderFlags are those of cluster.Order.
type orderFlags struct {
	cluster.Order
	letters [10]bool
	by      []string
}

var letters = [10]struct{ name, letter, usage string }{
	{"reverse", "r", "reverse the order"},
	{"ignore-leading-blanks", "b", "lines: leave out blanks at the beginning of keys"},
	{"dictionary-order", "d", "lines: compare blanks, letters and digits only"},
	{"ignore-case", "f", "lines: compare lower case as upper case"},
	{"ignore-nonprinting", "i", "lines: compare printable characters only"},
	{"numeric-sort", "n", "lines: compare decimal numbers of any length"},
	{"general-numeric-sort", "g", "lines: compare floats"},
	{"human-numeric-sort", "h", "lines: compare numbers as 2K and 1.5G"},
	{"month-sort", "M", "lines: compare names of months"},
	{"version-sort", "V", "lines: compare numbers within text by their value"},
}

func (o *orderFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.Bool("help", false, "print this help") // -h is of numbers
	f.StringVar(&o.Format, "format", "", "`FORMAT` of the inputs: "+strings.Join(cluster.Formats(), ", "))
	f.StringArrayVar(&o.by, "by", nil, "sort by columns, `COLUMN[:WORD]…[,COLUMN…]`")
	f.StringVar(&o.Nulls, "nulls", "", "`PLACE` of missing values: first or last")
	f.StringVar(&o.NaN, "nan", "", "`PLACE` of NaN: first or last")
	f.StringArrayVarP(&o.Keys, "key", "k", nil, "`KEYDEF` of lines, or of records FROM:TO[:TYPE][:desc]")
	f.StringVarP(&o.Separator, "field-separator", "t", "", "`SEP` is between fields")
	f.IntVar(&o.Header, "header", -1, "`N` rows of each input are a heading; guessed for CSV, 0 for lines")
	f.IntVar(&o.Record, "record", 0, "records of `LENGTH` bytes each")
	f.BoolVarP(&o.Stable, "stable", "s", false, "lines with equal keys keep their order")
	f.BoolVarP(&o.Zero, "zero-terminated", "z", false, "lines end with a zero byte")
	f.StringVar(&o.Compression, "compression", "", "tables: `CODEC` of the output")
	f.IntVar(&o.GroupRows, "row-group", 0, "tables: at most `N` rows in a group")
	for i, l := range letters {
		f.BoolVarP(&o.letters[i], l.name, l.letter, false, l.usage)
	}
}

// order is what the flags say.
func (o *orderFlags) order() (cluster.Order, error) {
	o.By = strings.Join(o.by, ",")
	for i, l := range letters {
		if o.letters[i] {
			o.Letters += l.letter
		}
	}
	for name, v := range map[string]string{"nulls": o.Nulls, "nan": o.NaN} {
		if v != "" && v != "first" && v != "last" {
			return o.Order, usageError{fmt.Errorf("--%s %q: first or last", name, v)}
		}
	}
	return o.Order, nil
}

// sizeValue is a size as 64M or 1GiB.
type sizeValue uint64

func (v *sizeValue) String() string { return fmt.Sprint(uint64(*v)) }
func (v *sizeValue) Type() string   { return "SIZE" }

// Set reads a number, of KiB if it has no suffix, as -S of sort(1) has it.
func (v *sizeValue) Set(s string) error {
	text := strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(s), "B"), "I")
	shift := 10
	if n := len(text); n > 0 {
		if i := strings.IndexByte("KMGT", text[n-1]); i >= 0 {
			text, shift = text[:n-1], 10*(i+1)
		} else if text != strings.ToUpper(s) {
			shift = 0
		}
	}
	var f float64
	if _, err := fmt.Sscanf(text+"|", "%g|", &f); err != nil || f < 0 || f*float64(uint64(1)<<shift) > 1<<62 {
		return fmt.Errorf("%q is no size: write 1000 (KiB), 512b, 64M, 2G or 1.5GiB", s)
	}
	*v = sizeValue(f * float64(uint64(1)<<shift))
	return nil
}

// place adds the flags of a cluster.Host.
func (a *app) place(f *pflag.FlagSet) {
	f.VarP((*sizeValue)(&a.host.Memory), "buffer-size", "S", "most memory, `SIZE` in KiB, or with K, M, G, T (default 1G)")
	f.StringArrayVarP(&a.host.Temp, "temporary-directory", "T", nil, "`DIR` for temporary files")
	f.IntVar(&a.host.Workers, "workers", 0, "`N` goroutines at a time; one a processor")
}
