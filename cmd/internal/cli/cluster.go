package cli

import (
	"slices"
	"strings"
)

// clusterProgram is the program that sorts objects of stores, and on many machines.
const clusterProgram = "gpusort-cluster"

// clusterWords are the arguments of clusterProgram for a command line that is its own: that of sort
// with --engine, and that of verify with --manifest. For others they are nil.
func clusterWords(args []string) []string {
	if len(args) == 0 {
		return nil
	}
	words := args[1:]
	if i := slices.Index(words, "--"); i >= 0 {
		words = words[:i]
	}
	has := func(flag string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return w == flag || strings.HasPrefix(w, flag+"=") })
	}
	switch {
	case args[0] == "sort" && has("--engine"):
		return append([]string{"run"}, args[1:]...)
	case args[0] == "verify" && has("--manifest"):
		out := []string{"verify"}
		for _, w := range args[1:] {
			if name, joined := strings.CutPrefix(w, "--manifest="); joined {
				w = name
			}
			if w != "--manifest" {
				out = append(out, w)
			}
		}
		return out
	}
	return nil
}

// startCluster starts clusterProgram.
func startCluster(words []string) error {
	return startBeside(clusterProgram, "--engine and --manifest need", "cluster/cmd/"+clusterProgram, words)
}
