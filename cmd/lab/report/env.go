package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/result"
)

// Environment is where results come from, each value once.
type Environment struct {
	Commands []string
	Rows     [][2]string // name and value, such as Device and Clocks
	Policies [][2]string // series and what ran
}

// EnvironmentOf says where the results of an input come from.
func EnvironmentOf(in Input) Environment { return newEnvironment(newData(in)) }

func newEnvironment(d *data) (e Environment) {
	var envs []result.Env
	for _, r := range d.Records {
		envs = append(envs, r.Env)
	}
	for _, p := range d.Profiles {
		envs = append(envs, p.Env)
	}
	for _, p := range d.Recordings {
		envs = append(envs, p.Env)
	}
	values := func(of func(result.Env) string) (out []string) {
		for _, x := range envs {
			if v := of(x); v != "" && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
		return out
	}
	e.Commands = values(func(x result.Env) string { return x.Command })
	row := func(name string, v []string) {
		if len(v) > 0 {
			e.Rows = append(e.Rows, [2]string{name, strings.Join(v, "; ")})
		}
	}
	row("Device", values(func(x result.Env) string {
		if x.Device == "" {
			return ""
		}
		return x.Device + " (driver " + x.DriverVersion + ")"
	}))
	row("Processor", values(func(x result.Env) string {
		if x.CPU == "" {
			return fmt.Sprintf("%d threads", x.Procs)
		}
		return fmt.Sprintf("%s, %d threads", x.CPU, x.Procs)
	}))
	row("System", values(func(x result.Env) string { return x.OS + "/" + x.Arch }))
	row("Compiler", values(func(x result.Env) string { return x.Go }))
	row("Commit", values(func(x result.Env) string {
		if x.Commit != "" && x.Modified {
			return x.Commit + " (changed)"
		}
		return x.Commit
	}))
	var loads []float64
	for _, x := range envs {
		if x.LoadAverage > 0 {
			loads = append(loads, x.LoadAverage)
		}
	}
	if len(loads) > 0 {
		row("Load average before", ends(plot.Short(slices.Min(loads)), plot.Short(slices.Max(loads))))
	}
	// RFC 3339 in one zone sorts as text.
	if begun := values(func(x result.Env) string { return x.Started }); len(begun) > 0 {
		row("Begun", ends(slices.Min(begun), slices.Max(begun)))
	}
	var seeds []string
	for _, r := range d.Records {
		if s := fmt.Sprint(r.Seed); !slices.Contains(seeds, s) {
			seeds = append(seeds, s)
		}
	}
	row("Seed of the inputs", seeds)
	row("Inputs", d.inputs())
	row("Clocks", d.clocks())
	row("Files", d.Sources)
	e.Policies = d.policies()
	return e
}

// inputs say which keys the samples had.
func (d *data) inputs() (out []string) {
	for _, r := range d.Records {
		if s := r.Inputs(); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// ends are the two ends of a range, or the one value that it has.
func ends(lo, hi string) []string {
	if lo == hi {
		return []string{lo}
	}
	return []string{lo + " – " + hi}
}

// clocks are the ranges that the device reported.
func (d *data) clocks() []string {
	var sm, mem, temp [2]int
	var watts float64
	span := func(r *[2]int, v int) {
		if v > 0 {
			if r[0] == 0 || v < r[0] {
				r[0] = v
			}
			r[1] = max(r[1], v)
		}
	}
	for _, r := range d.Records {
		for _, c := range []*result.Clocks{r.Before, r.After} {
			if c != nil {
				span(&sm, c.SMMHz)
				span(&mem, c.MemoryMHz)
				span(&temp, c.TempC)
				watts = max(watts, c.PowerW)
			}
		}
	}
	if sm[1] == 0 {
		return nil
	}
	return []string{fmt.Sprintf("multiprocessors %d – %d MHz, memory %d – %d MHz, %d – %d °C, up to %.0f W", sm[0], sm[1], mem[0], mem[1], temp[0], temp[1], watts)}
}

// policies say which code each series ran.
func (d *data) policies() (out [][2]string) {
	at := map[string]int{}
	for _, c := range d.measured() {
		what := c.Source
		if c.Policy != "" && c.Source != "catalog" {
			what += ", " + c.Policy
		}
		if i, ok := at[c.series]; ok {
			if !strings.Contains(out[i][1], what) {
				out[i][1] += "; " + what
			}
			continue
		}
		at[c.series] = len(out)
		out = append(out, [2]string{c.series, what})
	}
	return out
}
