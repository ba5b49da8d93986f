package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

// family is how a sort finds its order.
type family string

// The families of the catalogue.
const (
	bitonic  family = "network"
	digits   family = "digits"
	counting family = "counting"
	merge    family = "merge"
	other    family = ""
)

// familyOf goes by the algorithm's name, not by what its frames look like: a sort in
// one launch has two frames, which fit any family.
func familyOf(r run.Recording) family {
	name := cmp.Or(r.Chosen, r.Cell.Algo)
	switch {
	case strings.HasPrefix(name, "bitonic"):
		return bitonic
	case strings.Contains(name, "radix"), strings.HasPrefix(name, "onesweep"):
		return digits
	case strings.HasPrefix(name, "counting"):
		return counting
	case strings.HasPrefix(name, "merge"):
		return merge
	}
	return other
}

// noteOf says what was recorded and what the picture means; n is nil where no
// network is drawn.
func noteOf(r run.Recording, m movie, n *plot.Network) string {
	moves := 0
	for _, f := range r.Frames {
		if f.Moved {
			moves++
		}
	}
	s := fmt.Sprintf("%s Recorded: %s, of which %s. A frame is what the device's memory held after that step; equal keys are followed in their order. Height is a key's rank.",
		madeBy(r), many(len(r.Frames)-1, "step"), many(moves, "moved keys", "moved keys"))
	if moves == 1 {
		s += " All else happened in registers and shared memory, where nobody looks."
	}
	switch {
	case m.Runs == nil:
		s += " Colour shows the low bytes by which the keys are in order so far; grey keys are in no such order yet."
	default:
		s += " Colour is the rank too, and a line below the bars is an ascending run, once runs are long enough to be seen."
	}
	if n == nil {
		return s
	}
	s += " An arrow of the network points to where the greater key goes, and is bold where the keys changed places; a wire has its key's colour, and numbers are ranks."
	if seen := len(r.Frames) - 1; seen < len(n.Steps) {
		s += fmt.Sprintf(" The network has %s: those between two frames were not recorded; they are what leads from one frame to the next.", many(len(n.Steps), "step"))
	}
	return s
}

// madeBy is a sentence on the kind of sort.
func madeBy(r run.Recording) string {
	name := r.Cell.Algo
	if r.Chosen != "" {
		name += ", here " + r.Chosen + ","
	}
	switch familyOf(r) {
	case bitonic:
		return name + " is a bitonic sorting network: which keys it compares does not depend on them."
	case digits:
		return name + " is a radix sort: it moves keys by their digits and compares none."
	case counting:
		return name + " is a counting sort: it counts how often each value occurs and writes the values in order."
	case merge:
		return name + " is a merge sort: it sorts short runs and merges them in pairs."
	}
	return name + "."
}

// many counts things, in the plural where it has to be.
func many(n int, one string, more ...string) string {
	switch {
	case n == 1:
	case len(more) > 0:
		one = more[0]
	default:
		one += "s"
	}
	return fmt.Sprintf("%d %s", n, one)
}
