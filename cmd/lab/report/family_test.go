package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
)

// families is what each device algorithm of the catalogue is.
var families = map[string]family{
	"block-radix": digits, "grid-radix": digits, "radix-msd": digits, "onesweep": digits, "radix-lsd": digits,
	"radix-4way": digits, "radix-host-scatter": digits, "cluster-radix": digits, "merge-path": merge, "merge-separators": merge,
	"bitonic": bitonic, "bitonic-shared": bitonic, "bitonic-shared-step": bitonic, "bitonic-presort": bitonic,
	"bitonic-pairs": bitonic, "bitonic-div": bitonic, "bitonic-grid": bitonic, "bitonic-naive": bitonic,
	"counting": counting, "counting-range": counting,
}

// sentences are what only a family's text says.
var sentences = map[family]string{
	bitonic: "is a bitonic sorting network", digits: "is a radix sort", counting: "is a counting sort", merge: "is a merge sort",
}

// saysOnly checks that a note has the family's sentence and no other's.
func saysOnly(t *testing.T, name, note string) {
	t.Helper()
	want, ok := families[name]
	if !ok {
		t.Errorf("%s: what is it? It has no row in families", name)
	}
	for f, text := range sentences {
		if strings.Contains(note, text) != (f == want) {
			t.Errorf("%s, of %s: %s", name, want, note)
		}
	}
}

// TestTextOfEveryAlgorithm: two frames, input and output, fit any sort. The text
// says what the algorithm is, and draws a network for bitonic sorts alone.
func TestTextOfEveryAlgorithm(t *testing.T) {
	keys := []uint64{7, 3, 1 << 20, 5, 9, 9, 2, 70000}
	for _, a := range catalog.Algorithms() {
		c := result.Cell{Algo: a.Name, Backend: "cuda", DeviceID: "cuda:0", KeyType: "u32", Mode: "keys", Dist: "uniform", Items: uint64(len(keys))}
		r := run.Recording{Cell: c, Case: c.ID(), Env: testEnv, Frames: []run.Frame{
			{Label: "input", Keys: keys, Where: "keys"}, {Label: "sort", Keys: slices.Sorted(slices.Values(keys)), Where: "keys", Moved: true},
		}}
		d := newData(Input{Recordings: []run.Recording{r}})
		made := d.animate(r)
		saysOnly(t, a.Name, made.Note)
		if (made.Network != nil) != (families[a.Name] == bitonic) {
			t.Errorf("%s: a network is drawn: %v", a.Name, made.Network != nil)
		}
		for _, want := range []string{"Recorded: 1 step, of which 1 moved keys", "where nobody looks"} {
			if !strings.Contains(made.Note, want) {
				t.Errorf("%s: no %q in %s", a.Name, want, made.Note)
			}
		}
		if made.Network != nil && !strings.Contains(made.Note, "The network has 6 steps: those between two frames were not recorded") {
			t.Errorf("%s passes what it computed for what was recorded: %s", a.Name, made.Note)
		}
		auto := r
		auto.Cell.Algo, auto.Chosen = "auto", a.Name
		saysOnly(t, a.Name, d.animate(auto).Note)
	}
}

// recorded runs one algorithm on the OpenCL device and records it.
func recorded(t *testing.T, algo string, n int) run.Recording {
	t.Helper()
	specs := []string{"Algo=" + algo, "KeyT=u32", fmt.Sprintf("Elements=%d", n)}
	switch algo {
	case "counting":
		specs = append(specs, "MaxValue=255")
	case "radix-lsd":
		specs = append(specs, "Blocks=4") // else one block does all passes
	}
	set, err := axes.ParseSet(specs)
	if err != nil {
		t.Fatal(err)
	}
	o := run.Options{Axes: set, Devices: []string{"opencl:0"}, Seed: 1}
	o.Rule.Min, o.Rule.Max = 1, 1
	j, err := run.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	all, err := j.Record(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatalf("%s: %d recordings, %v", algo, len(all), err)
	}
	return all[0]
}

// TestRecordingsOfEveryAlgorithm records each OpenCL sort and holds the picture's
// claims against its frames: colours of digits against the order of low bytes, runs
// against the keys, arrows against the states.
func TestRecordingsOfEveryAlgorithm(t *testing.T) {
	drivertest.Devices(t, opencl.New())
	for _, a := range catalog.Algorithms() {
		if !slices.Contains(a.Backends, "opencl") {
			continue
		}
		for _, n := range []int{16, 300} {
			if n > 16 && testing.Short() {
				continue // a sample: plans of several launches take longest
			}
			r := recorded(t, a.Name, n)
			d := newData(Input{Recordings: []run.Recording{r}})
			made, m := d.animate(r), newMovie(r)
			saysOnly(t, a.Name, made.Note)
			if last := r.Frames[len(r.Frames)-1].Keys; !slices.IsSorted(last) {
				t.Errorf("%s: the last frame is not sorted", a.Name)
			}
			if want := families[a.Name] == bitonic && n <= maxWires; (made.Network != nil) != want {
				t.Errorf("%s, %d keys: a network is drawn: %v, want %v", a.Name, n, made.Network != nil, want)
			}
			claims(t, fmt.Sprintf("%s, %d keys", a.Name, n), r, m)
		}
	}
}

// claims checks what colours and lines say of each frame.
func claims(t *testing.T, name string, r run.Recording, m movie) {
	t.Helper()
	for i, f := range r.Frames {
		if m.Runs != nil {
			for _, at := range m.Runs[i] {
				if at > 0 && f.Keys[at-1] <= f.Keys[at] {
					t.Errorf("%s, frame %d: a run begins at %d, where none ends", name, i, at)
				}
			}
			continue
		}
		coloured := slices.ContainsFunc(m.Hues[i], func(h int) bool { return h >= 0 })
		ordered := slices.IsSortedFunc(f.Keys, func(a, b uint64) int { return cmp.Compare(a&255, b&255) }) || slices.IsSorted(f.Keys)
		if coloured && !ordered && !slices.IsSortedFunc(f.Keys, func(a, b uint64) int { return cmp.Compare(a&0xffff, b&0xffff) }) &&
			!slices.IsSortedFunc(f.Keys, func(a, b uint64) int { return cmp.Compare(a&0xffffff, b&0xffffff) }) {
			t.Errorf("%s, frame %d is coloured by low bytes and in no order of them", name, i)
		}
	}
}
