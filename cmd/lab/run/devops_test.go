package run

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/op"
)

// merger makes a device algorithm that merges runs of u32 keys: f gets both and the result with
// everything that follows it in its buffer.
func merger(drv *fake.Driver, f func(a, b, result []uint32, n int)) algo.Algorithm {
	return operator(drv, "merger", op.Merge, func(b *fake.Block) {
		x, y := int(b.Uint(3)), int(b.Uint(4))
		f(fake.Slice[uint32](b, 0)[:x], fake.Slice[uint32](b, 1)[:y], fake.Slice[uint32](b, 2), x+y)
	})
}

// TestOperationsOnDevice: an operation in a device's memory is measured; a wrong result, and a
// word written behind it, fail the cell.
func TestOperationsOnDevice(t *testing.T) {
	merge := func(a, b, result []uint32, n int) {
		copy(result, a)
		copy(result[len(a):], b)
		slices.Sort(result[:n])
	}
	for _, c := range []struct {
		name, why string
		f         func(a, b, result []uint32, n int)
	}{
		{"honest", "", merge},
		{"wrong", "key 7 is", func(a, b, result []uint32, n int) { merge(a, b, result, n); result[7]++ }},
		{"outside", "wrote outside the result buffer", func(a, b, result []uint32, n int) { merge(a, b, result, n); result[n+1] = 1 }},
	} {
		drv := newFake()
		l := newLab(drv, []algo.Algorithm{merger(drv, c.f)}, "Algo=auto", "Op=merge", "Segments=2")
		l.run(t)
		if len(l.records) != 1 {
			t.Fatalf("%s: %d records", c.name, len(l.records))
		}
		r := l.records[0]
		switch want := map[bool]result.Status{true: result.OK, false: result.Failed}[c.why == ""]; {
		case r.Status != want || !strings.Contains(r.Reason, c.why):
			t.Errorf("%s: %s: %s", c.name, r.Status, r.Reason)
		case c.why == "" && (len(r.DeviceNS) < 7 || r.Chosen != "merger" || r.Launches != 1):
			t.Errorf("%s: %+v", c.name, r)
		}
		if drv.Live() != 0 {
			t.Errorf("%s: %d objects of the device are left", c.name, drv.Live())
		}
	}
}

// orderer makes a device algorithm that orders strings of 16 bytes in one plan, without lists: f
// gets the bytes and the offsets, and the positions with everything that follows them in their
// buffer.
func orderer(drv *fake.Driver, f func(text []byte, offsets, positions []uint32, n int)) algo.Algorithm {
	return operator(drv, "orderer", op.Strings, func(b *fake.Block) {
		n := int(b.Uint(3))
		f(fake.Slice[byte](b, 0)[:16*n], fake.Slice[uint32](b, 2)[:n+1], fake.Slice[uint32](b, 1), n)
	})
}

// TestStringsOnDevice: the order of strings in a device's memory is measured by the host's clock; a
// wrong order, a word behind it and a changed input fail the cell. Before anything runs a cell says
// what it cannot have.
func TestStringsOnDevice(t *testing.T) {
	order := func(text []byte, offsets, positions []uint32, n int) {
		for i := range positions[:n] {
			positions[i] = uint32(i)
		}
		slices.SortStableFunc(positions[:n], func(a, b uint32) int {
			return bytes.Compare(text[offsets[a]:offsets[a+1]], text[offsets[b]:offsets[b+1]])
		})
	}
	for _, c := range []struct {
		name, why string
		f         func(text []byte, offsets, positions []uint32, n int)
	}{
		{"honest", "", order},
		{"unordered", "word ", func(text []byte, offsets, positions []uint32, n int) {
			order(text, offsets, positions, n)
			slices.Reverse(positions[:n])
		}},
		{"no place", "of 1000 words", func(text []byte, offsets, positions []uint32, n int) {
			order(text, offsets, positions, n)
			positions[3] = uint32(n)
		}},
		{"outside", "wrote outside the positions buffer", func(text []byte, offsets, positions []uint32, n int) {
			order(text, offsets, positions, n)
			positions[n] = 0
		}},
		{"changes", "changed the bytes", func(text []byte, offsets, positions []uint32, n int) {
			order(text, offsets, positions, n)
			text[5] = '.'
		}},
	} {
		drv := newFake()
		l := newLab(drv, []algo.Algorithm{orderer(drv, c.f)}, "Algo=[auto,radix]", "Op=strings")
		l.o.AbsentAlgos = true
		l.run(t)
		if r := l.find("radix/"); len(r) != 1 || r[0].Status != result.Unsupported {
			t.Errorf("%s: %+v", c.name, r)
		}
		r := l.find("auto/")[0]
		switch want := map[bool]result.Status{true: result.OK, false: result.Failed}[c.why == ""]; {
		case r.Status != want || !strings.Contains(r.Reason, c.why):
			t.Errorf("%s: %s: %s", c.name, r.Status, r.Reason)
		case c.why == "" && (len(r.DeviceNS) < 7 || r.Chosen != "orderer" || r.KeyType != "string"):
			t.Errorf("%s: %+v", c.name, r)
		}
		if drv.Live() != 0 {
			t.Errorf("%s: %d objects of the device are left", c.name, drv.Live())
		}
	}
	drv := newFake()
	l := newLab(drv, []algo.Algorithm{orderer(drv, order)}, "Algo=auto", "Op=[strings,merge]")
	j, err := New(l.o)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for _, e := range j.Estimate() {
		if (e.Refused == nil) != (e.Cell.Op == "strings") {
			t.Errorf("%s: %v", e.Cell.Op, e.Refused)
		}
	}
}
