package cluster

import (
	"cmp"
	"context"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/unpack"
	"github.com/gpusort/gpusort/rows"
)

// Order says how the rows are written and what orders them, as the flags of gpusort sort do.
type Order struct {
	Format    string   `json:"format"` // one of Formats
	By        string   `json:"by,omitempty"`
	Nulls     string   `json:"nulls,omitempty"` // first or last
	NaN       string   `json:"nan,omitempty"`   // first or last
	Keys      []string `json:"keys,omitempty"`  // -k
	Letters   string   `json:"letters,omitempty"`
	Separator string   `json:"separator,omitempty"` // a byte
	Header    int      `json:"header"`              // rows; −1 if it is to be guessed
	Record    int      `json:"record,omitempty"`
	Stable    bool     `json:"stable,omitempty"`
	Zero      bool     `json:"zero,omitempty"` // lines end with zero bytes
	// How tables are written:
	Compression string `json:"compression,omitempty"`
	GroupRows   int    `json:"row_group,omitempty"`
}

// Formats are what rows can be written as.
func Formats() []string {
	return []string{"lines", "csv", "tsv", "jsonl", "records", "parquet", "arrow", "arrows"}
}

// formats are those that names of files say.
var formats = map[string]string{
	".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet", ".parq": "parquet",
	".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow", ".arrows": "arrows",
}

// extensions are those of objects, if that of the inputs does not say the format.
var extensions = map[string]string{
	"lines": ".txt", "csv": ".csv", "tsv": ".tsv", "jsonl": ".jsonl", "records": ".bin", "parquet": ".parquet", "arrow": ".arrow", "arrows": ".arrows",
}

// table reports whether the rows are those of Parquet or Arrow.
func (o Order) table() bool {
	return o.Format == "parquet" || o.Format == "arrow" || o.Format == "arrows"
}

// settle finds the format where it was left open, and refuses what does not go together.
func (o *Order) settle(name string) error {
	inner, _ := unpack.Inner(name)
	ext := strings.ToLower(path.Ext(inner))
	if ext == ".zip" {
		return final("%s is an archive: unpack it first", name)
	}
	switch {
	case o.Format != "":
	case o.Record > 0:
		o.Format = "records"
	case o.By == "":
		o.Format = "lines"
		if f := formats[ext]; f == "parquet" || f == "arrow" || f == "arrows" {
			o.Format = f
		}
	default:
		if o.Format = formats[ext]; o.Format == "" {
			return final("%s: its name does not say how the rows are written: give --format csv, jsonl, parquet or arrow", name)
		}
	}
	columns := o.Format != "lines" && o.Format != "records"
	lines := len(o.Keys) > 0 || strings.Trim(o.Letters, "r") != ""
	switch {
	case !slices.Contains(Formats(), o.Format):
		return final("--format %q: there are %s", o.Format, strings.Join(Formats(), ", "))
	case columns && o.By == "":
		return final("--format %s: say by --by which columns order the rows", o.Format)
	case !columns && o.By != "":
		return final("--by orders columns, and --format %s has none", o.Format)
	case columns && lines:
		return final("-k and the options of lines do not order columns: give --by")
	case (o.Format == "records") != (o.Record > 0):
		return final("--record LENGTH and --format records belong together")
	case len(o.Separator) > 1:
		return final("-t %q: the separator is one character", o.Separator)
	}
	return nil
}

// ext is that of the objects.
func (o Order) ext(first string) string {
	inner, _ := unpack.Inner(first)
	ext := path.Ext(inner)
	if f, known := formats[strings.ToLower(ext)]; ext != "" && (!known || f == o.Format) && !strings.ContainsAny(ext, "*?[") {
		return ext
	}
	return extensions[o.Format]
}

// headBytes is how much of the first input all tasks have to know.
func (o Order) headBytes() int64 {
	switch {
	case o.Format == "csv", o.Format == "tsv", o.Format == "lines" && o.Header > 0:
		return rows.HeadBytes
	case o.Format == "jsonl":
		return 4 // a mark of byte order
	}
	return 0
}

