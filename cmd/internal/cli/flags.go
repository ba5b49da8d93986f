package cli

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/key"
)

// sizeValue is a flag that reads what units.Parse reads.
type sizeValue uint64

func (s *sizeValue) String() string {
	if *s == 0 {
		return ""
	}
	return units.Count(uint64(*s))
}
func (s *sizeValue) Type() string { return "SIZE" }
func (s *sizeValue) Set(t string) error {
	v, err := units.Parse(t)
	*s = sizeValue(v)
	return err
}

// fileValue is the name of a file. It is never empty, because the name in an unset
// shell variable would otherwise mean standard output, or no check at all.
type fileValue string

func (v *fileValue) String() string { return string(*v) }
func (v *fileValue) Type() string   { return "FILE" }
func (v *fileValue) Set(s string) error {
	if s == "" {
		return errors.New("the name is empty: give a file, or leave the flag out")
	}
	*v = fileValue(s)
	return nil
}

// typeValue is a key type, unset at first.
type typeValue struct {
	set bool
	t   key.Type
}

func (v *typeValue) String() string {
	if !v.set {
		return ""
	}
	return v.t.String()
}
func (v *typeValue) Type() string { return "TYPE" }
func (v *typeValue) Set(s string) error {
	t, err := key.Parse(s)
	v.t, v.set = t, err == nil
	return err
}

// item returns what a source of this type holds, nil if the flag is not set.
func (v *typeValue) item() *format.Item {
	if !v.set {
		return nil
	}
	it := format.KeyItem(v.t)
	return &it
}

// kindValue is a file format.
type kindValue struct{ format.Kind }

func (k *kindValue) String() string {
	if k.Kind == format.Auto {
		return ""
	}
	return k.Kind.String()
}
func (k *kindValue) Type() string { return "FORMAT" }
func (k *kindValue) Set(s string) (err error) {
	k.Kind, err = format.ParseKind(s)
	return err
}

// nanValue is the place of NaN.
type nanValue struct{ last bool }

func (n *nanValue) String() string {
	if n.last {
		return "last"
	}
	return "first"
}
func (n *nanValue) Type() string { return "PLACE" }
func (n *nanValue) Set(s string) error {
	if s != "first" && s != "last" {
		return errChoice(s, "first", "last")
	}
	n.last = s == "last"
	return nil
}

// inputFlags say what a file holds.
type inputFlags struct {
	typ     typeValue
	kind    kindValue
	numbers format.Numbers
	axis    axisValue
}

func (f *inputFlags) add(c *cobra.Command) {
	f.numbers.Rounded = new(atomic.Int64)
	c.Flags().Var(&f.typ, "type", "sort numbers: key type "+typeNames()+"\n(not needed for .npy, or if the name ends so: keys.u64)")
	c.Flags().Var(&f.kind, "format", "raw (little-endian), npy, or text (one number a line);\nguessed from the name (.npy, .txt, .csv, .bin, .u64) and the content")
	c.Flags().BoolVar(&f.numbers.Loose, "loose-integers", false, "text: integers also as 1e5, 2.5e3, 12.0 and 0x10")
	c.Flags().BoolVar(&f.numbers.Round, "round", false, "text: take the nearest float for an integer that none holds,\n0 for what is too small, inf for what is too large")
	c.Flags().Var(&f.axis, "axis", ".npy arrays: take each sequence along axis `N` on its own; 0 is the first, -1 the last")
	choices(c, "type", names(catalog.KeyTypes(), func(r key.Row) string { return r.Name }))
	choices(c, "format", format.KindNames())
}

// tellRounded says on w how many numbers --round has changed, if any.
func (f *inputFlags) tellRounded(w io.Writer) {
	if f.numbers.Rounded == nil {
		return // no numbers were read
	}
	switch n := f.numbers.Rounded.Load(); n {
	case 0:
	case 1:
		fmt.Fprintln(w, "gpusort: --round: 1 number is not as it was written")
	default:
		fmt.Fprintf(w, "gpusort: --round: %s numbers are not as they were written\n", units.Count(n))
	}
}

// orderFlags say in which order keys are.
type orderFlags struct {
	reverse    bool
	nan        nanValue
	equalZeros bool
}

func (f *orderFlags) add(c *cobra.Command) {
	c.Flags().BoolVarP(&f.reverse, "reverse", "r", false, "descending order")
	c.Flags().Var(&f.nan, "nan", "floats: NaN before (as Go has it) or behind (as NumPy) all\nnumbers in ascending order; -r reverses all of it")
	c.Flags().BoolVar(&f.equalZeros, "equal-zeros", false, "floats: -0 and +0 tie, and all NaNs tie, as in NumPy's stable sorts:\npairs and positions keep their input order; keys alone are\nsorted as without it")
	choices(c, "nan", []string{"first", "last"})
}

func (f *orderFlags) order() key.Order {
	return key.Order{Desc: f.reverse, NaNLast: f.nan.last, EqualZeros: f.equalZeros}
}

// deviceFlags say where and how to sort.
type deviceFlags struct {
	device  string
	algo    string
	workers int
	memory  sizeValue
}

func (f *deviceFlags) add(c *cobra.Command) {
	f.addPlace(c)
	c.Flags().VarP(&f.memory, "memory-limit", "S", "most memory of the device, or of the process on the CPU, for\none sort; raised to the least that works")
}

// addPlace adds all but the limit of memory.
func (f *deviceFlags) addPlace(c *cobra.Command) {
	c.Flags().StringVar(&f.device, "device", "auto", "auto, cpu, an `ID` of 'gpusort devices' such as cuda:0, or several\nthat sort together: cuda:0,cuda:2 or cuda:all;\na named device never falls back to another")
	c.Flags().StringVar(&f.algo, "algo", "", "algorithm `NAME`, "+algoHint+";\ndefault: the fastest")
	c.Flags().IntVar(&f.workers, "parallel", 0, "`N` goroutines for work on the host; default: one per processor")
	choicesOf(c, "algo", algoList)
	choicesOf(c, "device", func() []string { return append([]string{"auto"}, deviceIDs()...) })
}

// open makes the sorter that the flags ask for.
func (f *deviceFlags) open(o key.Order) (*gpusort.Sorter, error) {
	if err := checkAlgo(f.algo, f.device); err != nil {
		return nil, err
	}
	opts := []gpusort.Option{
		gpusort.WithDevice(f.device), gpusort.WithAlgorithm(f.algo),
		gpusort.WithWorkers(f.workers), gpusort.WithMemoryLimit(uint64(f.memory)),
	}
	if o.Desc {
		opts = append(opts, gpusort.WithDescending())
	}
	if o.NaNLast {
		opts = append(opts, gpusort.WithNaNLast())
	}
	if o.EqualZeros {
		opts = append(opts, gpusort.WithEqualZeros())
	}
	return gpusort.New(opts...)
}
