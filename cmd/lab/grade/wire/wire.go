// Package wire is what the grader and the process of a submission share: the
// job, the frames on the two pipes, and the layout of the shared memory.
package wire

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/gpusort/gpusort/internal/op"
)

// The files that the child inherits behind standard error, and how many they are.
const (
	FDIn   = 3 // frames from the grader
	FDOut  = 4 // frames to the grader
	FDMem  = 5 // shared memory of Layout.Bytes
	FDCode = 6 // the submission's code, read-only
	Files  = FDCode - FDIn + 1
)

// Job says what the child measures. It is the text of the first frame.
type Job struct {
	Kind   string  `json:"kind"`   // cl, cubin, so, reference, copy or nothing
	Name   string  `json:"name"`   // of the submission's file, for messages
	Device string  `json:"device"` // "cpu" or a device ID
	Spec   op.Spec `json:"spec"`
	Stable bool    `json:"stable"` // pairs and argsort: equal keys keep their order
	// Threads is how many threads a host sort is told to use; 0 is all.
	Threads int `json:"threads"`
	// TempLimit is the room of the temporary region.
	TempLimit uint64 `json:"temp_limit"`
	Sorter    string `json:"sorter"` // so: name; empty for the first that fits
	Algo      string `json:"algo"`   // reference: catalogue name; empty for the first that fits
	// Whole says that the way to a device and back belongs to OpSort, because
	// code of the submission can run in the child.
	Whole   bool `json:"whole"`
	Confine bool `json:"confine"`
	GPU     bool `json:"gpu"` // the device is a graphics card
}

// Info is what the child says of a prepared job. It is the text of the answer to
// OpPrepare. The grader believes it of its own code alone.
type Info struct {
	Sorter   string   `json:"sorter,omitempty"`
	Temp     uint64   `json:"temp_bytes"`
	Launches int      `json:"launches,omitempty"` // 0: unknown
	Kernels  []Kernel `json:"kernels,omitempty"`
	// NoOccupancy says why kernels have none.
	NoOccupancy string `json:"no_occupancy,omitempty"`
}

// Kernel is one kernel with one geometry.
type Kernel struct {
	Name        string  `json:"name"`
	Threads     int     `json:"threads"`
	Blocks      uint64  `json:"blocks"` // of the greatest launch
	Launches    int     `json:"launches"`
	Registers   int     `json:"registers,omitempty"`
	SharedBytes int     `json:"shared_bytes,omitempty"`
	LocalBytes  int     `json:"local_bytes,omitempty"`
	Occupancy   float64 `json:"occupancy,omitempty"` // theoretical, mean over the launches
	Limiter     string  `json:"limiter,omitempty"`
}

// Op is the kind of a frame.
type Op uint32

// The frames. The child answers each of the grader's with the same Op and
// Nonce, or with OpError and a text.
const (
	OpOpen    Op = 1 + iota // Text: Job; the device is opened, rights are given up
	OpPrepare               // code is loaded; answer's Text: Info
	OpLoad                  // bring the input from shared memory to the device
	OpSort                  // answer: A 1 if the result is in the alternate buffers
	OpFetch                 // bring result and guards back to shared memory
	OpError                 // Text: why; A: 1 if the code cannot be loaded, for whatever n
)

// Frame is one message.
type Frame struct {
	Op    Op
	Nonce [16]byte
	A     uint64
	Text  []byte
}

const (
	head    = 32
	maxText = 1 << 18
)

// Write sends f.
func (f Frame) Write(w io.Writer) error {
	b := make([]byte, head, head+len(f.Text))
	binary.LittleEndian.PutUint32(b, uint32(f.Op))
	binary.LittleEndian.PutUint32(b[4:], uint32(min(len(f.Text), maxText)))
	copy(b[8:], f.Nonce[:])
	binary.LittleEndian.PutUint64(b[24:], f.A)
	_, err := w.Write(append(b, f.Text[:min(len(f.Text), maxText)]...))
	return err
}

// Read receives a frame.
func Read(r io.Reader) (f Frame, err error) {
	var b [head]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return f, err
	}
	f.Op = Op(binary.LittleEndian.Uint32(b[:]))
	n := binary.LittleEndian.Uint32(b[4:])
	if n > maxText {
		return f, fmt.Errorf("a message of %d bytes", n)
	}
	copy(f.Nonce[:], b[8:])
	f.A = binary.LittleEndian.Uint64(b[24:])
	f.Text = make([]byte, n)
	_, err = io.ReadFull(r, f.Text)
	return f, err
}

// Guard is the number of guard bytes before and behind each region: a multiple
// of a page and of every vendor's alignment.
const Guard = 4096

// Region is a range of the shared memory; guards lie on both sides.
type Region struct{ Off, Bytes uint64 }

// Layout is where the regions of a job lie.
type Layout struct {
	Keys, Alt, Values, ValuesAlt, Temp Region
	Bytes                              uint64 // in all
}

// LayoutOf places the regions of j. Temp.Bytes is the limit; what of it is used
// is Info.Temp, and the guard behind it begins there.
func LayoutOf(j Job) Layout {
	var l Layout
	place := func(n uint64) Region {
		r := Region{l.Bytes + Guard, n}
		l.Bytes += Guard + (n+Guard-1)/Guard*Guard + Guard
		return r
	}
	keys, values := j.Spec.KeyBytes(), j.Spec.ValuesBytes()
	l.Keys, l.Alt, l.Values, l.ValuesAlt, l.Temp = place(keys), place(keys), place(values), place(values), place(j.TempLimit)
	return l
}
