package cli

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/gpusort/gpusort"
	"github.com/gpusort/gpusort/cmd/internal/units"
)

// deviceIDs lists what --device takes, without "auto".
func deviceIDs() []string {
	list, _ := gpusort.Devices()
	return names(list, func(d gpusort.DeviceInfo) string { return d.ID })
}

// deviceJSON is a device as JSON spells it.
type deviceJSON struct {
	ID            string  `json:"id"`
	Backend       string  `json:"backend"`
	Name          string  `json:"name"`
	Vendor        string  `json:"vendor,omitempty"`
	DriverVersion string  `json:"driver_version,omitempty"`
	MemoryBytes   uint64  `json:"memory_bytes,omitempty"`
	ComputeUnits  int     `json:"compute_units"`
	ClockMHz      int     `json:"clock_mhz,omitempty"`
	MemoryGBps    float64 `json:"memory_gb_per_s,omitempty"`
	HostProcessor bool    `json:"host_processor"`
}

func (a *app) devicesCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "devices [flags]",
		Short:   "List the devices that can sort",
		Long:    "List the CPU and the devices of every backend that is installed. The ID is what\n--device takes. If an installed backend does not work, standard error says why.",
		Example: "  gpusort devices\n  gpusort devices --json",
		Args:    atMost(0),
		RunE: func(*cobra.Command, []string) error {
			list, err := gpusort.Devices()
			if err != nil {
				fmt.Fprintf(a.err, "gpusort: %v\n", err)
			}
			if asJSON {
				return printJSON(a.out, toJSON(list))
			}
			a.printDevices(list)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	return c
}

func toJSON(list []gpusort.DeviceInfo) []deviceJSON {
	out := make([]deviceJSON, len(list))
	for i, d := range list {
		out[i] = deviceJSON(d)
	}
	return out
}

func (a *app) printDevices(list []gpusort.DeviceInfo) {
	t := a.newTable(table.Row{"ID", "Name", "Units", "Clock", "Memory", "Bandwidth", "Driver"}, 3, 4, 5, 6)
	for _, d := range list {
		clock, memory, bandwidth := "-", "-", "-"
		if d.ClockMHz > 0 {
			clock = fmt.Sprintf("%d MHz", d.ClockMHz)
		}
		if d.MemoryBytes > 0 {
			memory = units.Bytes(d.MemoryBytes)
		}
		if d.MemoryGBps > 0 {
			bandwidth = fmt.Sprintf("%.0f GB/s", d.MemoryGBps)
		}
		driver := d.DriverVersion
		if driver == "" {
			driver = "-"
		}
		t.AppendRow(table.Row{d.ID, d.Name, d.ComputeUnits, clock, memory, bandwidth, driver})
	}
	t.Render()
}
