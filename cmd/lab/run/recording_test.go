package run

import (
	"context"
	"slices"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/axes"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/sample"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
	"github.com/gpusort/gpusort/internal/driver/opencl"
)

// record makes a recording on the first OpenCL device.
func record(t *testing.T, device string, texts ...string) ([]Recording, error) {
	t.Helper()
	set, err := axes.ParseSet(texts)
	if err != nil {
		t.Fatal(err)
	}
	j, err := New(Options{Axes: set, Devices: []string{device}, Rule: sample.Default, Seed: 1, Emit: func(result.Record) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	return j.Record(context.Background())
}

// TestRecording checks every frame of radix-lsd against a stable sort by the
// digits so far.
func TestRecording(t *testing.T) {
	drivertest.Devices(t, opencl.New())
	for _, elements := range []string{"Elements=16", "Elements=1000"} {
		all, err := record(t, "opencl:0", "Algo=radix-lsd", "KeyT=u32", elements, "Blocks=3")
		if err != nil {
			t.Fatal(err)
		}
		frames := all[0].Frames
		keys := frames[0].Keys
		moves := 0
		for i, f := range frames[1:] {
			if !f.Moved {
				if !slices.Equal(f.Keys, frames[i].Keys) {
					t.Errorf("%s: the keys are others, and no move", f.Label)
				}
				continue
			}
			keys = slices.Clone(keys)
			slices.SortStableFunc(keys, func(a, b uint64) int { return int(a>>(8*moves)&255) - int(b>>(8*moves)&255) })
			moves++
			if !slices.Equal(f.Keys, keys) {
				t.Errorf("after %s the keys are not in the order of their low %d bits", f.Label, 8*moves)
			}
		}
		if moves != 4 || !slices.IsSorted(frames[len(frames)-1].Keys) {
			t.Errorf("%d moves of 4, end sorted %v", moves, slices.IsSorted(frames[len(frames)-1].Keys))
		}
	}
	for _, bad := range [][]string{{"Elements=2000"}, {"KeyT=f32", "Elements=16"}, {"Mode=argsort", "Elements=16"}, {"Order=desc", "Elements=16"}, {"Elements=1"}} {
		if _, err := record(t, "opencl:0", append(bad, "Algo=radix-lsd")...); err == nil {
			t.Errorf("%v was recorded", bad)
		}
	}
}

func TestRecordingNeedsADevice(t *testing.T) {
	if _, err := record(t, "cpu", "Algo=cpu", "Elements=16"); err == nil {
		t.Error("a host sort was recorded")
	}
}
