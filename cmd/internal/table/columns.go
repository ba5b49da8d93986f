package table

import (
	"context"
	"io"

	"github.com/gpusort/gpusort/cmd/internal/columns"
	"github.com/gpusort/gpusort/internal/run"
)

// OpenColumns is Open for the command.
func OpenColumns(names []string) (columns.Table, error) {
	t, err := Open(names)
	return opened{t}, err
}

// opened implements columns.Table.
type opened struct{ *Table }

func (t opened) Files() []string { return t.Names }

func (t opened) Explain(o columns.Options) ([]string, error) { return t.Table.Explain(Options(o)) }

func (t opened) Sort(ctx context.Context, o columns.Options, w io.Writer) (run.Stats, error) {
	return t.Table.Sort(ctx, Options(o), w)
}

func (t opened) Check(ctx context.Context, o columns.Options) (int64, error) {
	return t.Table.Check(ctx, Options(o))
}
