//go:build amd64 || arm64

package grade

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/internal/check/dist"
	"github.com/gpusort/gpusort/internal/check/verify"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// input is what one run sorts, and what came back, in memory that no other
// process sees.
type input struct {
	spec                           op.Spec
	stable                         bool
	keys, values, outKeys, outVals []byte
	pattern                        []byte   // of the guards, new in every run
	carried                        scramble // the values of pairs, new in every run
}

func newInput(j wire.Job, stable bool) *input {
	keys, values := int(j.Spec.KeyBytes()), int(j.Spec.ValuesBytes())
	in := &input{spec: j.Spec, stable: stable, pattern: make([]byte, wire.Guard)}
	in.keys, in.outKeys = words(keys), words(keys)
	in.values, in.outVals = words(values), words(values)
	return in
}

// words makes room for n bytes at a place that suits all keys.
func words(n int) []byte {
	w := make([]uint64, n/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), n)
}

// view sees bytes as words.
func view[U any](b []byte) []U {
	var u U
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(u)))
}

// draw makes a new input.
func (in *input) draw(d dist.Dist, seed uint64) {
	// crypto/rand.Read never fails.
	_, _ = rand.Read(in.pattern)
	dist.FillAt(unsafe.Pointer(unsafe.SliceData(in.keys)), int(in.spec.Items), 0, in.spec.Items, d, in.spec.Type, seed)
	if in.spec.Mode != op.Pairs {
		return
	}
	in.carried = newScramble(in.spec.ValueBytes)
	switch in.spec.ValueBytes {
	case 4:
		fill(view[uint32](in.values), in.carried)
	case 8:
		fill(view[uint64](in.values), in.carried)
	}
}

// fill gives each position its value.
func fill[V uint32 | uint64](values []V, s scramble) {
	for i := range values {
		values[i] = V(s.value(uint64(i)))
	}
}

// regions are the buffers of a job with what of them is used, by name.
func regions(s *session) []region {
	l := s.layout
	return []region{
		{"keys", l.Keys, l.Keys.Bytes}, {"keys_alt", l.Alt, l.Alt.Bytes},
		{"values", l.Values, l.Values.Bytes}, {"values_alt", l.ValuesAlt, l.ValuesAlt.Bytes},
		{"temp", l.Temp, s.info.Temp},
	}
}

type region struct {
	name string
	r    wire.Region
	used uint64
}

// hand puts the input, and guards around every buffer, where the child sees
// them.
func (in *input) hand(s *session) {
	for _, x := range regions(s) {
		copy(s.mem[x.r.Off-wire.Guard:x.r.Off], in.pattern)
		copy(s.mem[x.r.Off+x.used:][:wire.Guard], in.pattern)
	}
	copy(s.mem[s.layout.Keys.Off:], in.keys)
	if in.spec.Mode == op.Pairs {
		copy(s.mem[s.layout.Values.Off:], in.values)
	}
}

// take copies the result. The error is a guard that was written.
func (in *input) take(s *session, alternate bool) error {
	keys, values := s.layout.Keys, s.layout.Values
	if alternate {
		keys, values = s.layout.Alt, s.layout.ValuesAlt
	}
	copy(in.outKeys, s.mem[keys.Off:][:keys.Bytes])
	copy(in.outVals, s.mem[values.Off:][:values.Bytes])
	for _, x := range regions(s) {
		if at, bad := broken(s.mem, x.r, x.used, in.pattern); bad {
			return Cheat{fmt.Sprintf("wrote outside a buffer: byte %d of %s, which has %d", at, x.name, x.used)}
		}
	}
	return nil
}

// broken says which byte outside a region was written, counted from its first
// byte, if any.
func broken(mem []byte, r wire.Region, used uint64, pattern []byte) (int64, bool) {
	for _, at := range []uint64{r.Off - wire.Guard, r.Off + used} {
		zone := slices.Clone(mem[at : at+wire.Guard])
		if bytes.Equal(zone, pattern) {
			continue
		}
		for i := range zone {
			if zone[i] != pattern[i] {
				return int64(at) - int64(r.Off) + int64(i), true
			}
		}
	}
	return 0, false
}

// check says what is wrong with the result, if anything.
func (in *input) check() error {
	return key.ByWidth(in.spec.Type.Bytes(), checkKeys[uint8], checkKeys[uint16], checkKeys[uint32], checkKeys[uint64])(in)
}

func checkKeys[U key.Word](in *input) error {
	switch {
	case in.spec.Mode == op.Keys:
		if err := inOrder(in, view[U](in.outKeys)); err != nil {
			return err
		}
		if verify.Multiset(view[U](in.outKeys)) != verify.Multiset(view[U](in.keys)) {
			return fmt.Errorf("in order, but not the keys of the input: some were lost, made up or changed")
		}
		return nil
	case in.spec.ValueBytes == 8:
		return checkValues[U, uint64](in)
	}
	return checkValues[U, uint32](in)
}

func inOrder[U key.Word](in *input, x []U) error {
	if i := verify.FirstDisorder(x, in.spec.Codec()); i >= 0 {
		return fmt.Errorf("out of order at position %d", i)
	}
	return nil
}

// checkValues checks pairs, whose values tell positions in the input, and the
// positions that an argsort returns.
func checkValues[U key.Word, V uint32 | uint64](in *input) error {
	before, after, v, c := view[U](in.keys), view[U](in.outKeys), view[V](in.outVals), in.spec.Codec()
	pairs := in.spec.Mode == op.Pairs
	if pairs {
		for i, x := range v {
			v[i] = V(in.carried.position(uint64(x)))
			if uint64(v[i]) >= in.spec.Items {
				return fmt.Errorf("position %d: value %d was not among those of the input", i, x)
			}
		}
	}
	switch {
	case in.stable && pairs:
		return verify.Pairs(before, after, v, c)
	case in.stable:
		return verify.Argsort(before, v, c)
	}
	if err := verify.Permutation(v); err != nil {
		return err
	}
	moved := make([]U, len(v))
	for i, p := range v {
		moved[i] = before[p]
	}
	if err := inOrder(in, moved); err != nil {
		return err
	}
	for i := range moved {
		if pairs && after[i] != moved[i] {
			return fmt.Errorf("position %d: the value of item %d arrived with another key than it left with", i, v[i])
		}
	}
	return nil
}