// compare compares splitters of the plan.
func (p Plan) compare(h *Host) (func(a, b rows.Splitter) int, error) {
	if p.Order.table() {
		return (&rows.Form{}).Compare, nil
	}
	f, err := p.textForm(h)
	if err != nil {
		return nil, err
	}
	return f.Compare, nil
}

// textForm is the form of rows that are no table's.
func (p Plan) textForm(h *Host) (*rows.Form, error) {
	o := p.Order
	options := h.options()
	if p.packed() {
		options = append(options, rows.Budget(h.rowMemory()-min(h.rowMemory(), unpack.Memory)))
	}
	var source func(...io.Reader) rows.Source
	switch o.Format {
	case "lines":
		source = rows.Lines
		if o.Zero {
			source = func(r ...io.Reader) rows.Source { return rows.Delimited(0, r...) }
		}
		options = append(options, rows.By(o.Keys...), rows.With(o.Letters))
		if o.Stable {
			options = append(options, rows.Stable())
		}
		if o.Header > 0 {
			options = append(options, rows.Heading(o.Header))
		}
	case "records":
		source = rows.Records
		options = append(options, rows.RecordSize(o.Record), rows.ByBytes(o.Keys...), rows.With(o.Letters))
	case "jsonl":
		source = rows.JSONLines
		options = append(options, o.columns()...)
	default:
		source = rows.CSV
		options = append(options, o.columns()...)
		if o.Header >= 0 {
			options = append(options, rows.Heading(o.Header))
		}
	}
	if sep := cmp.Or(o.Separator, map[string]string{"tsv": "\t"}[o.Format]); sep != "" {
		options = append(options, rows.Separator(sep[0]))
	}
	s, err := rows.New(options...)
	if err != nil {
		return nil, FinalError{err}
	}
	f, err := s.Form(source(strings.NewReader(string(p.Head))))
	if err != nil {
		return nil, final("%s: %w", p.firstName(), err)
	}
	return f, nil
}

// columns are the options of --by.
func (o Order) columns() []rows.Option {
	return []rows.Option{rows.Usually(strings.Contains(o.Letters, "r"), o.Nulls == "first", o.NaN == "last"), rows.ByColumns(o.By)}
}

func (p Plan) firstName() string {
	for _, f := range p.Files {
		if f.Size > 0 {
			return f.URL
		}
	}
	return "the input"
}

// options are those of any sort on the host.
func (h *Host) options() []rows.Option {
	o := []rows.Option{rows.Budget(h.rowMemory()), rows.Workers(h.workers())}
	if len(h.Temp) > 0 {
		o = append(o, rows.TempDirs(h.Temp...))
	}
	if h.Heap != nil {
		o = append(o, rows.Heap(h.Heap))
	}
	return o
}

// layout is how the rows of a plan are read and written on this host.
type layout interface {
	form() *rows.Form
	// parts are the rows of a file that begin in bytes [from, to).
	parts(ctx context.Context, file int, from, to int64) ([]rows.Part, error)
	// sample returns keys of some rows at about a byte of a file, at most so many, and the bytes
	// that they stand for, 0 if those are of the place.
	sample(ctx context.Context, file int, at int64, most int) (all []rows.Splitter, bytes int64, err error)
	// sampleBytes is what one sample reads.
	sampleBytes() int64
	// output writes rows, without a heading, as an object.
	output(ctx context.Context, w io.Writer) (output, error)
}

// output takes whole rows.
type output interface {
	io.Writer
	// Close writes what is left.
	Close() error
	// Stop ends what Close did not.
	Stop()
}

// layout opens the rows of a plan.
func (h *Host) layout(ctx context.Context, p Plan) (layout, error) {
	if p.Order.table() {
		return h.tableLayout(ctx, p)
	}
	f, err := p.textForm(h)
	if err != nil {
		return nil, err
	}
	return &textLayout{h, p, f, make(chan struct{}, min(h.workers(), mostUnpacking))}, nil
}
