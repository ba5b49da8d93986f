package study

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/catalog"
	cpuscan "github.com/gpusort/gpusort/internal/algo/cpu/scan"
	"github.com/gpusort/gpusort/internal/algo/scan"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// Scans returns the prefix sums, the simplest first. Their names are what
// algo.Params.Scan takes.
func Scans() []algo.Scan { return scan.Scans() }

// Runnable finds what runs alone on a device by its name, in any case: a sort, or
// a prefix sum in its exclusive form ("scan-lookback") or its inclusive one
// ("scan-lookback-inclusive"). The error lists the known names.
func Runnable(name string) (algo.Algorithm, error) {
	a, err := catalog.Algorithm(name)
	if err == nil {
		return a, nil
	}
	var known []string
	for _, s := range Scans() {
		for _, inclusive := range []bool{false, true} {
			if a := s.Algorithm(inclusive); strings.EqualFold(a.Name, name) {
				return a, nil
			} else {
				known = append(known, a.Name)
			}
		}
	}
	return algo.Algorithm{}, fmt.Errorf("%w; known prefix sums are %s", err, strings.Join(known, ", "))
}

// HostScan is a prefix sum on the processor, serial.
type HostScan struct {
	// Name is the catalogue name, Doc one line for tables, Source the paper.
	Name, Doc, Source string
	sum32             func([]uint32, bool)
	sum64             func([]uint64, bool)
}

// hostScans holds one line per prefix sum on the processor.
var hostScans = []HostScan{
	{"scan-hillis-steele", "doubling distances, n log n additions", "Hillis and Steele 1986", cpuscan.HillisSteele[uint32], cpuscan.HillisSteele[uint64]},
	{"scan-blelloch", "a tree per tile, up and down", "Blelloch 1990", cpuscan.Blelloch[uint32], cpuscan.Blelloch[uint64]},
	{"scan-lookback", "one pass, tile after tile", "Merrill and Garland 2016", cpuscan.Lookback[uint32], cpuscan.Lookback[uint64]},
}

// HostScans returns the prefix sums on the processor.
func HostScans() []HostScan { return append([]HostScan(nil), hostScans...) }

// HostSum finds a prefix sum on the processor by a name as Runnable takes it, in
// any case, and says which sums it makes.
func HostSum(name string) (h HostScan, made op.Kind, found bool) {
	a, err := Runnable(name)
	if err != nil || a.Kind == op.Sort {
		return h, op.Sort, false
	}
	for _, h := range hostScans {
		if strings.HasPrefix(a.Name, h.Name) {
			return h, a.Kind, true
		}
	}
	return h, op.Sort, false
}

// Sum replaces n elements of t, U32 or U64, at data by their prefix sums.
func (h HostScan) Sum(t key.Type, data unsafe.Pointer, n int, inclusive bool) error {
	switch {
	case n == 0:
	case t == key.U32:
		h.sum32(unsafe.Slice((*uint32)(data), n), inclusive)
	case t == key.U64:
		h.sum64(unsafe.Slice((*uint64)(data), n), inclusive)
	default:
		return algo.Unsupported("%s sums u32 and u64, not %v", h.Name, t)
	}
	return nil
}
