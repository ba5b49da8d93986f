package report

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/gpusort/gpusort/cmd/lab/plot"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

// maxWires is the greatest network whose arrows can be told apart on a page.
const maxWires = 64

// bitonicSteps are the steps of a bitonic sorting network over n wires. With
// mirror the first step of a stage compares a block's ends inwards and all
// arrows point downwards; else every other block is sorted the other way round,
// as in Batcher's paper. Of an n that is no power of two the missing wires hold
// keys above all others, which only the mirrored form leaves where they are.
func bitonicSteps(n int, mirror bool) (steps []plot.NetworkStep) {
	for k := 2; k < 2*n; k *= 2 {
		for j := k / 2; j > 0; j /= 2 {
			s := plot.NetworkStep{}
			if j == k/2 {
				s.Stage = fmt.Sprintf("blocks of %d", k)
			}
			for a := range n {
				b, up := a^j, a&k != 0
				if mirror {
					up = false
					if j == k/2 {
						b = a ^ (k - 1)
					}
				}
				if b > a && b < n {
					s.Comparators = append(s.Comparators, plot.Comparator{A: a, B: b, Up: up})
				}
			}
			steps = append(steps, s)
		}
	}
	return steps
}

// networkOf finds the bitonic network that a recording went through: the frames
// must be states of the network's run on the recorded input, in order, the last
// one its end. It returns nil if they are not, and for sorts that are no networks.
func networkOf(r run.Recording, m movie) *plot.Network {
	keys := r.Frames[0].Keys
	if familyOf(r) != bitonic || len(keys) < 4 || len(keys) > maxWires || len(r.Frames) < 2 {
		return nil
	}
	for _, mirror := range []bool{false, true} {
		if !mirror && bits.OnesCount(uint(len(keys))) != 1 {
			continue
		}
		steps := bitonicSteps(len(keys), mirror)
		states := play(steps, keys)
		if at := follow(r.Frames, states, steps); at != nil {
			return draw(r, m, steps, states, at)
		}
	}
	return nil
}

// play runs a network and marks what swapped; states[i] is before step i.
func play(steps []plot.NetworkStep, keys []uint64) (states [][]uint64) {
	states = append(states, keys)
	for i := range steps {
		keys = slices.Clone(keys)
		for k := range steps[i].Comparators {
			c := &steps[i].Comparators[k]
			if x, y := keys[c.A], keys[c.B]; x != y && (x > y) != c.Up {
				keys[c.A], keys[c.B], c.Swapped = y, x, true
			}
		}
		states = append(states, keys)
	}
	return states
}

// follow returns for each frame how many steps were done, or nil if the frames
// are not the network's states. Where several numbers fit, because steps
// swapped nothing, a frame is one step on if there is a frame for each step,
// else it ends its stage if it can.
func follow(frames []run.Frame, states [][]uint64, steps []plot.NetworkStep) []int {
	at := make([]int, len(frames))
	single := len(frames) == len(states)
	for i := 1; i < len(frames); i++ {
		last := at[i-1]
		fits := func(t int) bool { return t < len(states) && slices.Equal(states[t], frames[i].Keys) }
		t := last + 1
		for t < len(states) && !fits(t) {
			t++
		}
		switch {
		case t < len(states):
			for e := t; !single && t > last+1 && fits(e); e++ {
				if e == len(steps) || steps[e].Stage != "" {
					t = e
					break
				}
			}
		case fits(last):
			t = last // a step that is none of the network
		default:
			return nil
		}
		at[i] = t
	}
	end := len(states) - 1
	if !slices.Equal(states[end], frames[len(frames)-1].Keys) {
		return nil
	}
	at[len(frames)-1] = end
	return at
}

func draw(r run.Recording, m movie, steps []plot.NetworkStep, states [][]uint64, at []int) *plot.Network {
	n := plot.Network{Title: "The network that these steps went through", W: 1140, Frames: map[int]string{}}
	sorted := slices.Sorted(slices.Values(states[0]))
	share := func(keys []uint64) (out []float64) {
		for _, k := range keys {
			rank, _ := slices.BinarySearch(sorted, k)
			out = append(out, float64(rank)/float64(len(sorted)))
		}
		return out
	}
	text := func(keys []uint64) (out []string) {
		for _, k := range keys {
			rank, _ := slices.BinarySearch(sorted, k)
			out = append(out, fmt.Sprint(rank))
		}
		return out
	}
	n.Keys = share(states[0])
	n.In, n.Out = text(states[0]), text(states[len(states)-1])
	frame := 0
	for i := range steps {
		for frame < len(at)-1 && at[frame] <= i {
			frame++
		}
		steps[i].Keys, steps[i].Frame = share(states[i+1]), frame
		n.Frames[frame] = fmt.Sprintf("step %d: %s", frame, m.Labels[frame])
	}
	n.Steps = steps
	return &n
}
