// Package result holds what a benchmark run measured: one Record per cell,
// self-contained, written as JSON lines and convertible to CSV, Markdown and
// Go's benchmark format.
package result

import (
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// Schema is the version of Record. It grows when a field changes its meaning
// or goes away; added fields leave it as it is.
const Schema = 1

// Status says how a cell ended.
type Status string

// The statuses. Only an OK record has samples that count: a cell with one
// wrong output is Failed as a whole.
const (
	OK          Status = "ok"
	Unsupported Status = "unsupported" // Reason says why the algorithm cannot run it
	Failed      Status = "failed"      // Reason holds the error or the first wrong position
)

// Cell is what was measured: the coordinates of a record.
type Cell struct {
	Algo       string `json:"algo"`
	Backend    string `json:"backend"` // "cuda", "opencl" or "cpu"
	DeviceID   string `json:"device_id"`
	KeyType    string `json:"key_type"`
	Mode       string `json:"mode"`
	ValueBytes int    `json:"value_bytes,omitempty"`
	Desc       bool   `json:"desc,omitempty"`
	NaNLast    bool   `json:"nan_last,omitempty"`
	Dist       string `json:"dist"`
	Items      uint64 `json:"items"`
	Threads    uint32 `json:"threads,omitempty"` // per block; 0: the policy's
	Blocks     uint32 `json:"blocks,omitempty"`
	MaxValue   uint64 `json:"max_value,omitempty"`
	// Scan is the prefix sum inside a counting or radix sort; empty: its own.
	Scan string `json:"scan,omitempty"`
	// Warm says that the L2 cache was not flushed before each sample.
	Warm bool `json:"warm,omitempty"`
	// Graph says that the plan ran as one captured graph.
	Graph bool `json:"graph,omitempty"`
	// HostClock says that the host's clock took the device's times: from the call to the
	// end of the wait, the device idle before.
	HostClock bool `json:"host_clock,omitempty"`
	// Workers bounds the threads of a host sort (bench --parallel); 0: one per
	// processor.
	Workers uint32 `json:"workers,omitempty"`
	// Op is an operation other than a sort: see package ops. Segments, K and StringLen
	// are what it takes.
	Op        string `json:"op,omitempty"`
	Segments  uint64 `json:"segments,omitempty"`
	K         uint64 `json:"k,omitempty"`
	StringLen uint64 `json:"string_len,omitempty"`
	// Format and Budget are of Op "files": the kind of file, and the bytes of memory that
	// the program may take; 0: what it takes by itself.
	Format string `json:"format,omitempty"`
	Budget uint64 `json:"budget,omitempty"`
	// Input is "fresh" if every sample had keys of its own, "same" if all had the
	// same ones. Records that were made before there was a choice have neither, and
	// had the same.
	Input string `json:"input,omitempty"`
	Seed  uint64 `json:"seed"`
}

// ID is the cell's name, the same on every machine:
// "onesweep/cuda/u32/pairs/entropy-0.544/n=2^24". Values wider than 4 bytes
// show as "pairs64"; what differs from the default is appended.
func (c Cell) ID() string {
	mode := c.Mode
	if c.ValueBytes > 4 {
		mode += fmt.Sprint(8 * c.ValueBytes)
	}
	id := strings.Join([]string{c.Algo, c.Backend, c.KeyType, mode, c.Dist, "n=" + axes.FormatCount(c.Items)}, "/")
	for _, x := range []struct {
		on   bool
		text string
	}{
		{c.Op != "", "op=" + c.Op},
		{c.Segments != 0, fmt.Sprintf("segments=%d", c.Segments)},
		{c.K != 0, fmt.Sprintf("k=%d", c.K)},
		{c.StringLen != 0, fmt.Sprintf("len=%d", c.StringLen)},
		{c.Format != "", "format=" + c.Format},
		{c.Budget != 0, "budget=" + axes.FormatCount(c.Budget)},
		{c.Threads != 0, fmt.Sprintf("threads=%d", c.Threads)},
		{c.Blocks != 0, fmt.Sprintf("blocks=%d", c.Blocks)},
		{c.MaxValue != 0, fmt.Sprintf("max=%d", c.MaxValue)},
		{c.Scan != "", "scan=" + strings.TrimPrefix(c.Scan, "scan-")},
		{c.Workers != 0, fmt.Sprintf("parallel=%d", c.Workers)},
		{c.Desc, "desc"}, {c.NaNLast, "nanlast"}, {c.Warm, "warm"}, {c.Graph, "graph"}, {c.HostClock, "host-clock"}, {c.Input == "same", "same-input"},
	} {
		if x.on {
			id += "/" + x.text
		}
	}
	return id
}

// Inputs says in words which keys the samples had.
func (c Cell) Inputs() string {
	switch c.Input {
	case "fresh":
		return "new keys for every sample"
	case "same":
		return "one input for all samples of a cell"
	}
	return "one input for all samples of a cell (an older record)"
}

// Clocks is a device's state at one moment, as far as it tells; 0 is unknown.
type Clocks struct {
	SMMHz     int      `json:"sm_mhz,omitempty"`
	MemoryMHz int      `json:"memory_mhz,omitempty"`
	PowerW    float64  `json:"power_w,omitempty"`
	TempC     int      `json:"temp_c,omitempty"`
	Throttle  []string `json:"throttle,omitempty"` // reasons in force, but not idleness
}

// Occupancy is the theoretical occupancy of one kernel.
type Occupancy struct {
	Kernel  string  `json:"kernel"`
	Share   float64 `json:"share"`   // of the warps that a multiprocessor can hold
	Limiter string  `json:"limiter"` // what would have to shrink for one more block
}

// Share is the part of a sort that one of several devices has.
type Share struct {
	Device string `json:"device"`
	Items  uint64 `json:"items"`
}

// Env is where and by what a record was made.
type Env struct {
	Commit        string  `json:"commit,omitempty"`
	Modified      bool    `json:"modified,omitempty"` // built from a changed work tree
	Go            string  `json:"go"`
	OS            string  `json:"os"`
	Arch          string  `json:"arch"`
	CPU           string  `json:"cpu,omitempty"`
	Procs         int     `json:"procs"`
	LoadAverage   float64 `json:"load_average,omitempty"` // of one minute, before the run
	Device        string  `json:"device,omitempty"`
	DriverVersion string  `json:"driver,omitempty"`
	Command       string  `json:"command,omitempty"`
	// Variant and VariantSHA256 are name and code of the kernel variant that ran in
	// place of embedded code: such a record is none of the commit.
	Variant       string `json:"variant,omitempty"`
	VariantSHA256 string `json:"variant_sha256,omitempty"`
	Started       string `json:"started"` // RFC 3339, when the run began
}

// Record is one measured cell. Times are nanoseconds in the order of the
// samples, so that drifts stay visible.
type Record struct {
	Schema int    `json:"schema"`
	Case   string `json:"case"` // Cell.ID
	Cell
	// Chosen is the catalogue's algorithm that "auto" stood for.
	Chosen string `json:"chosen,omitempty"`
	Source string `json:"source"` // "catalog", or the peer library's file name
	// Policy is the hash of the kernels and policy that ran, or a peer's version.
	Policy string `json:"policy,omitempty"`
	// Experiment is the file of axes that the cell is of, without its ending.
	Experiment string `json:"experiment,omitempty"`
	Status     Status `json:"status"`
	Reason     string `json:"reason,omitempty"`

	// DeviceNS is the time between two device events around the sort, with the
	// input in device memory. Host sorts have none.
	DeviceNS []int64 `json:"device_ns,omitempty"`
	// WallNS is end to end: for a device upload, sort and download from and to
	// page-locked memory; for a host sort the sort itself.
	WallNS []int64 `json:"wall_ns,omitempty"`

	// HostNS is the part of DeviceNS, by sample, that the sort's own host steps
	// computed; sorts without host steps have none.
	HostNS []int64 `json:"host_ns,omitempty"`

	// CPUNS is the processor time of a program that sorted a file, by sample, and PeakBytes the
	// most memory that it had in any of them; 0 if that was not more than the lab's own, or the
	// system does not tell. FileBytes is the input's size in the last sample.
	CPUNS     []int64 `json:"cpu_ns,omitempty"`
	PeakBytes uint64  `json:"peak_bytes,omitempty"`
	FileBytes uint64  `json:"file_bytes,omitempty"`

	// Behind counts the samples of DeviceNS whose sort the device began before the host had
	// queued all of it: some of their time may be the host's. Sorts that wait in between, and
	// --warm, have many.
	Behind int `json:"behind,omitempty"`

	Device *stat.Summary `json:"device,omitempty"` // of DeviceNS
	Wall   *stat.Summary `json:"wall,omitempty"`   // of WallNS
	Stop   string        `json:"stop,omitempty"`   // why sampling ended

	Launches int `json:"launches,omitempty"`
	// Occupancy is that of the launch that must move most bytes; nil where the
	// backend does not tell registers.
	Occupancy    *Occupancy `json:"occupancy,omitempty"`
	MinBytes     uint64     `json:"min_bytes,omitempty"` // that the plan must move
	ScratchBytes uint64     `json:"scratch_bytes,omitempty"`
	HostBytes    uint64     `json:"host_bytes,omitempty"` // copied for host steps, within the sort
	// Shares is what each of several devices has of a sort of host memory; none if the
	// first one sorts it alone.
	Shares []Share `json:"shares,omitempty"`
	Before *Clocks `json:"before,omitempty"`
	After  *Clocks `json:"after,omitempty"`
	// Others is how many processors other programs used while the cell was measured,
	// on average over at least a second; nil where the system does not tell.
	Others *float64 `json:"others,omitempty"`
	Env    Env      `json:"env"`
}

// Together says whether a device's ID stands for several that sort together, "cuda:all" or
// "cuda:0+cuda:1", and of which backend it is.
func Together(id string) (backend string, several bool) {
	first, _, list := strings.Cut(id, "+")
	backend, number, _ := strings.Cut(first, ":")
	return backend, list || number == "all"
}

// Several says that the cell's device is more than one.
func (c Cell) Several() bool { _, several := Together(c.DeviceID); return several }

// Key tells records of one run apart: the case on its device.
func (r Record) Key() string { return r.Case + "@" + r.DeviceID }

// Busy is the share of the processors that other programs used, from 0 to 1. Records
// without Others tell it by the load before the run, if that was more than the
// process, which had just begun. known is false where neither tells.
func (r Record) Busy() (share float64, known bool) {
	procs := float64(r.Env.Procs)
	switch {
	case procs == 0:
		return 0, false
	case r.Others != nil:
		return *r.Others / procs, true
	case r.Env.LoadAverage > 0.5*procs:
		// More programs than processors use no more than all of them.
		return min(1, r.Env.LoadAverage/procs), true
	}
	return 0, false
}

// Main returns the samples that a cell is judged by: device time where there
// is one, else wall time.
func (r Record) Main() []float64 {
	ns := r.DeviceNS
	if len(ns) == 0 {
		ns = r.WallNS
	}
	return Floats(ns)
}

// Finish fills the fields that follow from the others.
func (r *Record) Finish() {
	r.Schema, r.Case = Schema, r.ID()
	r.Device, r.Wall = nil, nil
	if r.Status != OK {
		return
	}
	r.Device, r.Wall = summary(r.DeviceNS), summary(r.WallNS)
}

// summary is that of samples, or nil without any.
func summary(ns []int64) *stat.Summary {
	if len(ns) == 0 {
		return nil
	}
	s := stat.Summarise(Floats(ns))
	return &s
}

// Sound finishes a record that was read, and fails one that claims success
// without a time to judge.
func (r *Record) Sound() {
	r.Finish()
	if r.Status != OK {
		return
	}
	switch s := r.Judged(); {
	case s == nil:
		r.Reason = "the record has no samples"
	case r.Backend != "cpu" && r.Device == nil && !r.OfFile():
		r.Reason = "the record has no device times"
	case s.Min <= 0:
		r.Reason = "the record has a time of zero"
	default:
		return
	}
	r.Status = Failed
	r.Finish()
}

// Rate returns items per second at the given nanoseconds per sort.
func (r Record) Rate(ns float64) float64 {
	if ns <= 0 {
		return 0
	}
	return float64(r.Items) / ns * 1e9
}

// Floats converts samples for package stat.
func Floats(ns []int64) []float64 {
	out := make([]float64, len(ns))
	for i, v := range ns {
		out[i] = float64(v)
	}
	return out
}
