// Package run measures sorts: it multiplies axes into cells, gives every
// algorithm of a group the same input in buffers that it owns, samples them in
// turns on one clock, verifies each output and emits one record per cell.
package run

import (
	"fmt"
	"strings"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/ops"
	"github.com/gpusort/gpusort/cmd/lab/peer"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/sample"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/engine"
)

// Options say what is measured and how.
type Options struct {
	// Axes are those of Known; what is missing has its default.
	Axes axes.Set
	// Devices are "cpu", "all", "devices" (all but the processor itself), IDs such
	// as "cuda:0", numbers of CUDA devices, or devices that sort together: "cuda:all",
	// "cuda:0+cuda:2". Without any: the first device, or the CPU where there is none.
	Devices []string
	// Peers are paths of libraries of sorters, as peer.Paths returns them.
	Peers []string
	Rule  sample.Rule
	Seed  uint64
	// Warm leaves the device's L2 cache as the input's copy left it.
	Warm bool
	// OneSort takes both times of a device from one sort, so that the time with transfers
	// contains the device's. The sort then finds its input as the upload left it in the
	// cache. Without it the device's time is that of a sort of its own with a flushed cache,
	// which may take longer than another with its transfers.
	OneSort bool
	// AsDrawn leaves keys as the distribution draws them, also with a MaxValue: a
	// key above it then makes the cell unsupported, before anything runs.
	AsDrawn bool
	// Graph runs device algorithms as one captured graph.
	Graph bool
	// HostClock times what lies in device memory by the host's clock, from the call to the end
	// of the wait, the device idle before: what a caller waits for.
	HostClock bool
	// Workers bounds the threads of host algorithms and shows in their cells' names;
	// 0 is no bound.
	Workers int
	// AbsentAlgos and AbsentDevices turn names that this machine does not have
	// into unsupported cells with that reason, instead of an error: for files of
	// axes that machines share.
	AbsentAlgos, AbsentDevices bool
	// Experiment is the name of the file of axes, noted in the records.
	Experiment string
	// Done holds the keys of records that exist already; their cells are left
	// out.
	Done map[string]bool
	// Sort is the program that sorts files, with what stands before its flags; none: this one's
	// command sort.
	Sort []string
	// Command is noted in the records, so that they can be made again.
	Command string
	// Clock is the wall clock; nil is the machine's.
	Clock sample.Clock

	// Emit receives each record when its cell is finished. An error ends the run.
	Emit func(result.Record) error
	// Progress, if set, is told before every turn.
	Progress func(Progress)

	// Engine is the configuration of the engines behind the devices; its drivers
	// and algorithms, if set, replace the catalogue's. Device is set here.
	Engine engine.Config

	sorters   []peer.Sorter
	operators []peer.Operator
	nvml      *monitor
}

// The values of the axis Input. On the same input again and again a processor's
// branch predictor learns a small input by heart, which flatters sorts that branch
// on keys: several times below some 2^13 keys.
const (
	Fresh = "fresh"
	Same  = "same"
)

// Auto, as an algorithm, is the one that a sort without a name gets on the
// cell's device.
const Auto = "auto"

// algorithms are the device algorithms that cells can name.
func (o Options) algorithms() []algo.Algorithm {
	if o.Engine.Algorithms != nil {
		return o.Engine.Algorithms
	}
	return catalog.Algorithms()
}

func (o Options) now() time.Time { return o.Clock.Now() }

// Progress says how far a run is.
type Progress struct {
	Done, Cells int // cells finished, and in all
	Case        string
	Samples     int // of the current cell
	Elapsed     time.Duration
	// Left is an estimate from the cells so far; 0 while there are none.
	Left time.Duration
}

// AxisDoc describes one axis for help texts.
type AxisDoc struct{ Name, Default, Doc string }

// Known lists the axes in the order of a cell's name.
func Known() []AxisDoc {
	return []AxisDoc{
		{"Algo", "all", "names of algorithms and peers; all; or auto, the library's own choice"},
		{"Op", ops.Sort, "sort, or an operation: " + strings.Join(append(ops.Names()[1:], Files), ", ") + "; its Algo is cpu or go, on devices auto or a library's"},
		{"Segments", "0", "segments of segmented, runs of merge; 0: 1000 and 8"},
		{"K", "0", "of topk and select; 0: 10, and half of the keys"},
		{"StringLen", "0", "bytes of a word; 0: 16"},
		{"Format", "none", "of files: " + strings.Join(fileFormatNames(), ", ") + "; none: lines"},
		{"Budget", "0", "of files: bytes of memory, such as 64Mi; 0: what the program takes by itself"},
		{"KeyT", "u32", "key types, or all"},
		{"Mode", "keys", "keys, pairs or argsort"},
		{"ValueT", "u32", "value or index type of pairs and argsort: u32 or u64"},
		{"Dist", "uniform", "distributions, or all"},
		{"Entropy", "", "entropy levels, short for Dist=entropy-…: 1.000 0.811 0.544 0.337 0.201 0.000"},
		{"Elements", "2^20", "number of keys: 1000, 50M, 2^24, or exponents with [pow2]"},
		{"Input", Fresh, "fresh: new keys for every sample; same: one input for all samples of a cell"},
		{"Order", "asc", "asc or desc"},
		{"NaN", "first", "first or last"},
		{"Threads", "0", "threads per block; 0 is the policy's"},
		{"Blocks", "0", "blocks; 0 is the policy's"},
		{"Scan", "own", "prefix sum inside counting sorts, radix-lsd (OpenCL) and radix-4way: own, scan-blelloch, …"},
		{"MaxValue", "0", "greatest key: unsigned keys are taken modulo this plus 1; 0 is the type's greatest"},
	}
}

func checkNames(s axes.Set) error {
	for _, a := range s {
		found := false
		var names []string
		for _, k := range Known() {
			names = append(names, k.Name)
			found = found || (axes.Set{a}).Find(k.Name) != nil
		}
		if !found {
			return fmt.Errorf("unknown axis %s: known are %v", a.Name, names)
		}
	}
	return nil
}
