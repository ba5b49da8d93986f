package catalog

import (
	"context"
	"fmt"
	"strings"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// Host is a sort that runs on the processor, on slices of bit patterns.
type Host struct {
	// Name is the catalogue name, Doc one line for tables, Source the paper.
	Name, Doc, Source string
	// Sort sorts p.Items keys at keys with the values at values (Pairs), or
	// writes indices to values (Argsort), in place and stable. Its error is the
	// context's; what it leaves then is a permutation of the input.
	Sort func(p plan.Problem, keys, values unsafe.Pointer, o HostOptions) error
}

// HostOptions are the settings of a host sort.
type HostOptions struct {
	Ctx       context.Context // nil: never cancelled
	Workers   int             // goroutines; 0: GOMAXPROCS
	MemoryCap uint64          // bytes of scratch; 0: no cap
	MaxValue  uint64          // counting sort: no key is above it; 0: none given
}

// hosts holds one line per host algorithm, the default first.
var hosts = []Host{
	{"cpu-radix", "parallel radix sort on the processor, small sorts below a cutoff", "docs/order.md", sortCPU},
	countingHosts[0],
	countingHosts[1],
}

// Hosts returns the host algorithms, the default first.
func Hosts() []Host { return append([]Host(nil), hosts...) }

// HostAlgorithm finds a host algorithm by name, in any case; the empty name is
// the default. The error lists the known names.
func HostAlgorithm(name string) (Host, error) {
	for _, h := range hosts {
		if name == "" || strings.EqualFold(h.Name, name) {
			return h, nil
		}
	}
	known := make([]string, len(hosts))
	for i, h := range hosts {
		known[i] = h.Name
	}
	return Host{}, fmt.Errorf("unknown host algorithm %q: known are %s", name, strings.Join(known, ", "))
}

func sortCPU(p plan.Problem, keys, values unsafe.Pointer, o HostOptions) error {
	if p.Items == 0 {
		return nil
	}
	c, opt := p.Codec(), cpu.Options{Workers: o.Workers, Ctx: o.Ctx, MemoryCap: o.MemoryCap}
	switch p.Type.Bytes() {
	case 1:
		return sortWords[uint8](p, c, keys, values, opt)
	case 2:
		return sortWords[uint16](p, c, keys, values, opt)
	case 4:
		return sortWords[uint32](p, c, keys, values, opt)
	}
	return sortWords[uint64](p, c, keys, values, opt)
}

func sortWords[U key.Word](p plan.Problem, c key.Codec, keys, values unsafe.Pointer, o cpu.Options) error {
	k := unsafe.Slice((*U)(keys), p.Items)
	switch {
	case p.Mode == plan.Keys:
		return cpu.Keys(k, c, o)
	case p.Mode == plan.Pairs && p.ValueBytes == 4:
		return cpu.Pairs(k, unsafe.Slice((*uint32)(values), p.Items), c, o)
	case p.Mode == plan.Pairs:
		return cpu.Pairs(k, unsafe.Slice((*uint64)(values), p.Items), c, o)
	case p.ValueBytes == 4:
		return cpu.Argsort(k, unsafe.Slice((*uint32)(values), p.Items), c, o)
	}
	return cpu.Argsort(k, unsafe.Slice((*uint64)(values), p.Items), c, o)
}

// FirstDisorder returns the first position whose key belongs before its
// predecessor, or -1 if n keys at keys are in order.
func FirstDisorder(t key.Type, o key.Order, keys unsafe.Pointer, n int) int {
	if n == 0 {
		return -1
	}
	c := key.CodecOf(t, o)
	switch t.Bytes() {
	case 1:
		return cpu.FirstDisorder(unsafe.Slice((*uint8)(keys), n), c)
	case 2:
		return cpu.FirstDisorder(unsafe.Slice((*uint16)(keys), n), c)
	case 4:
		return cpu.FirstDisorder(unsafe.Slice((*uint32)(keys), n), c)
	}
	return cpu.FirstDisorder(unsafe.Slice((*uint64)(keys), n), c)
}
