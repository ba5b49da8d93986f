package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpusort/gpusort/cmd/lab/axes"
)

// modules has the policies that a catalogue algorithm's kernels are built from,
// for keys alone and with values.
var modules = map[string][2]string{
	"onesweep": {"onesweep", "onesweep"}, "radix-msd": {"msd", "msdpairs"},
	"merge-path": {"merge", "merge"}, "merge-separators": {"merge", "merge"},
	"counting": {"counting", "counting"}, "counting-range": {"counting", "counting"},
	"block-radix": {"small", "small"}, "grid-radix": {"small", "small"},
}

// experimentFile is the file that gpusort bench measures a row's variants by: its
// [[run]] the given axes over what follows from the row, its [[small]] one verified
// sort of many kinds of input. End to end is measured once, since the geometry
// changes nothing about transfers.
func experimentFile(algorithm string, keyBits, valueBytes int, given []string) (string, error) {
	have, err := axes.ParseSet(given)
	if err != nil {
		return "", err
	}
	common := []string{"Algo=" + algorithm}
	fill := func(name, value string) {
		if have.Find(name) == nil {
			common = append(common, name+"="+value)
		}
	}
	fill("KeyT", fmt.Sprintf("u%d", keyBits))
	if valueBytes == 0 {
		fill("Mode", "keys")
	} else {
		fill("Mode", "pairs")
		fill("ValueT", fmt.Sprintf("u%d", 8*valueBytes))
	}
	measured := slices.Concat(common, given)
	if have.Find("Elements") == nil {
		measured = append(measured, "Elements[pow2]=28")
	}
	// What is given again takes the place of the earlier one.
	verified := slices.Concat(common, given, []string{"Dist=[uniform,sorted,reverse,constant,zipf,entropy-0.201]", "Elements=[1000,100003,2^20,16790017]"})
	return fmt.Sprintf(`title = "Variants of %s"
source = "docs/benchmarking.md"
doc = "What tools/cmd/tune built: [[run]] measures a variant, [[small]] verifies it over kinds of input."

[[run]]
axes = %s
devices = ["cuda:0"]
samples = { warm_up = 2, min = 11, max = 25, noise = 0.005, timeout = "2s", end_to_end = 1 }

[[small]]
axes = %s
devices = ["cuda:0"]
samples = { warm_up = 0, min = 1, max = 1, noise = 1.0, timeout = "10s", end_to_end = 1 }
`, algorithm, list(measured), list(verified)), nil
}

func list(axes []string) string {
	var quoted []string
	for _, a := range axes {
		quoted = append(quoted, fmt.Sprintf("%q", a))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
