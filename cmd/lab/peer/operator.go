package peer

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/op"
)

// Operator is what a library has for operations besides sorts, under one name. One
// goroutine uses a library at a time.
type Operator struct {
	Name, Doc, Version string
	Library            *Library
	index              uint32
}

// Memory of an operation: the addresses of its regions, by op.Region. Number is 8 bytes of
// device memory, zero before. Segments may be left in Spare, which has room for the keys.
type OperatorMemory struct {
	At                  [op.MostRegions]uintptr
	Spare, Temp, Number uintptr
	TempBytes           uint64
	Stream              uintptr
}

// failedTo is the error of a code that the library returned for s.
func (o Operator) failedTo(s op.Spec, code int32, reason string) error {
	return fmt.Errorf("peer %s: %s: %s (code %d)", o.Name, s.Words(), reason, code)
}
