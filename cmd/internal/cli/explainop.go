package cli

import (
	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/internal/algo/catalog"
)

// opExplanation is what explain says of an operation other than a sort.
type opExplanation struct {
	Operation string `json:"operation"`
	Call      string `json:"call"` // of package gpusort
	Does      string `json:"does"`
	Device    string `json:"device"`
	Algorithm string `json:"algorithm"`
	Type      string `json:"type"`
	Items     uint64 `json:"items"`
	Segments  uint64 `json:"segments,omitempty"`
	K         uint64 `json:"k,omitempty"`
	StringLen uint64 `json:"string_len,omitempty"`
	Cost      string `json:"cost"`
	Why       string `json:"why"`
}

// explainOp explains an operation. Nothing is opened: all run on the processor.
func (e *explainCmd) explainOp() error {
	if e.argsort || e.valueBytes != 0 || e.steps {
		return usagef(e.c, "--op %s: --argsort, --value-bytes and --steps are for sorts", e.op)
	}
	s := ops.Spec{Op: e.op, Items: uint64(e.n), Segments: uint64(e.segments), K: uint64(e.k), StringLen: uint64(e.stringLen)}
	typ := "string"
	if e.op != "strings" {
		if !e.typ.set {
			return usagef(e.c, "keys of which type? give --type, such as --type u64")
		}
		s.Type, typ = e.typ.t, e.typ.t.String()
	}
	s, err := s.Complete()
	if err != nil {
		return usagef(e.c, "--op: %v", err)
	}
	o, err := ops.Find(s.Op)
	if err != nil {
		return usagef(e.c, "--op: %v", err)
	}
	x := opExplanation{
		Operation: s.Words(), Call: "gpusort." + o.Call, Does: o.Doc, Device: "cpu", Type: typ, Items: s.Items,
		Segments: s.Segments, K: s.K, StringLen: s.StringLen, Cost: o.Cost,
		Why: "operations other than sorts run on the processor, also of a Sorter that is bound to a device",
	}
	if h, err := catalog.HostAlgorithm(""); err == nil {
		x.Algorithm = h.Name
	}
	if e.json {
		return printJSON(e.out, x)
	}
	t := e.newTable(nil)
	for _, r := range [][2]string{
		{"Operation", x.Operation}, {"Call", x.Call}, {"Does", x.Does}, {"Device", x.Device}, {"Algorithm", x.Algorithm},
		{"Keys", units.Count(x.Items) + " " + x.Type}, {"Cost", x.Cost}, {"Why", x.Why},
	} {
		t.AppendRow(table.Row{r[0], r[1]})
	}
	t.Render()
	return nil
}
