package cli

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/gpusort/gpusort/cmd/internal/units"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
	"github.com/gpusort/gpusort/cmd/lab/stat"
)

// runReport is what 'gpusort run' found. Times are medians in nanoseconds.
type runReport struct {
	Case     string `json:"case"`
	Device   string `json:"device"` // ID
	Name     string `json:"device_name,omitempty"`
	KeyType  string `json:"key_type"`
	Mode     string `json:"mode"`
	Dist     string `json:"dist"`
	Items    uint64 `json:"items"`
	Seed     uint64 `json:"seed"`
	Input    string `json:"input"` // "fresh" or "same"
	Runs     int    `json:"runs"`
	Verified bool   `json:"verified"`

	// DeviceNS is the time of the sort on the device without transfers; 0 for
	// sorts on the processor. TotalNS has the transfers in it.
	DeviceNS float64 `json:"device_ns,omitempty"`
	TotalNS  float64 `json:"total_ns"`
	// HostNS is the part of DeviceNS in the method's own host steps, HostBytes
	// what is copied for them between device and host.
	HostNS    float64 `json:"host_ns,omitempty"`
	HostBytes uint64  `json:"host_bytes,omitempty"`
	MelemPerS float64 `json:"melem_per_s"` // without transfers where that is known
	Launches  int     `json:"launches"`
	// MinBytes is what the sort must at least move in device memory; GBps is
	// that over DeviceNS.
	MinBytes     uint64      `json:"min_bytes,omitempty"`
	GBps         float64     `json:"gbps,omitempty"`
	ScratchBytes uint64      `json:"scratch_bytes,omitempty"`
	Kernels      []runKernel `json:"kernels,omitempty"`
}

// runKernel is one kernel in one layout, with the number of its launches.
type runKernel struct {
	run.StepProfile
	Launches int `json:"launches"`
}

func newRunReport(r result.Record, l run.Layout) runReport {
	x := runReport{
		Case: r.Case, Device: r.DeviceID, Name: r.Env.Device, KeyType: r.KeyType, Mode: r.Mode, Dist: r.Dist,
		Items: r.Items, Seed: r.Seed, Input: r.Input, Runs: len(r.WallNS), Verified: true,
		Launches: r.Launches, MinBytes: r.MinBytes, ScratchBytes: r.ScratchBytes,
	}
	if r.Wall != nil {
		x.TotalNS = r.Wall.Median
	}
	if r.Device != nil {
		x.DeviceNS = r.Device.Median
	}
	x.HostBytes, x.HostNS = r.HostBytes, stat.Summarise(result.Floats(r.HostNS)).Median
	if s := r.Judged(); s != nil && s.Median > 0 {
		x.MelemPerS = r.Rate(s.Median) / 1e6
	}
	if x.DeviceNS > 0 {
		x.GBps = float64(x.MinBytes) / x.DeviceNS
	}
	at := map[[3]any]int{}
	for _, s := range l.Steps {
		if s.Kernel == "" {
			continue
		}
		k := [3]any{s.Kernel, s.Grid, s.Threads}
		i, ok := at[k]
		if !ok {
			i = len(x.Kernels)
			at[k] = i
			x.Kernels = append(x.Kernels, runKernel{StepProfile: s})
			x.Kernels[i].MinBytes = 0
		}
		x.Kernels[i].Launches++
		x.Kernels[i].MinBytes += s.MinBytes
	}
	return x
}

func (r *runCmd) print(x runReport) {
	device := x.Device
	if x.Name != "" {
		device += ", " + x.Name
	}
	t := r.newTable(nil)
	row := func(name, value string) { t.AppendRow(table.Row{name, value}) }
	row("Method", r.method)
	row("Device", device)
	row("Sequence", fmt.Sprintf("%s %s %s, %s, seed %d, %s for every run", units.Count(x.Items), x.KeyType, x.Mode, x.Dist, x.Seed, x.Input))
	row("Output", "verified in every run")
	if x.DeviceNS > 0 {
		row("Without transfers", result.Duration(x.DeviceNS))
		row("With transfers", result.Duration(x.TotalNS))
	} else {
		row("Time", result.Duration(x.TotalNS))
	}
	if x.HostBytes > 0 {
		row("On the host", fmt.Sprintf("%s of the first, and %s copied for it", result.Duration(x.HostNS), units.Bytes(x.HostBytes)))
	}
	row("Runs", units.Count(x.Runs))
	row("Throughput", fmt.Sprintf("%.4g Melem/s", x.MelemPerS))
	if x.Launches > 0 {
		row("Launches", units.Count(x.Launches))
	}
	if x.MinBytes > 0 {
		row("Moves at least", fmt.Sprintf("%s, %.4g GB/s", units.Bytes(x.MinBytes), x.GBps))
		row("Scratch", units.Bytes(x.ScratchBytes))
	}
	t.Render()
	if len(x.Kernels) == 0 {
		return
	}
	t = r.newTable(table.Row{"kernel", "launches", "blocks × threads", "moves", "regs", "shared", "occupancy"}, 2, 3, 4, 5, 6)
	unknown := false
	for _, k := range x.Kernels {
		unknown = unknown || k.Occupancy == nil
		t.AppendRow(table.Row{k.Kernel, k.Launches, fmt.Sprintf("%d × %d", k.Grid, k.Threads), units.Bytes(k.MinBytes),
			orDash(k.Registers), orDash(k.SharedBytes), occupied(k.StepProfile)})
	}
	t.Render()
	if unknown {
		fmt.Fprintln(r.out, "– : the backend does not tell what occupancy needs")
	}
}
