// Package peer loads shared libraries of sorters written by others, to be
// measured beside our own. The interface is include/gpusort_peer.h.
//
// A library is code that runs in this process: it is loaded only from a path
// that the user names in a flag or in the environment variable GPUSORT_PEERS,
// never searched for.
package peer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// EnvPeers names the environment variable that lists libraries, separated as
// in PATH.
const EnvPeers = "GPUSORT_PEERS"

// ABI is the version of include/gpusort_peer.h that this package speaks.
const ABI = 1

// Memory says where a sorter wants its data.
type Memory uint32

// The kinds of memory.
const (
	Host Memory = 1
	CUDA Memory = 2
)

func (m Memory) String() string {
	switch m {
	case Host:
		return "cpu"
	case CUDA:
		return "cuda"
	}
	return fmt.Sprintf("peer.Memory(%d)", uint32(m))
}

// Flags are the properties of a sorter.
type Flags uint32

// The flags, as in the header.
const (
	Stable     Flags = 1
	Desc       Flags = 2
	TotalOrder Flags = 4
	Alternate  Flags = 8
	Parallel   Flags = 16
)

// Info is what a library says of one sorter.
type Info struct {
	Name, Doc, Version string
	Memory             Memory
	KeyTypes           uint32 // bit per key.Type
	PairTypes          uint32 // of Pairs and Argsort
	Modes              uint32 // bit per plan.Mode
	ValueBytes         uint32 // sum of the widths taken
	Flags              Flags
	MaxItems           uint64
}

// Supports says why the sorter cannot be given p, or returns nil. Floats may
// still be refused for their values: see Flags.TotalOrder.
func (i Info) Supports(p plan.Problem) error {
	types := i.KeyTypes
	if p.Mode != plan.Keys {
		types = i.PairTypes
	}
	switch {
	case i.Modes&(1<<p.Mode) == 0:
		return fmt.Errorf("%s has no mode %v", i.Name, p.Mode)
	case types&(1<<p.Type) == 0:
		return fmt.Errorf("%s does not sort %v %v", i.Name, p.Type, p.Mode)
	case p.Mode != plan.Keys && i.ValueBytes&uint32(p.ValueBytes) == 0:
		return fmt.Errorf("%s does not take values of %d bytes", i.Name, p.ValueBytes)
	case p.Mode != plan.Keys && i.Flags&Stable == 0:
		return fmt.Errorf("%s is not stable", i.Name)
	case p.Order.Desc && i.Flags&Desc == 0:
		return fmt.Errorf("%s only sorts ascending", i.Name)
	case p.Order.NaNLast && p.Type.Row().Kind == key.Float && i.Flags&TotalOrder != 0:
		return fmt.Errorf("%s puts NaN first", i.Name)
	case p.Ties():
		return fmt.Errorf("%s may tell -0 from +0, and NaNs from each other", i.Name)
	case i.MaxItems != 0 && p.Items > i.MaxItems:
		return fmt.Errorf("%s sorts at most %d items", i.Name, i.MaxItems)
	}
	return nil
}

// Split returns the paths that a flag names: each of its values is what
// GPUSORT_PEERS takes, a list with the system's separator, or one with commas. A
// comma belongs to the path of a file that exists.
func Split(flag []string) (out []string) {
	for _, v := range flag {
		for _, p := range filepath.SplitList(v) {
			if _, err := os.Stat(p); err == nil {
				out = append(out, p)
				continue
			}
			out = append(out, strings.Split(p, ",")...)
		}
	}
	return out
}

// Paths returns the libraries to load: those of the flag or, without any,
// those of GPUSORT_PEERS. Every path must be absolute or contain a separator,
// because a bare name would be searched for by the loader.
func Paths(flag []string) ([]string, error) {
	list := Split(flag)
	if len(list) == 0 {
		list = filepath.SplitList(os.Getenv(EnvPeers))
	}
	var out []string
	for _, p := range list {
		if p == "" {
			continue
		}
		if !strings.ContainsAny(p, `/\`) {
			return nil, fmt.Errorf("peer library %q: give a path, such as ./%s: a bare name would be searched for", p, p)
		}
		abs, err := filepath.Abs(p)
		if err != nil {
			return nil, fmt.Errorf("peer library %q: %w", p, err)
		}
		if _, err := os.Stat(abs); err != nil {
			return nil, fmt.Errorf("peer library: %w", err)
		}
		out = append(out, abs)
	}
	return out, nil
}

// Problem is a plan.Problem with what a library must know besides.
type Problem struct {
	plan.Problem
	// Device is the CUDA ordinal; it is passed as −1 to host sorters.
	Device int
	// Threads bounds a host sorter's threads; 0 is no bound.
	Threads int
}

// Buffers are the addresses of a sort, in the memory that Info.Memory says.
// The caller keeps host memory alive and in place during Sort.
type Buffers struct {
	Keys, KeysAlt, Values, ValuesAlt, Temp uintptr
	TempBytes                              uint64
	Stream                                 uintptr
}
