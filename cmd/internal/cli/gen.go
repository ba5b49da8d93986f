package cli

import (
	"context"
	"fmt"
	"unsafe"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort/cmd/internal/format"
	"github.com/gpusort/gpusort/cmd/internal/packed"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

type genCmd struct {
	*app
	c      *cobra.Command
	typ    typeValue
	kind   kindValue
	n      sizeValue
	dist   string
	seed   uint64
	output string
	list   bool
	recordFlags
}

func (a *app) genCommand() *cobra.Command {
	g := &genCmd{app: a}
	c := &cobra.Command{
		Use:   "gen [flags]",
		Short: "Generate keys of a distribution",
		Long: `Write n keys of a distribution. The same type, n, distribution and seed give the
same bits on every machine. On floats, "sorted" means the order of gpusort sort.`,
		Example: `  gpusort gen --type u64 --n 50M --dist uniform --seed 1 -o keys.u64
  gpusort gen --type f32 --n 2^20 --dist specials -o keys.npy
  gpusort gen --type i8 --n 10 --format text
  gpusort gen --records --n 10M -o records.bin
  gpusort gen --list`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			g.c = c
			switch {
			case g.list:
				g.printList()
				return nil
			case g.records != "":
				return g.runRecords(c.Context())
			}
			return g.run(c.Context())
		},
	}
	f := c.Flags()
	f.Var(&g.typ, "type", "key type: "+typeNames()+"\n(not needed if the name ends so: keys.u64)")
	f.Var(&g.n, "n", "number of keys")
	f.StringVar(&g.dist, "dist", "uniform", "distribution `NAME`; --list shows them all")
	f.Uint64Var(&g.seed, "seed", 1, "seed")
	f.VarP((*fileValue)(&g.output), "output", "o", "write to `FILE` instead of standard output")
	f.Var(&g.kind, "format", "raw, npy or text; guessed from the name, else raw")
	f.BoolVar(&g.list, "list", false, "list the distributions and exit")
	g.recordFlags.add(c)
	choices(c, "type", names(key.Table(), func(r key.Row) string { return r.Name }))
	choices(c, "format", format.KindNames())
	distChoices(c, "dist")
	return c
}

func (g *genCmd) printList() {
	t := g.newTable(table.Row{"Distribution", "What it is"})
	for _, d := range dist.Table() {
		t.AppendRow(table.Row{d.Name, d.Doc})
	}
	t.AppendRow(table.Row{"max-N", "whole numbers from 0 to N or to the type's greatest, equally likely; such as max-255"})
	t.Render()
}

// genBytes is the part that is generated at a time; a multiple of
// dist.BlockItems keys of any width.
const genBytes = 32 << 20

func (g *genCmd) run(ctx context.Context) error {
	d, err := dist.Find(g.dist)
	if err != nil {
		return usagef(g.c, "--dist: %v", err)
	}
	if !g.c.Flags().Changed("n") {
		return usagef(g.c, "how many keys? give --n, such as --n 50M")
	}
	if _, t := format.Guess(packed.Inner(g.output)); t != nil && !g.typ.set {
		g.typ = typeValue{true, *t}
	}
	if !g.typ.set {
		return usagef(g.c, "keys of which type? give --type, such as --type u64")
	}
	it := format.KeyItem(g.typ.t)
	kind, err := outFormat(g.output, "--format", g.kind.Kind, format.Raw, it)
	if err != nil {
		return err
	}
	if uint64(g.n) > 1<<62/uint64(it.Bytes) {
		return fmt.Errorf("--n %d: more than any file holds", uint64(g.n))
	}
	out, err := g.createPacked(g.output, kind, "give -o FILE, or --format text")
	if err != nil {
		return err
	}
	defer out.discard()
	p := g.newProgress()
	defer p.close()
	if err := g.write(ctx, out, kind, it, d, g.writing(p, out, int64(g.n)*int64(it.Bytes))); err != nil {
		return err
	}
	return out.commit()
}

func (g *genCmd) write(ctx context.Context, out *sink, kind format.Kind, it format.Item, d dist.Dist, moved func(int64)) error {
	n := uint64(g.n)
	e, err := format.NewEncoder(out, kind, it, n, moved)
	if err != nil {
		return err
	}
	part := format.NewColumn(it, int(min(n, uint64(genBytes/it.Bytes))))
	for lo := uint64(0); lo < n; {
		if err := ctx.Err(); err != nil {
			return err
		}
		items := min(n-lo, uint64(part.Len()))
		data := part.Data[:items*uint64(it.Bytes)]
		fill(data, it.Type, lo, n, d, g.seed)
		if err := e.Write(ctx, data); err != nil {
			return err
		}
		lo += items
	}
	return nil
}

// fill generates a part into bytes that are aligned for t.
func fill(data []byte, t key.Type, lo, n uint64, d dist.Dist, seed uint64) {
	dist.FillAt(unsafe.Pointer(unsafe.SliceData(data)), len(data)/t.Bytes(), lo, n, d, t, seed)
}
