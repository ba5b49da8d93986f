package engine

import (
	"errors"
	"fmt"
	"time"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// Explanation says how a sort of host memory would run.
type Explanation struct {
	Device        string // "cpu" or a device ID
	DeviceName    string
	Algorithm     string
	Items         uint64
	Pieces        int           // parts sorted apart, because the whole does not fit
	Passes        int           // over all keys
	Launches      int           // kernels per piece
	BytesMoved    uint64        // least traffic of the device's memory
	TransferBytes uint64        // between host and device, both ways
	ScratchBytes  uint64        // device memory beside keys and values
	Predicted     time.Duration // transfers included
	Why           string
	Steps         []ExplainedStep
	Others        []Alternative
	// Shares is what each of several devices sorts, and has in the end; none if one sorts.
	Shares []Share
}

// Share is the part of a sort that one of several devices has.
type Share struct {
	Device string `json:"device"`
	Items  uint64 `json:"items"`
}

// ExplainedStep is one command of the plan.
type ExplainedStep struct {
	Op         string `json:"op"`
	Label      string `json:"label"`
	Kernel     string `json:"kernel"`
	Blocks     uint64 `json:"blocks"`
	Threads    uint64 `json:"threads"`
	LeastBytes uint64 `json:"least_bytes"` // read and written at least
}

// Alternative is a device that was not chosen.
type Alternative struct {
	Device    string        `json:"device"`
	Algorithm string        `json:"algorithm"`
	Predicted time.Duration `json:"predicted_ns"`
	Why       string        `json:"why"`
}

// Explain predicts a sort of p. Under "auto" it looks at every device, also
// when a sort of p would not, and answers for devices that are open already.
func (e *Engine) Explain(p plan.Problem) (Explanation, error) {
	if err := plannable(p); err != nil {
		return Explanation{}, err
	}
	if p.Type.HostOnly() {
		t, err := e.host.cost(p)
		if err != nil {
			return Explanation{}, err
		}
		x := explained(e.host, t, p)
		x.Why = hostOnly(p).Error()
		return x, e.open("explain")
	}
	if !e.auto {
		var at place = e.host
		why := "the device is named"
		switch {
		case e.group != nil && p.Kind == op.Sort:
			at, why = e.group, "the devices are named"
		case e.cfg.Device != "cpu":
			at = e.single()
		}
		t, err := at.cost(p)
		if p.Kind == op.Strings && errors.Is(err, driver.ErrUnsupported) {
			at, why = e.host, err.Error()
			t, err = at.cost(p)
		}
		if err != nil {
			return Explanation{}, err
		}
		x := explained(at, t, p)
		x.Why = why
		return x, e.open("explain")
	}
	cpu, err := e.host.cost(p)
	if err != nil {
		return Explanation{}, err
	}
	x := explained(e.host, cpu, p)
	list, err := e.discover()
	if err != nil {
		return Explanation{}, err
	}
	c, err := e.best(p)
	named := e.deviceAlgorithm() && p.Kind == op.Sort
	if !named && p.Items >= e.floorOf(p) && e.togetherPays(p, c, err) {
		g := e.probe.group
		t, err := g.cost(p)
		if err != nil {
			return Explanation{}, err
		}
		x = explained(g, t, p)
		x.Why = fmt.Sprintf("together they take %.3g ms, measured by gpusort tune, less than one of them and than the CPU's %.3g ms", 1e3*t.total(), 1e3*cpu.total())
		x.Others = append(x.Others, Alternative{"cpu", cpu.algorithm, cpu.total().duration(), "slower"})
		return e.others(x, list, p), nil
	}
	switch {
	case err != nil && named && !e.hostNamed:
		return Explanation{}, err
	case err != nil:
		x.Why = "no device can sort this"
		if len(list) == 0 {
			x.Why = "no GPU is present"
		}
		x.Others = append(x.Others, Alternative{Device: "devices", Why: err.Error()})
		return x, nil
	case named:
		x = explained(c.d, c.estimate, p)
		x.Why = "the algorithm is named and runs on devices only"
	case p.Items < e.floorOf(p):
		x.Why = fmt.Sprintf("%d items are fewer than %d, below which a device is not asked", p.Items, e.floorOf(p))
	case e.pays(c, p):
		x = explained(c.d, c.estimate, p)
		x.Why = fmt.Sprintf("%.3g ms with transfers against %.3g ms on the CPU%s", 1e3*c.total(), 1e3*cpu.total(), basis(c))
		x.Others = append(x.Others, Alternative{"cpu", cpu.algorithm, cpu.total().duration(), "slower"})
	case c.measured > 0:
		x.Why = fmt.Sprintf("%.3g ms against %.3g ms with transfers on %s%s", 1e3*cpu.total(), 1e3*c.total(), c.d.ID(), basis(c))
	default:
		x.Why = fmt.Sprintf("the CPU's %.3g ms are not %.2f times the %.3g ms that %s takes, %.3g of them for transfers",
			1e3*cpu.total(), gainFactor, 1e3*c.total(), c.d.ID(), 1e3*c.transfer)
	}
	return e.others(x, list, p), nil
}

// floorOf is the number of items below which p is done on the CPU under "auto".
func (e *Engine) floorOf(p plan.Problem) uint64 {
	if p.Kind == op.Strings {
		return StringsFloor
	}
	return e.floor()
}

// ExplainTexts is Explain of the order of n strings of so many bytes in all.
func (e *Engine) ExplainTexts(n, bytes uint64, desc bool) (Explanation, error) {
	return e.Explain(stringsSpec(n, bytes, desc))
}

// others lists the devices that were not chosen.
func (e *Engine) others(x Explanation, list []*device, p plan.Problem) Explanation {
	for _, d := range list {
		if d.ID() == x.Device {
			continue
		}
		o := Alternative{Device: d.ID()}
		if t, err := d.cost(p); err != nil {
			o.Why = err.Error()
		} else {
			o.Algorithm, o.Predicted, o.Why = t.algorithm, t.total().duration(), "slower"
		}
		x.Others = append(x.Others, o)
	}
	return x
}

// basis says where a candidate's time is from.
func basis(c candidate) string {
	if c.measured > 0 {
		return ", measured by gpusort tune"
	}
	return ", predicted"
}

func explained(at place, t estimate, p plan.Problem) Explanation {
	x := Explanation{
		Device: at.ID(), DeviceName: at.title(), Algorithm: t.algorithm, Items: p.Items, Pieces: t.pieces,
		Passes: t.plan.Passes, Launches: t.plan.Launches(), BytesMoved: t.plan.MinBytes(),
		TransferBytes: t.moved, ScratchBytes: t.plan.ScratchBytes, Predicted: t.total().duration(),
		Steps: []ExplainedStep{}, Others: []Alternative{}, Shares: t.shares,
	}
	for _, s := range t.plan.Steps {
		x.Steps = append(x.Steps, ExplainedStep{
			Op: s.Op.String(), Label: s.Label, Kernel: s.Kernel.Symbol, LeastBytes: s.MinBytes,
			Blocks: s.Blocks(), Threads: s.Threads(),
		})
	}
	return x
}
