package catalog

import (
	"context"
	"fmt"
	"strings"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
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
var hosts = []Host{
	{"cpu", "the library's own: quicksort with AVX-512 or AVX2, radix sort without, counting for narrow keys", "docs/rfcs/0003-cpu-vector-sort.md", sortCPU},
}

// formerDefault is what the default was called until it was no radix sort any
// more; scripts and results name it.
const formerDefault = "cpu-radix"

// Hosts returns the host algorithms, the default first.
func Hosts() []Host { return append([]Host(nil), hosts...) }

// HostAlgorithm finds a host algorithm by name, in any case; the empty name is
// the default, and so is its former name, cpu-radix. The error lists the known
// names.
func HostAlgorithm(name string) (Host, error) {
	if strings.EqualFold(name, formerDefault) {
		return hosts[0], nil
	}
	for _, h := range hosts {
		if name == "" || strings.EqualFold(h.Name, name) {
			return h, nil
		}
	}
	known := make([]string, len(hosts))
	for i, h := range hosts {
		known[i] = h.Name
	}
	return Host{}, fmt.Errorf("unknown host algorithm %q: known are %s%s", name, strings.Join(known, ", "), Elsewhere())
}

func sortCPU(j op.Job, o HostOptions) error {
	if j.Items == 0 {
		return nil
	}
	return key.ByWidths(j.Type.Bytes(), j.ValueBytes,
		sortWords[uint8, uint32], sortWords[uint16, uint32], sortWords[uint32, uint32], sortWords[uint64, uint32],
		sortWords[uint8, uint64], sortWords[uint16, uint64], sortWords[uint32, uint64], sortWords[uint64, uint64],
	)(j, cpu.Options{Workers: o.Workers, Ctx: o.Ctx, MemoryCap: o.MemoryCap})
}

func sortWords[U key.Word, V uint32 | uint64](j op.Job, o cpu.Options) error {
	k, v := Words[U, V](j)
	switch j.Mode {
	case op.Keys:
		return cpu.Keys(k, j.Codec(), o)
	case op.Pairs:
		return cpu.Pairs(k, v, j.Codec(), o)
	}
	return cpu.Argsort(k, v, j.Codec(), o)
}

// Words views j's keys and its values, nil without values.
func Words[U key.Word, V uint32 | uint64](j op.Job) (k []U, v []V) {
	if j.ValueBytes != 0 {
		v = unsafe.Slice((*V)(j.At[op.ValuesIO]), j.Items)
	}
	return unsafe.Slice((*U)(j.At[op.KeysIO]), j.Items), v
}

// FirstDisorder returns the first position whose key belongs before its
// predecessor, or -1 if n keys at keys are in order.
func FirstDisorder(t key.Type, o key.Order, keys unsafe.Pointer, n int) int {
	if n == 0 {
		return -1
	}
	return key.ByWidth(t.Bytes(), disorder[uint8], disorder[uint16], disorder[uint32], disorder[uint64])(keys, n, key.CodecOf(t, o))
}

func disorder[U key.Word](keys unsafe.Pointer, n int, c key.Codec) int {
	return cpu.FirstDisorder(unsafe.Slice((*U)(keys), n), c)
}
