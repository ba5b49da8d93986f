package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/packed"
	"github.com/gpusort/gpusort/cmd/internal/room"
)

// sortCmd is one "gpusort sort" with its flags.
type sortCmd struct {
	*app
	c *cobra.Command
	inputFlags
	orderFlags
	deviceFlags
	rowFlags
	output    string
	buffer    bufferValue
	outKind   kindValue
	argsort   bool
	index     string
	values    string
	valueType string
	valuesOut string
	check     checkValue
	json      bool
	verbose   bool
}

func (a *app) sortCommand() *cobra.Command { return (&sortCmd{app: a}).command() }

// command makes the command with its flags, which set s. It sorts numbers; lines do not
// get that far.
func (s *sortCmd) command() *cobra.Command {
	c := &cobra.Command{
		Use:   "sort [flags] [FILE]...",
		Short: "Sort lines of text, or a file of numbers",
		Long: `Sort the lines of all FILEs together, or of standard input, as sort(1) does in
the C locale, whatever their size: what does not fit the memory of -S goes to
temporary files. A key is F[.C][OPTS][,F[.C][OPTS]], with fields and characters
counted from 1.

With --by, sort the rows of CSV, TSV or JSON Lines by columns: names, numbers
or paths. Rows come out as they are, the heading first. What --by does not say
is guessed; --explain says what.

With --type, or where a name ends in a type (.u32) or in .npy, sort the numbers
of one FILE. One total order on every device: integers by value; floats with NaN
first (or last), then -inf … -0, +0 … +inf.

-o writes a temporary file beside OUT and renames it when it is complete: an
existing OUT survives any failure, and OUT may be FILE. OUT keeps its
permissions; a symbolic link is followed; other hard links keep the old data.

With --values, each value moves with its key; equal keys keep their order.
With --argsort, the output is the positions, from 0, that put the keys in
order. They are u64 (.npy: i64, like NumPy); --index u32 halves their bytes. The
order of NumPy's stable argsort is --argsort --nan last --equal-zeros.

.npy files are written as they were read: dtype, shape and byte order. An array
of several dimensions needs --axis, which says along which one to sort.

With --check, nothing is written: exit 1 at the first key out of order.`,
		Example: `  gpusort sort -t, -k2,2n -k1,1 table.csv -o sorted.csv
  gpusort sort -u -S 1G words.txt
  gpusort sort --by city,price:desc orders.csv
  gpusort sort --type u64 keys.bin -o sorted.bin
  gpusort sort -r prices.npy -o prices.npy           # in place, descending
  gpusort sort --type f32 --format text < in > out
  gpusort sort keys.u32 --values rows.u64 -o k.u32 --values-out r.u64
  gpusort sort --argsort keys.npy -o order.npy
  gpusort sort --type i64 --check log.bin`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			s.c = c
			in := "-"
			if len(args) == 1 {
				in = args[0]
			}
			return s.run(c.Context(), in)
		},
	}
	f := c.Flags()
	s.rowFlags.add(f)
	f.VarP(&s.check, "check", "c", "only check the order, print the first disorder; with `HOW` quiet, nothing")
	f.Lookup("check").NoOptDefVal = "diagnose-first"
	f.BoolFuncP("check-quiet", "C", "as --check=quiet", unlessFalse(func() error { return s.check.Set("quiet") }))
	f.VarP(only((*fileValue)(&s.output)), "output", "o", "write to `FILE` instead of standard output")
	f.VarP(&s.buffer, "buffer-size", "S", "most memory: `SIZE` in KiB, with a suffix b, K, M, G, T or %; raised\nto the least that works")
	f.BoolVar(&s.json, "json", false, "print a report as JSON, to standard error if data go to standard output")
	f.BoolVarP(&s.verbose, "verbose", "v", false, "say on standard error what was done, where, and how fast")
	s.deviceFlags.addPlace(c)
	f.Lookup("parallel").Value = &countValue{&s.workers, 1}
	s.orderFlags.add(c)
	s.inputFlags.add(c)
	f.Lookup("format").Value = &formatValue{&s.kind, &s.rows}
	f.Lookup("format").Usage += "; lines; with --by csv, tsv, jsonl"
	f.Var(&s.outKind, "out-format", "numbers: format of the output; guessed from its name, else that of\nthe input")
	f.BoolVar(&s.argsort, "argsort", false, "numbers: write positions instead of keys")
	f.StringVar(&s.index, "index", "auto", "`TYPE` of positions: u32, u64, i64; auto is u64, in .npy i64")
	f.Var((*fileValue)(&s.values), "values", "numbers: `FILE` of values that move with the keys: .npy, raw or text")
	f.StringVar(&s.valueType, "value-type", "", "`TYPE` of raw values: a key type, or a width in bytes")
	f.Var((*fileValue)(&s.valuesOut), "values-out", "`FILE` for the sorted values")
	f.Bool("help", false, "print this help")
	f.Bool("version", false, "print the version")
	choices(c, "out-format", format.KindNames())
	choices(c, "index", []string{"auto", "u32", "u64", "i64"})
	choices(c, "check", []string{"diagnose-first", "quiet"})
	return c
}

