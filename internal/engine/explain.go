package engine

import (
	"fmt"
	"time"

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
	cpu := e.cpuTime(p)
	x := Explanation{
		Device: "cpu", DeviceName: "host processor", Algorithm: e.host.Name, Items: p.Items,
		Pieces: 1, Predicted: cpu.duration(), Why: "the device is named",
		Steps: []ExplainedStep{}, Others: []Alternative{},
	}
	if e.cfg.Device == "cpu" {
		return x, e.open("explain")
	}
	if !e.auto {
		d := e.known[e.cfg.Device]
		a, err := d.Choose(p)
		if err != nil {
			return Explanation{}, err
		}
		t, err := d.estimate(a, p)
		if err != nil {
			return Explanation{}, err
		}
		x = explained(candidate{d, a, t}, p)
		x.Why = "the device is named"
		return x, e.open("explain")
	}
	list, err := e.discover()
	if err != nil {
		return Explanation{}, err
	}
	host := x
	c, err := e.best(p)
	switch {
	case err != nil && e.deviceAlgorithm() && !e.named:
		return Explanation{}, err
	case err != nil:
		x.Why = "no device can sort this"
		if len(list) == 0 {
			x.Why = "no GPU is present"
		}
		x.Others = append(x.Others, Alternative{Device: "devices", Why: err.Error()})
		return x, nil
	case e.deviceAlgorithm():
		x = explained(c, p)
		x.Why = "the algorithm is named and runs on devices only"
	case p.Items < e.floor():
		x.Why = fmt.Sprintf("%d items are fewer than %d, below which a device is not asked", p.Items, e.floor())
	case e.pays(c, p):
		x = explained(c, p)
		x.Why = fmt.Sprintf("%.3g ms with transfers against %.3g ms on the CPU%s", 1e3*c.total(), 1e3*cpu, basis(c))
		x.Others = append(x.Others, Alternative{"cpu", host.Algorithm, host.Predicted, "slower"})
	case c.measured > 0:
		x.Why = fmt.Sprintf("%.3g ms against %.3g ms with transfers on %s%s", 1e3*cpu, 1e3*c.total(), c.d.ID(), basis(c))
	default:
		x.Why = fmt.Sprintf("the CPU's %.3g ms are not %.2f times the %.3g ms that %s takes, %.3g of them for transfers",
			1e3*cpu, gainFactor, 1e3*c.total(), c.d.ID(), 1e3*c.transfer)
	}
	for _, d := range list {
		if d.ID() == x.Device {
			continue
		}
		o := Alternative{Device: d.ID()}
		if a, err := d.Choose(p); err != nil {
			o.Why = err.Error()
		} else if t, err := d.estimate(a, p); err != nil {
			o.Why = err.Error()
		} else {
			o.Algorithm, o.Predicted, o.Why = a.Name, t.total().duration(), "slower"
		}
		x.Others = append(x.Others, o)
	}
	return x, nil
}

// basis says where a candidate's time is from.
func basis(c candidate) string {
	if c.measured > 0 {
		return ", measured by gpusort tune"
	}
	return ", predicted"
}

func explained(c candidate, p plan.Problem) Explanation {
	x := Explanation{
		Device: c.d.ID(), DeviceName: c.d.Caps().Name, Algorithm: c.a.Name, Items: p.Items, Pieces: c.pieces,
		Passes: c.plan.Passes, Launches: c.plan.Launches(), BytesMoved: c.plan.MinBytes(),
		TransferBytes: p.TransferBytes(), ScratchBytes: c.plan.ScratchBytes, Predicted: c.total().duration(),
	}
	for _, s := range c.plan.Steps {
		x.Steps = append(x.Steps, ExplainedStep{
			Op: s.Op.String(), Label: s.Label, Kernel: s.Kernel.Symbol, LeastBytes: s.MinBytes,
			Blocks: s.Blocks(), Threads: s.Threads(),
		})
	}
	return x
}
