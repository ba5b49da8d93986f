package run

import (
	"context"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/op"
)

// bench is where the contenders of one group run: a device or the host, with
// the input and the buffers that they share.
type bench interface {
	// add prepares a cell's algorithm. An error that wraps
	// driver.ErrUnsupported makes the cell unsupported.
	add(c result.Cell) (contender, error)
	// allocate makes input and buffers, when all contenders are known. It
	// returns what the input is like for every later refusal.
	allocate() (*input, error)
	// refresh makes the input of a later round in the same buffers, outside of all
	// that is timed.
	refresh(round int) (*input, error)
	// clocks reads the state of the device, or nil where nothing tells.
	clocks() *result.Clocks
	close() error
}

// contender is one algorithm, prepared.
type contender interface {
	// describe fills the record's fields that are known before a run.
	describe(r *result.Record)
	// ready says why this input cannot be given to the algorithm.
	ready(in *input) error
	// sample sorts a fresh copy of the input once. With endToEnd the times of a
	// second, whole sort with transfers is measured as well.
	sample(ctx context.Context, endToEnd bool) (times, error)
}

// times are one turn's measurements in nanoseconds; 0 is not measured. The
// outputs are valid until the next turn.
type times struct {
	device, wall int64
	host         int64  // part of device, in the sort's own host steps
	cpu          int64  // processor time of a program
	peak, file   uint64 // bytes: the most memory of a program, 0 for unknown, and of its input
	behind       bool   // the device had begun the sort before the host had queued all of it: see result.Record.Behind
	outputs      []output
}

// output is what a sort, or a prefix sum, left behind, in host memory.
type output struct {
	keys, values unsafe.Pointer
	result       op.Kind
}
