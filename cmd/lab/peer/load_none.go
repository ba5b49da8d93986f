//go:build nogpu || android || !(linux || darwin || freebsd || windows) || !(amd64 || arm64)

package peer

import (
	"fmt"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/op"
)

// Library is a loaded library; this build loads none.
type Library struct {
	Path      string
	Operators []Operator
}

// Sorter is one sorter of a library; this build has none.
type Sorter struct {
	Info
	Library *Library
}

// Load says that this build cannot load libraries.
func Load(path string) (*Library, []Sorter, error) {
	return nil, nil, fmt.Errorf("peer library %s: %w: this build cannot load libraries (nogpu tag or platform)", path, driver.ErrUnsupported)
}

// TempBytes is never called, because there is no Sorter.
func (s Sorter) TempBytes(Problem) (uint64, error) { return 0, driver.ErrUnsupported }

// Sort is never called, because there is no Sorter.
func (s Sorter) Sort(Problem, Buffers) (bool, error) { return false, driver.ErrUnsupported }

// TempBytes is never called, because there is no Operator.
func (o Operator) TempBytes(op.Spec, int) (uint64, bool, error) { return 0, false, nil }

// Operate is never called, because there is no Operator.
func (o Operator) Operate(op.Spec, int, OperatorMemory) (bool, error) {
	return false, driver.ErrUnsupported
}
