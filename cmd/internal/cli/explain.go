package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/internal/key"
)

type explainCmd struct {
	*app
	c   *cobra.Command
	typ typeValue
	n   sizeValue
	orderFlags
	deviceFlags
	argsort    bool
	valueBytes int
	op         string
	segments   sizeValue
	k          sizeValue
	stringLen  sizeValue
	steps      bool
	json       bool
}

func (a *app) explainCommand() *cobra.Command {
	e := &explainCmd{app: a}
	c := &cobra.Command{
		Use:   "explain [flags]",
		Short: "Say where and how a sort would run, and why",
		Long:  "Say which device and algorithm would sort n keys, in how many passes, how many\nbytes would move, how long it should take, and why auto would choose nothing else.\nWith --op: what another operation does, where, and what it costs.",
		Example: `  gpusort explain --type u64 --n 2^28
  gpusort explain --type f32 --n 50M --value-bytes 4 --steps
  gpusort explain --type u32 --n 1G --device cuda:0 --json
  gpusort explain --type u64 --n 2^30 --device cuda:all
  gpusort explain --op topk --k 100 --type f32 --n 10M`,
		Args: atMost(0),
		RunE: func(c *cobra.Command, _ []string) error {
			e.c = c
			return e.run()
		},
	}
	f := c.Flags()
	f.Var(&e.typ, "type", "key type: "+typeNames())
	f.Var(&e.n, "n", "number of keys")
	f.IntVar(&e.valueBytes, "value-bytes", 0, "pairs: `WIDTH` of a value in bytes, 4 or 8; argsort: that of a position")
	f.BoolVar(&e.argsort, "argsort", false, "positions instead of sorted keys")
	f.StringVar(&e.op, "op", ops.Sort, "operation `NAME`: "+strings.Join(ops.Names(), ", "))
	f.Var(&e.segments, "segments", "with --op: segments of segmented, runs of merge")
	f.Var(&e.k, "k", "with --op: K of topk and select")
	f.Var(&e.stringLen, "string-len", "with --op strings: bytes of a word")
	e.orderFlags.add(c)
	e.deviceFlags.add(c)
	f.BoolVar(&e.steps, "steps", false, "list the steps of the plan")
	f.BoolVar(&e.json, "json", false, "print as JSON")
	choices(c, "type", names(key.Table(), func(r key.Row) string { return r.Name }))
	choices(c, "op", ops.Names())
	return c
}

func (e *explainCmd) run() error {
	switch {
	case e.op != ops.Sort && e.c.Flags().Changed("n") && uint64(e.n) <= 1<<62:
		return e.explainOp()
	case e.op == ops.Sort && e.segments+e.k+e.stringLen != 0:
		return usagef(e.c, "--segments, --k and --string-len belong to an operation: give --op")
	case !e.typ.set && e.op == ops.Sort:
		return usagef(e.c, "keys of which type? give --type, such as --type u64")
	case !e.c.Flags().Changed("n"):
		return usagef(e.c, "how many keys? give --n, such as --n 2^28")
	case e.valueBytes != 0 && e.valueBytes != 4 && e.valueBytes != 8:
		return usagef(e.c, "--value-bytes %d: 4 and 8 travel with the keys; other widths are sorted as 4-byte positions and gathered", e.valueBytes)
	case uint64(e.n) > 1<<62:
		return usagef(e.c, "--n %d: more than any memory holds", uint64(e.n))
	}
	mode := gpusort.ModeKeys
	switch {
	case e.argsort:
		mode = gpusort.ModeArgsort
		if e.valueBytes == 0 {
			e.valueBytes = 8
		}
	case e.valueBytes != 0:
		mode = gpusort.ModePairs
	}
	s, err := e.open(e.order())
	if err != nil {
		return err
	}
	defer s.Close()
	x, err := explainType(s, e.typ.t, mode, int(e.n), e.valueBytes)
	if err != nil {
		return err
	}
	if e.json {
		return printJSON(e.out, x)
	}
	e.print(x)
	return nil
}

func explainType(s *gpusort.Sorter, t key.Type, mode gpusort.Mode, n, valueBytes int) (gpusort.Explanation, error) {
	return key.ByType(t,
		gpusort.Explain[uint8], gpusort.Explain[int8], gpusort.Explain[uint16], gpusort.Explain[int16],
		gpusort.Explain[uint32], gpusort.Explain[int32], gpusort.Explain[uint64], gpusort.Explain[int64],
		gpusort.Explain[float32], gpusort.Explain[float64],
	)(s, mode, n, valueBytes)
}

// tellRow appends a row, unless there is nothing to say.
func tellRow(t table.Writer, name, value string) {
	if value != "" && value != "0" && value != "0 B" {
		t.AppendRow(table.Row{name, value})
	}
}

func (e *explainCmd) print(x gpusort.Explanation) {
	t := e.newTable(nil)
	row := func(name, value string) { tellRow(t, name, value) }
	device := x.Device
	if x.DeviceName != "" && x.DeviceName != x.Device {
		device += "  " + x.DeviceName
	}
	row("Device", device)
	row("Algorithm", x.Algorithm)
	row("Keys", units.Count(x.Items)+" "+e.typ.t.String()+e.with())
	if x.Pieces > 1 {
		row("Pieces", units.Count(x.Pieces))
	}
	row("Passes", units.Count(x.Passes))
	row("Launches", units.Count(x.Launches))
	row("Device traffic", units.Bytes(x.BytesMoved))
	row("Transfers", units.Bytes(x.TransferBytes))
	row("Scratch", units.Bytes(x.ScratchBytes))
	row("Predicted", predicted(x.Predicted))
	row("Why", x.Why)
	t.Render()
	if len(x.Shares) > 0 {
		t := e.newTable(table.Row{"Device", "Share"}, 2)
		for _, s := range x.Shares {
			t.AppendRow(table.Row{s.Device, units.Count(s.Items)})
		}
		t.Render()
	}
	if len(x.Others) > 0 {
		t := e.newTable(table.Row{"Not chosen", "Algorithm", "Predicted", "Why"}, 3)
		for _, o := range x.Others {
			t.AppendRow(table.Row{o.Device, o.Algorithm, predicted(o.Predicted), o.Why})
		}
		t.Render()
	}
	if e.steps && len(x.Steps) > 0 {
		t := e.newTable(table.Row{"Step", "What", "Kernel", "Blocks", "Threads", "Least bytes"}, 4, 5, 6)
		for _, s := range x.Steps {
			t.AppendRow(table.Row{s.Op, s.Label, s.Kernel, units.Count(s.Blocks), units.Count(s.Threads), units.Bytes(s.LeastBytes)})
		}
		t.Render()
	}
}

// with says what moves with the keys.
func (e *explainCmd) with() string {
	switch {
	case e.argsort:
		return fmt.Sprintf(", positions of %d bytes", e.valueBytes)
	case e.valueBytes != 0:
		return fmt.Sprintf(", with values of %d bytes", e.valueBytes)
	}
	return ""
}

func predicted(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return units.Duration(d)
}
