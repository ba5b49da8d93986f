package cli

import (
	"errors"
	"strings"

	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/engine"
	"github.com/gpusort/gpusort/internal/plan"
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

	// On a device: the plan's kernels, in order, the bytes that they must move, and scratch.
	Kernels      []string `json:"kernels,omitempty"`
	MinBytes     uint64   `json:"min_bytes,omitempty"`
	ScratchBytes uint64   `json:"scratch_bytes,omitempty"`
}

// explainOp explains an operation: on the processor, where nothing is opened, or on the
// device that is named.
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
		Why: "slices are worked on by the processor; Buffers on a device by its kernels: name it by --device",
	}
	if onDevice := e.device != "" && e.device != "auto" && e.device != "cpu"; onDevice {
		err = x.plan(s, e.device)
	} else if s.Op == "strings" {
		err = x.slices(s, e.device)
	} else if h, herr := catalog.HostAlgorithm(""); herr == nil {
		x.Algorithm = h.Name
	}
	if err != nil {
		return err
	}
	if e.json {
		return printJSON(e.out, x)
	}
	t := e.newTable(nil)
	for _, r := range [][2]string{
		{"Operation", x.Operation}, {"Call", x.Call}, {"Does", x.Does}, {"Device", x.Device}, {"Algorithm", x.Algorithm},
		{"Keys", units.Count(x.Items) + " " + x.Type}, {"Cost", x.Cost}, {"Kernels", strings.Join(x.Kernels, "\n")},
		{"Device traffic", units.Bytes(x.MinBytes)}, {"Scratch", units.Bytes(x.ScratchBytes)}, {"Why", x.Why},
	} {
		tellRow(t, r[0], r[1])
	}
	t.Render()
	return nil
}

// plan fills in how the device of that ID would do s, on Buffers.
func (x *opExplanation) plan(s ops.Spec, device string) (err error) {
	asked, err := s.Device()
	if err != nil {
		return err
	}
	e, err := engine.New(engine.Config{Device: device})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	a, err := e.Choose(asked)
	if err != nil {
		return err
	}
	d, err := e.Prepare(a, asked, algo.Params{})
	if err != nil {
		return err
	}
	p := d.Plan()
	for _, step := range p.Steps {
		if step.Op == plan.OpLaunch {
			x.Kernels = append(x.Kernels, step.Kernel.Symbol)
		}
	}
	x.Device, x.Algorithm, x.MinBytes, x.ScratchBytes = device, a.Name, p.MinBytes(), p.ScratchBytes
	x.Cost, x.Why = a.Doc, "the device is named: so are Buffers there worked on, and slices by the processor"
	if s.Op == "strings" {
		x.Why = "the device is named: so are Buffers there worked on, and slices, which are copied there"
	}
	return nil
}

// slices fills in where a slice of strings is sorted, the device not being named.
func (x *opExplanation) slices(s ops.Spec, device string) (err error) {
	e, err := engine.New(engine.Config{Device: device})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	at, err := e.ExplainTexts(s.Items, s.Items*s.StringLen, false)
	if err != nil {
		return err
	}
	x.Device, x.Algorithm, x.Why, x.MinBytes, x.ScratchBytes = at.Device, at.Algorithm, at.Why, at.BytesMoved, at.ScratchBytes
	for _, step := range at.Steps {
		if step.Kernel != "" {
			x.Kernels = append(x.Kernels, step.Kernel)
		}
	}
	return nil
}
