package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/gensort"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/internal/key/recordkey"
)

// verifiedRecords is what a file of records has, as JSON.
type verifiedRecords struct {
	File       string           `json:"file"`
	Records    int64            `json:"records"`
	Checksum   string           `json:"checksum"`
	Duplicates int64            `json:"duplicate_keys"`
	Disorders  int64            `json:"records_out_of_order"`
	First      int64            `json:"first_out_of_order"` // −1 if none is
	Sorted     bool             `json:"sorted"`
	Against    *verifiedRecords `json:"against,omitempty"`
	Same       *bool            `json:"same_records,omitempty"`
}

// runRecords checks records, and whether they are those of another file.
func (v *verifyCmd) runRecords(c *cobra.Command, name string) error {
	for _, flag := range []string{"type", "format", "against-format", "axis", "loose-integers", "round", "reverse", "nan", "equal-zeros"} {
		if c.Flags().Changed(flag) {
			return usagef(c, "--%s is for numbers: leave it out, or --records", flag)
		}
	}
	r, err := v.sum(c.Context(), name)
	if err != nil {
		return err
	}
	if v.against != "" {
		a, err := v.sum(c.Context(), v.against)
		if err != nil {
			return err
		}
		same := a.Records == r.Records && a.Checksum == r.Checksum
		r.Against, r.Same = &a, &same
	}
	if v.json {
		if err := printJSON(v.out, r); err != nil {
			return err
		}
	}
	if !r.Sorted {
		fmt.Fprintf(v.err, "gpusort: %s: record %d is the first of %s that are less than the one before\n", r.File, r.First, units.Count(r.Disorders))
	}
	if r.Same != nil && !*r.Same {
		fmt.Fprintf(v.err, "gpusort: %s does not hold the records of %s: %s with checksum %s, %s with checksum %s\n",
			r.File, r.Against.File, units.Count(r.Records), r.Checksum, units.Count(r.Against.Records), r.Against.Checksum)
	}
	if !r.Sorted || r.Same != nil && !*r.Same {
		return negative{}
	}
	if !v.json {
		fmt.Fprintf(v.out, "%s: %s records, ascending, %s duplicate keys, checksum %s", quoteName(r.File), units.Count(r.Records), units.Count(r.Duplicates), r.Checksum)
		if r.Against != nil {
			fmt.Fprintf(v.out, ", that of %s", quoteName(r.Against.File))
		}
		fmt.Fprintln(v.out)
	}
	return nil
}

// sum reads a file of records.
func (v *verifyCmd) sum(ctx context.Context, name string) (r verifiedRecords, err error) {
	l := lineSort{sortCmd: &sortCmd{app: v.app}}
	l.records = recordkey.Records{Size: gensort.Size}
	in, err := l.input(ctx, name)()
	if err != nil {
		return r, err
	}
	defer in.Close()
	r.File = saidInput(name)
	var s gensort.Sum
	b := make([]byte, recordsAtATime*gensort.Size)
	for err != io.EOF {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		var n int
		if n, err = io.ReadFull(in, b); err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		if err != nil && err != io.EOF {
			return r, told(err)
		}
		s.Add(b[:n])
	}
	r.Records, r.Checksum, r.Duplicates, r.Disorders, r.First = s.Records, s.Checksum(), s.Duplicates, s.Disorders, -1
	if r.Sorted = s.Disorders == 0; !r.Sorted {
		r.First = s.First
	}
	return r, nil
}
