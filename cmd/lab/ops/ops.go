// Package ops has the operations around sorting (the k smallest, distinct
// values, merges, …), each beside what a Go programmer would write with package slices
// or a loop, on inputs that it makes and with results that it checks.
package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/key"
)

// Sort is the operation that is no other.
const Sort = "sort"

// The contenders of every operation.
const (
	Ours = "cpu" // package gpusort/cpu
	Go   = "go"  // package slices, a map, or a loop
)

// Operation describes one.
type Operation struct {
	Name string
	Call string // of package gpusort
	Peer string // what the Go contender does
	Doc  string
	// Cost says how long it takes and what memory it needs, for n items.
	Cost                   string
	Segments, K, StringLen uint64 // the defaults of what it takes; 0: it takes none
	middle                 bool   // K is n/2 by default
	make                   func(Spec) Work
}

// Spec is an operation on an input.
type Spec struct {
	Op          string
	Type        key.Type // of numbers
	Items       uint64
	Segments, K uint64
	StringLen   uint64
	Dist        dist.Dist
	Max         uint64 // keys are taken modulo Max+1; 0: as they are
}

// Work is an operation with its input.
type Work interface {
	// Draw makes the input of a seed, and what must come out.
	Draw(seed uint64) error
	// Run does it once by one of the contenders, with so many workers (0: one for each
	// processor), on a fresh copy of the input. It returns how long that took by the
	// clock, the copy left out, and what is wrong with the result.
	Run(ctx context.Context, by string, workers int, now func() time.Time) (time.Duration, error)
}

// All are the operations, in the order of the documentation.
func All() []Operation { return slices.Clone(table) }

// Names are the names of all operations, that of Sort first.
func Names() []string {
	out := []string{Sort}
	for _, o := range table {
		out = append(out, o.Name)
	}
	return out
}

// Find returns the operation of that name.
func Find(name string) (Operation, error) {
	for _, o := range table {
		if o.Name == name {
			return o, nil
		}
	}
	return Operation{}, fmt.Errorf("unknown operation %q: known are %s", name, strings.Join(Names(), ", "))
}

// Complete checks a spec and gives what it leaves open its default; what the operation
// does not take is an error.
func (s Spec) Complete() (Spec, error) {
	o, err := Find(s.Op)
	if err != nil {
		return s, err
	}
	for _, x := range []struct {
		name  string
		value *uint64
		std   uint64
	}{{"Segments", &s.Segments, o.Segments}, {"K", &s.K, o.K}, {"StringLen", &s.StringLen, o.StringLen}} {
		switch {
		case *x.value != 0 && x.std == 0:
			return s, fmt.Errorf("%s takes no %s", s.Op, x.name)
		case *x.value == 0:
			*x.value = x.std
		}
		if x.name == "K" && o.middle && *x.value == middle {
			*x.value = max(1, s.Items/2)
		}
	}
	if s.Op == "select" && s.K > s.Items {
		return s, fmt.Errorf("select: K is %d of %d items: the first is 1", s.K, s.Items)
	}
	return s, nil
}

// middle stands for half of the items.
const middle = 1 << 62

// New makes the operation of a complete spec.
func New(s Spec) (Work, error) {
	o, err := Find(s.Op)
	if err != nil {
		return nil, err
	}
	return o.make(s), nil
}

// Words says what a cell of the operation is about: "topk of 10".
func (s Spec) Words() string {
	switch {
	case s.Segments != 0 && s.Op == "merge":
		return fmt.Sprintf("merge of %d runs", s.Segments)
	case s.Segments != 0:
		return fmt.Sprintf("%s, %d segments", s.Op, s.Segments)
	case s.K != 0:
		return fmt.Sprintf("%s of %d", s.Op, s.K)
	case s.StringLen != 0:
		return fmt.Sprintf("%s of %d bytes", s.Op, s.StringLen)
	}
	return s.Op
}
