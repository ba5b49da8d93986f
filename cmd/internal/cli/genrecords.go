package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/gensort"
)

// recordFlags say that records are generated, and which.
type recordFlags struct {
	records string // binary or ascii; "" for keys
	first   sizeValue
}

func (f *recordFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.records, "records", "", "write n records of sortbenchmark.org, 100 bytes each, laid out as\ngensort does: `LAYOUT` is binary or ascii")
	c.Flags().Lookup("records").NoOptDefVal = "binary"
	c.Flags().Var(&f.first, "first", "number of the first record, so that parts make a whole")
	choices(c, "records", []string{"binary", "ascii"})
}

// recordsAtATime are generated or checked at a time.
const recordsAtATime = 10000

// runRecords writes records.
func (g *genCmd) runRecords(ctx context.Context) error {
	flags := g.c.Flags()
	for _, name := range []string{"type", "dist", "format"} {
		if flags.Changed(name) {
			return usagef(g.c, "--%s is for keys: leave it out, or --records", name)
		}
	}
	if g.records != "binary" && g.records != "ascii" {
		return usagef(g.c, "--records: %v", errChoice(g.records, "binary", "ascii"))
	}
	if !flags.Changed("n") {
		return usagef(g.c, "how many records? give --n, such as --n 10M")
	}
	n, layout := uint64(g.n), gensort.Layout{ASCII: g.records == "ascii", Seed: g.seed}
	if n > 1<<62/gensort.Size {
		return fmt.Errorf("--n %d: more than any file holds", n)
	}
	kind := format.Raw
	if layout.ASCII {
		kind = format.Text
	}
	out, err := g.createOr(g.output, kind, "give -o FILE, or --records=ascii")
	if err != nil {
		return err
	}
	defer out.discard()
	p := g.newProgress()
	defer p.close()
	moved := g.writing(p, out, int64(n*gensort.Size))
	part := make([]byte, min(n, recordsAtATime)*gensort.Size)
	for at := uint64(0); at < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		part = part[:min(n-at, recordsAtATime)*gensort.Size]
		layout.Fill(part, uint64(g.first)+at)
		if _, err := out.Write(part); err != nil {
			return err
		}
		moved(int64(len(part)))
		at += uint64(len(part) / gensort.Size)
	}
	return out.commit()
}
