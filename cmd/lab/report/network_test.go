package report

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

// bitonicRecording sorts n keys by a bitonic network written down apart from
// the drawing's own, a frame for every step or, fused, for every stage.
func bitonicRecording(n int, mirror, fused bool) run.Recording {
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = uint64(rng.Uint32())
	}
	cell := result.Cell{Algo: "bitonic-naive", Backend: "opencl", DeviceID: "opencl:0", KeyType: "u32", Mode: "keys", Dist: "uniform", Items: uint64(n), Seed: 1}
	r := run.Recording{Cell: cell, Case: cell.ID(), Env: testEnv}
	emit := func(label string) {
		f := run.Frame{Label: label, Kernel: "gs_bitonic", Keys: slices.Clone(keys), Where: "keys"}
		if len(r.Frames) > 0 {
			f.Moved = !slices.Equal(f.Keys, r.Frames[len(r.Frames)-1].Keys)
		}
		r.Frames = append(r.Frames, f)
	}
	emit("input")
	for size := 2; size/2 < n; size *= 2 {
		for dist := size / 2; dist >= 1; dist /= 2 {
			for low := range n {
				if low/dist%2 != 0 {
					continue
				}
				high, down := low+dist, low/size%2 == 1
				if mirror {
					down = false
					if dist == size/2 {
						high = low/size*size + size - 1 - low%size
					}
				}
				if high < n && (keys[low] > keys[high]) != down {
					keys[low], keys[high] = keys[high], keys[low]
				}
			}
			if !fused {
				emit(fmt.Sprintf("stage %d, distance %d", size, dist))
			}
		}
		if fused {
			emit(fmt.Sprintf("stage %d", size))
		}
	}
	return r
}

func TestNetworkOfARecording(t *testing.T) {
	for _, c := range []struct {
		n             int
		mirror, fused bool
		steps, frames int
	}{{16, false, false, 10, 10}, {16, false, true, 10, 4}, {16, true, false, 10, 10}, {11, true, true, 10, 4}, {64, false, true, 21, 6}} {
		r := bitonicRecording(c.n, c.mirror, c.fused)
		if !slices.IsSorted(r.Frames[len(r.Frames)-1].Keys) {
			t.Fatalf("%+v: the test's own network does not sort", c)
		}
		m := newMovie(r)
		n := networkOf(r, m)
		if n == nil {
			t.Errorf("%+v: no network found", c)
			continue
		}
		if len(n.Steps) != c.steps || n.Steps[len(n.Steps)-1].Frame != c.frames || m.Runs == nil {
			t.Errorf("%+v: %d steps, the last of frame %d", c, len(n.Steps), n.Steps[len(n.Steps)-1].Frame)
		}
		swaps := 0
		for i, s := range n.Steps {
			if want := i; !c.fused && s.Frame != want+1 {
				t.Errorf("%+v: step %d belongs to frame %d", c, i, s.Frame)
			}
			for _, x := range s.Comparators {
				if x.Swapped {
					swaps++
				}
			}
		}
		fig := n.Draw()
		svg := fig.SVG()
		if strings.Count(svg, ": changed places") != 2*swaps || swaps == 0 {
			t.Errorf("%+v: %d bold arrows for %d swaps", c, strings.Count(svg, ": changed places")/2, swaps)
		}
		if dir := os.Getenv("GPUSORT_FIGURES"); dir != "" {
			out, err := os.Create(filepath.Join(dir, fmt.Sprintf("network-%d-%v-%v.png", c.n, c.mirror, c.fused)))
			if err != nil {
				t.Fatal(err)
			}
			if err := fig.WritePNG(out, 1); err != nil {
				t.Error(err)
			}
			out.Close()
		}
	}
}

// TestNoNetwork: what is not a bitonic network's run is not drawn as one.
func TestNoNetwork(t *testing.T) {
	swapped := bitonicRecording(16, false, false)
	k := swapped.Frames[5].Keys
	k[0], k[1] = k[1], k[0]
	unsorted := bitonicRecording(16, false, false)
	unsorted.Frames = unsorted.Frames[:8]
	large := bitonicRecording(128, false, true)
	radix := recording(result.Cell{Algo: "radix-lsd", Backend: "opencl", DeviceID: "opencl:0", KeyType: "u32", Mode: "keys", Dist: "uniform", Items: 16})
	for name, r := range map[string]run.Recording{"swapped": swapped, "unsorted": unsorted, "large": large, "radix": radix} {
		if n := networkOf(r, newMovie(r)); n != nil {
			t.Errorf("%s: a network was drawn", name)
		}
	}
}

// TestRunsOfAMerge: ascending runs are shown once they are long.
func TestRunsOfAMerge(t *testing.T) {
	if got := runs([]uint64{5, 1, 4, 2, 8, 3, 9, 1}); len(got) != 0 {
		t.Errorf("chance runs: %v", got)
	}
	if got := runs([]uint64{1, 2, 3, 4, 1, 5, 6, 7}); !slices.Equal(got, []int{0, 4}) {
		t.Errorf("two runs: %v", got)
	}
}