// run refuses contradictory flags and then checks or sorts.
func (s *sortCmd) run(ctx context.Context, in string) error {
	switch {
	case s.checking() && (s.argsort || s.values != "" || s.output != ""):
		return usagef(s.c, "--check writes nothing: leave out --argsort, --values and -o")
	case s.checking() && s.explain:
		return usagef(s.c, "--explain says how a sort would go, not a check: leave out --check")
	case s.argsort && s.values != "":
		return usagef(s.c, "--argsort and --values exclude each other: gather the values by the positions, or sort them with the keys")
	case s.values != "" && s.valuesOut == "":
		return usagef(s.c, "--values needs --values-out FILE for the sorted values")
	case s.values == "" && s.valuesOut != "":
		return usagef(s.c, "--values-out needs --values FILE")
	case s.values == "" && s.valueType != "":
		return usagef(s.c, "--value-type needs --values FILE")
	case !s.argsort && s.c.Flags().Changed("index"):
		return usagef(s.c, "--index is the type of positions: it needs --argsort")
	case s.values == "-" && in == "-":
		return usagef(s.c, "keys and values cannot both come from standard input")
	case s.valuesOut == "-" && (s.output == "" || s.output == "-"):
		return usagef(s.c, "keys and values cannot both go to standard output: give -o FILE")
	}
	if s.memory = sizeValue(s.buffer.bytes); s.buffer.percent {
		s.memory = sizeValue(room.Total() * s.buffer.bytes / 100)
	}
	if s.checking() {
		return s.runCheck(ctx, in)
	}
	return s.runSort(ctx, in)
}

// checking reports whether only the order is checked.
func (s *sortCmd) checking() bool { return s.check != unchecked }

// source opens the keys.
func (s *sortCmd) source(ctx context.Context, in string) (*format.Source, error) {
	return format.Open(ctx, in, format.Spec{Kind: s.kind.Kind, Item: s.typ.item(), Numbers: s.numbers, Arrays: s.axis.set, Stdin: s.in, Flag: "--type", KindFlag: "--format"})
}

// valueSource opens the values; without --values it returns nil.
func (s *sortCmd) valueSource(ctx context.Context) (*format.Source, error) {
	if s.values == "" {
		return nil, nil
	}
	spec := format.Spec{Opaque: true, Numbers: s.numbers, Arrays: s.axis.set, Stdin: s.in, Flag: "--value-type"}
	if s.valueType != "" {
		it, err := format.ParseItem(s.valueType)
		if err != nil {
			return nil, usagef(s.c, "--value-type: %v", err)
		}
		spec.Item = &it
	}
	return format.Open(ctx, s.values, spec)
}

// outFormat settles the format of an output: as asked, as its name says, or as
// the input's. A name that ends in another type than the data's is refused,
// because it would be read wrongly; flag names the option that may ask, if there is one.
func outFormat(name, flag string, asked, in format.Kind, it format.Item) (format.Kind, error) {
	guess, t := format.Guess(packed.Inner(name))
	as := columns.ByOutput(packed.Inner(name))
	switch {
	case asked != format.Auto:
		return asked, nil
	case as.Columns(), as == columns.JSON:
		return 0, fmt.Errorf("%s is named like %v, but gets numbers: end it in .txt, .raw or .npy", name, as)
	case t != nil && (it.Opaque || *t != it.Type):
		remedy := "choose another name"
		if flag != "" {
			remedy += ", or give " + flag + " raw"
		}
		return 0, fmt.Errorf("%s is named like a file of %v, but gets %v: %s", name, *t, it, remedy)
	case guess != format.Auto:
		return guess, nil
	}
	return in, nil
}
