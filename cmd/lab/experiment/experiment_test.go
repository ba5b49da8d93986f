package experiment

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/sample"
)

// TestAnyN: the sizes of cub-any-n.toml are as many as it says, each once, and
// no powers of two.
func TestAnyN(t *testing.T) {
	e, err := Read("../../../experiments/cub-any-n.toml")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{200, 50} {
		set, err := axes.ParseSet(e.Run[i].Axes)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[uint64]bool{}
		for _, v := range set.Find("Elements").Values {
			n, err := axes.ParseCount(v)
			if err != nil || n <= 1<<8 || n >= 1<<26 || n&(n-1) == 0 || seen[n] {
				t.Errorf("run %d: size %s: %v", i+1, v, err)
			}
			seen[n] = true
		}
		if len(seen) != want {
			t.Errorf("run %d has %d sizes, want %d", i+1, len(seen), want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "no [[run]]",
		"[[run]]\naxis = []":               "unknown setting run.axis",
		"[[run]]\naxes = ['A']":            "run 1",
		"[[run]]\nsamples = {timeout='x'}": "timeout",
		"[[run]]\nsamples = {min=9,max=3}": "minimum",
		"[[run]]\nseed = -1":               "seed",
		"[[run]]\n[[small]]\nseed = -2":    "small run 1: seed -2",
		"what":                             "line 1",
	} {
		p := filepath.Join(t.TempDir(), "x.toml")
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestApply(t *testing.T) {
	zero := 0
	r, err := Samples{WarmUp: &zero, Max: 12, Timeout: "2s"}.Apply(sample.Default)
	if err != nil || r.WarmUp != 0 || r.Max != 12 || r.Timeout != 2*time.Second || r.Min != sample.Default.Min {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestDemoIsSmall: the first experiment that people run has a share for a first look.
func TestDemoIsSmall(t *testing.T) {
	f, err := Read("../../../experiments/demo.toml")
	if err != nil {
		t.Fatal(err)
	}
	small, err := f.Runs(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range small {
		if !slices.Equal(r.Devices, []string{"cpu"}) {
			t.Errorf("the small share runs on %v", r.Devices)
		}
	}
}
