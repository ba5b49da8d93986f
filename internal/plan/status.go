package plan

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/gpusort/gpusort/internal/key"
)

// ErrRefused is the class of errors of a sort that looked at its input and
// refused it, with nothing moved: a key above the maximum that was promised.
var ErrRefused = errors.New("input refused")

// StatusBytes is the size of the record at Status.At.
const StatusBytes = 16

// Status is how steps refuse an input that the planner could not see. They
// leave keys and values as they were and write a record in the scratch memory:
// a code in its first 4 bytes, 0 if the input was sorted, and in its last 8
// the bit pattern of one offending key. Whoever runs the plan reads the record
// when the steps have ended and turns it into an error by Plan.Refusal.
//
// An operation that finds a number, such as that of the groups, writes it there
// instead of a key, with code 0.
type Status struct {
	At Ref
	// Refusals holds the message of each code from 1 on. A %s in it stands for
	// the offending key, a %d for a number that is written in its place.
	Refusals []string
}

// Refusal returns the error that a status record asks for, which wraps
// ErrRefused, or nil. The plan has a Status.
func (p Plan) Refusal(code uint32, bits uint64) error {
	if code == 0 {
		return nil
	}
	if int(code) > len(p.Status.Refusals) {
		return fmt.Errorf("%s: %w: the device wrote the unknown code %d", p.Algorithm, ErrRefused, code)
	}
	message := p.Status.Refusals[code-1]
	if strings.Contains(message, "%d") {
		return fmt.Errorf("%s: %w: "+message, p.Algorithm, ErrRefused, bits)
	}
	return fmt.Errorf("%s: %w: "+message, p.Algorithm, ErrRefused, keyText(p.Problem.Type, bits))
}

// keyText writes the key of type t with the given bit pattern.
func keyText(t key.Type, bits uint64) string {
	switch shift := 64 - t.Bits(); {
	case t == key.F32:
		return fmt.Sprint(math.Float32frombits(uint32(bits)))
	case t == key.F64:
		return fmt.Sprint(math.Float64frombits(bits))
	case t.Row().Kind == key.Signed:
		return fmt.Sprint(int64(bits<<shift) >> shift)
	}
	return fmt.Sprint(bits)
}
