package run

import (
	"path/filepath"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/experiment"
	"github.com/gpusort/gpusort/cmd/lab/sample"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine"
)

// TestShippedExperiments: every experiment has a title and says what it is, and every value on every
// axis means something.
func TestShippedExperiments(t *testing.T) {
	files, err := filepath.Glob("../../../experiments/*.toml")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		f, err := experiment.Read(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if f.Title == "" || f.Doc == "" {
			t.Errorf("%s has no title or doc", name)
		}
		for _, r := range append(f.Run, f.Small...) {
			o := Options{Devices: r.Devices, Rule: sample.Default, Seed: 1, AbsentAlgos: true, AbsentDevices: true,
				Engine: engine.Config{Drivers: []driver.Driver{}}}
			if o.Axes, err = axes.ParseSet(r.Axes); err != nil {
				t.Fatal(err)
			}
			j, err := New(o)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			j.Close()
		}
	}
}
