// Package experiment reads benchmark runs that are kept as TOML files.
package experiment

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/sample"
)

// File is one experiment: one or more runs, one after the other.
type File struct {
	Title string `toml:"title"`
	// Source is the report or paper whose measurement it repeats.
	Source string `toml:"source"`
	// Doc says what the result should show.
	Doc string `toml:"doc"`
	Run []Run  `toml:"run"`
	// Small is the share of it for a machine without a GPU, or for a first look.
	Small []Run `toml:"small"`
}

// Runs returns the runs, or the small share of them. A file without a small
// share is an error that says so.
func (f File) Runs(small bool) ([]Run, error) {
	switch {
	case !small:
		return f.Run, nil
	case len(f.Small) == 0:
		return nil, fmt.Errorf("no [[small]] run in it: run it without --small")
	}
	return f.Small, nil
}

// Run is one multiplication of axes.
type Run struct {
	Axes    []string `toml:"axes"`
	Devices []string `toml:"devices"`
	Seed    int64    `toml:"seed"` // 0: the command's
	Warm    bool     `toml:"warm"` // leave the L2 cache warm
	Graph   bool     `toml:"graph"`
	// HostClock times sorts of device memory from the call to the end of the wait.
	HostClock bool    `toml:"host_clock"`
	Samples   Samples `toml:"samples"`
}

// Samples changes the sampling rule; zeros leave the command's.
type Samples struct {
	WarmUp *int `toml:"warm_up"`
	Min    int  `toml:"min"`
	Max    int  `toml:"max"`
	// EndToEnd bounds the samples that transfers are timed in; 0: Min; −1: none.
	EndToEnd int     `toml:"end_to_end"`
	Noise    float64 `toml:"noise"`
	Timeout  string  `toml:"timeout"` // "5s"
}

// Read loads and checks a file. An unknown key is an error: it would be a
// setting that does nothing.
func Read(path string) (File, error) {
	var f File
	text, err := os.ReadFile(path)
	if err != nil {
		return f, err
	}
	meta, err := toml.Decode(string(text), &f)
	if err != nil {
		return f, fmt.Errorf("%s: %w", path, err)
	}
	if u := meta.Undecoded(); len(u) > 0 {
		var keys []string
		for _, k := range u {
			keys = append(keys, k.String())
		}
		return f, fmt.Errorf("%s: unknown setting %s", path, strings.Join(keys, ", "))
	}
	if len(f.Run) == 0 {
		return f, fmt.Errorf("%s: no [[run]]: an experiment has at least one", path)
	}
	for i, r := range f.Run {
		if err := r.check(); err != nil {
			return f, fmt.Errorf("%s: run %d: %w", path, i+1, err)
		}
	}
	for i, r := range f.Small {
		if err := r.check(); err != nil {
			return f, fmt.Errorf("%s: small run %d: %w", path, i+1, err)
		}
	}
	return f, nil
}

func (r Run) check() error {
	if _, err := axes.ParseSet(r.Axes); err != nil {
		return err
	}
	if r.Seed < 0 {
		return fmt.Errorf("seed %d is negative", r.Seed)
	}
	_, err := r.Samples.Apply(sample.Default)
	return err
}

// Apply changes a rule as the file says.
func (s Samples) Apply(r sample.Rule) (sample.Rule, error) {
	if s.WarmUp != nil {
		r.WarmUp = *s.WarmUp
	}
	if s.Min != 0 {
		r.Min = s.Min
	}
	if s.Max != 0 {
		r.Max = s.Max
	}
	if s.EndToEnd != 0 {
		r.EndToEnd = s.EndToEnd
	}
	if s.Noise != 0 {
		r.Noise = s.Noise
	}
	if s.Timeout != "" {
		d, err := time.ParseDuration(s.Timeout)
		if err != nil {
			return r, fmt.Errorf("timeout %q: write it as 500ms or 10s", s.Timeout)
		}
		r.Timeout = d
	}
	return r, r.Validate()
}
