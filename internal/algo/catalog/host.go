package catalog

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/op"
)

// Host is a sort that runs on the processor, on slices of bit patterns.
type Host struct {
	// Name is the catalogue name, Doc one line for tables, Source the paper.
	Name, Doc, Source string
	// Run carries out a sort in place, stable. Its error is the context's; what it
	// leaves then is a permutation of the input.
	Run func(j op.Job, o HostOptions) error
}

// HostOptions are the settings of a host sort.
type HostOptions struct {
	Ctx       context.Context // nil: never cancelled
	Workers   int             // goroutines; 0: GOMAXPROCS
	MemoryCap uint64          // bytes of scratch; 0: no cap
	MaxValue  uint64          // counting sort: no key is above it; 0: none given
}

// hosts holds the library's own sort, the default, and behind it what Add added.
var hosts = sync.OnceValue(func() []Host {
	all := []Host{
		{"cpu", "the library's own: quicksort with AVX-512 or AVX2, radix sort without, counting for narrow keys", "docs/rfcs/0003-cpu-vector-sort.md", sortCPU},
	}
	for _, lists := range added {
		_, processor := lists()
		all = append(all, processor...)
	}
	return all
})

// formerDefault is what the default was called until it was no radix sort any
// more; scripts and results name it.
const formerDefault = "cpu-radix"

// Hosts returns the host algorithms, the default first.
func Hosts() []Host { return append([]Host(nil), hosts()...) }

// HostAlgorithm finds a host algorithm by name, in any case; the empty name is
// the default, and so is its former name, cpu-radix. The error lists the known
// names.
func HostAlgorithm(name string) (Host, error) {
	if strings.EqualFold(name, formerDefault) {
		return hosts()[0], nil
	}
	all := hosts()
	for _, h := range all {
		if name == "" || strings.EqualFold(h.Name, name) {
			return h, nil
		}
	}
	known := make([]string, len(all))
	for i, h := range all {
		known[i] = h.Name
	}
	return Host{}, fmt.Errorf("unknown host algorithm %q: known are %s%s", name, strings.Join(known, ", "), Elsewhere())
}

func sortCPU(j op.Job, o HostOptions) error {
	return cpu.Run(j, cpu.Options{Workers: o.Workers, Ctx: o.Ctx, MemoryCap: o.MemoryCap})
}
