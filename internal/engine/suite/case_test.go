package suite

import (
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/plan"
)

// testCase is one sort. Its ID is the one that benchmarks use, too.
type testCase struct {
	algorithm, backend string
	dist               dist.Dist
	p                  plan.Problem
	shift              uint64 // items by which the data is off the buffer's alignment
}

func (c testCase) String() string {
	order := ""
	if c.p.Order.Desc {
		order += "/desc"
	}
	if c.p.Order.NaNLast {
		order += "/nan=last"
	}
	if c.p.Order.EqualZeros {
		order += "/ties"
	}
	return fmt.Sprintf("%s/%s/%v/%v%d%s/%s/n=%d/shift=%d", c.algorithm, c.backend, c.p.Type, c.p.Mode,
		8*c.p.ValueBytes, order, c.dist.Name, c.p.Items, c.shift)
}

func words[U any](b []byte) []U {
	var u U
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))/unsafe.Sizeof(u))
}

// run sorts the case on device memory and checks the result.
func run(r *rig, c testCase) error {
	in := newInput(c)
	defer in.free()
	return in.run(r, c)
}

// input is what a case sorts. It depends on the key type, the distribution, the
// size and the seed alone, and is only read, so that several engines sort the
// same one.
type input struct {
	keys []byte
	n    uint64
}

func newInput(c testCase) input {
	b := getHost(c.p.KeyBytes())
	switch c.p.Type.Bits() {
	case 8:
		dist.Fill(b, c.dist, c.p.Type, seed+c.p.Items)
	case 16:
		dist.Fill(words[uint16](b), c.dist, c.p.Type, seed+c.p.Items)
	case 32:
		dist.Fill(words[uint32](b), c.dist, c.p.Type, seed+c.p.Items)
	default:
		dist.Fill(words[uint64](b), c.dist, c.p.Type, seed+c.p.Items)
	}
	return input{b, c.p.Items}
}

func (in input) free() { putHost(in.keys) }

// run sorts the input, of the case's type and size, on r.
func (in input) run(r *rig, c testCase) error {
	keys, err := newZoned(r, c.p.Items, uint64(c.p.Type.Bytes()), c.shift)
	if err != nil {
		return err
	}
	defer keys.free()
	values := &zoned{}
	if c.p.Mode != plan.Keys {
		if values, err = newZoned(r, c.p.Items, uint64(c.p.ValueBytes), c.shift); err != nil {
			return err
		}
		defer values.free()
	}
	if err := once(r, c, in, keys, values); err != nil {
		return err
	}
	return judge(c, in.keys, keys.data(), valuesOf(values))
}

// positions writes 0, 1, 2, … in words of 4 or 8 bytes.
func positions(b []byte, width int) {
	if width == 4 {
		for i, v := 0, words[uint32](b); i < len(v); i++ {
			v[i] = uint32(i)
		}
		return
	}
	for i, v := 0, words[uint64](b); i < len(v); i++ {
		v[i] = uint64(i)
	}
}
