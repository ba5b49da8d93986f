package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/units"
)

type verifyCmd struct {
	*app
	inputFlags
	orderFlags
	against     string
	againstKind kindValue
	json        bool
	records     bool
}

func (a *app) verifyCommand() *cobra.Command {
	v := &verifyCmd{app: a}
	c := &cobra.Command{
		Use:   "verify [flags] [FILE]",
		Short: "Check that a file is sorted, and holds the keys of another",
		Long: `Check that FILE, or standard input, is sorted. With --against, also check that it
holds exactly the keys of IN, in whatever order: the same bits, each as often. IN
has the type of FILE; its format may differ. Raw and .npy files are read in parts,
with little memory.

If the answer is no, exit with 1 and print the first position out of order,
counted from 0.`,
		Example: `  gpusort verify sorted.u64 --against keys.u64
  gpusort verify -r --nan last sorted.npy
  gpusort verify --records sorted.bin --against records.bin`,
		Args: atMost(1),
		RunE: func(c *cobra.Command, args []string) error {
			in := "-"
			if len(args) == 1 {
				in = args[0]
			}
			if in == "-" && v.against == "-" {
				return usagef(c, "FILE and --against cannot both be standard input")
			}
			if v.records {
				return v.runRecords(c, in)
			}
			return v.run(c.Context(), in)
		},
	}
	v.inputFlags.add(c)
	c.Flags().Var((*fileValue)(&v.against), "against", "the input `IN` that FILE must be a permutation of")
	c.Flags().Var(&v.againstKind, "against-format", "format of that input, if its name does not say it")
	v.orderFlags.add(c)
	c.Flags().BoolVar(&v.json, "json", false, "print the result as JSON")
	c.Flags().BoolVar(&v.records, "records", false, "FILE holds records of 100 bytes with a key of 10, as 'gen --records'\nand gensort write them; print the checksum that valsort prints")
	c.Flags().String("manifest", "", "check the objects of the manifest at `URL`, which sort --engine wrote")
	choices(c, "against-format", format.KindNames())
	return c
}

// verified is the result as JSON.
type verified struct {
	scanned
	Sorted  bool     `json:"sorted"`
	Against *scanned `json:"against,omitempty"`
	Same    *bool    `json:"same_keys,omitempty"`
}

func (v *verifyCmd) run(ctx context.Context, name string) error {
	src, err := format.Open(ctx, name, format.Spec{Kind: v.kind.Kind, Item: v.typ.item(), Numbers: v.numbers, Arrays: v.axis.set, Stdin: v.in, Flag: "--type", KindFlag: "--format"})
	if err != nil {
		return err
	}
	defer src.Close()
	lanes, err := v.axis.lanes(src)
	if err != nil {
		return err
	}
	var in *format.Source
	if v.against != "" {
		it := src.Item
		kind := v.againstKind.Kind
		guess, t := format.Guess(v.against)
		switch {
		case kind != format.Auto:
		case t != nil && *t != it.Type:
			return fmt.Errorf("%s is named like a file of %v, but %s holds %v: compare keys of one type, or give --against-format raw",
				v.against, *t, src.Name, it)
		case guess == format.Auto:
			kind = v.kind.Kind
		}
		in, err = format.Open(ctx, v.against, format.Spec{Kind: kind, Item: &it, Numbers: v.numbers, Arrays: v.axis.set, Stdin: v.in, Flag: "the type of " + name, KindFlag: "--against-format"})
		if err != nil {
			return err
		}
		defer in.Close()
		if !in.Item.Array.Same(src.Item.Array) {
			return fmt.Errorf("%s and %s are arrays of different forms: compare those of one shape and order", src.Name, in.Name)
		}
	}
	p := v.newProgress()
	defer p.close()
	r := verified{}
	if r.scanned, err = scan(ctx, src, lanes, v.order(), p); err != nil {
		return err
	}
	r.Sorted = r.Disorder < 0
	if in != nil {
		a, err := scan(ctx, in, lanes, v.order(), p)
		if err != nil {
			return err
		}
		same := a.digest == r.digest && slices.Equal(a.lanes, r.lanes)
		r.Against, r.Same = &a, &same
	}
	p.close()
	v.tellRounded(v.err)
	return v.print(r)
}

func (v *verifyCmd) print(r verified) error {
	if v.json {
		if err := printJSON(v.out, r); err != nil {
			return err
		}
	}
	if !r.Sorted {
		fmt.Fprintf(v.err, "gpusort: %s: %s\n", r.File, r.where())
	}
	if r.Same != nil && !*r.Same {
		a := r.Against
		if a.Items != r.Items {
			fmt.Fprintf(v.err, "gpusort: %s has %s keys, %s has %s\n", r.File, units.Count(r.Items), a.File, units.Count(a.Items))
		} else {
			fmt.Fprintf(v.err, "gpusort: %s does not hold the keys of %s: both have %s, but their multisets differ\n",
				r.File, a.File, units.Count(r.Items))
		}
	}
	if !r.Sorted || r.Same != nil && !*r.Same {
		return negative{}
	}
	if !v.json {
		direction := "ascending"
		if v.reverse {
			direction = "descending"
		}
		fmt.Fprintf(v.out, "%s: %s %s keys, %s", quoteName(r.File), units.Count(r.Items), r.Type, direction)
		if r.Against != nil {
			fmt.Fprintf(v.out, ", the keys of %s", quoteName(r.Against.File))
		}
		fmt.Fprintln(v.out)
	}
	return nil
}
