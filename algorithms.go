package gpusort

import (
	"slices"

	"github.com/gpusort/gpusort/internal/algo/catalog"
)

// AlgorithmInfo describes a sort that WithAlgorithm can name.
type AlgorithmInfo struct {
	Name     string   // "onesweep"
	Doc      string   // what it is, in one line
	Source   string   // the paper, report or decision record that it follows
	Backends []string // where it runs: "cuda", "opencl", "cpu"
	// Automatic says that it may be chosen without being named.
	Automatic bool
}

// Algorithms lists the sorts that WithAlgorithm can name, devices' first, in order
// of preference. It touches no device.
func Algorithms() []AlgorithmInfo {
	var out []AlgorithmInfo
	for _, a := range catalog.Algorithms() {
		out = append(out, AlgorithmInfo{a.Name, a.Doc, a.Source, slices.Clone(a.Backends), !a.Study})
	}
	for i, h := range catalog.Hosts() {
		if at := slices.IndexFunc(out, func(a AlgorithmInfo) bool { return a.Name == h.Name }); at >= 0 {
			out[at].Backends = append(out[at].Backends, "cpu")
			continue
		}
		out = append(out, AlgorithmInfo{h.Name, h.Doc, h.Source, []string{"cpu"}, i == 0})
	}
	return out
}
