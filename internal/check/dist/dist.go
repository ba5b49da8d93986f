// Package dist holds the seeded input generators: one row of Table per
// distribution, each able to fill keys of every type of package key.
//
// Keys are written as bit patterns. Equal distribution, type, length and seed
// give equal bits on every machine and for every number of workers: only
// integer arithmetic and exact float conversions are used, and random numbers
// come from one stream per block of BlockItems positions.
//
// Where a distribution speaks of order ("sorted", "reverse"), it means the
// ascending order of docs/order.md. Distributions that only shape values leave
// NaN out; entropy levels and "specials" produce NaN on purpose.
package dist

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
)

// BlockItems is the number of consecutive positions that share a random
// stream. Changing it changes the bits of every random distribution.
const BlockItems = 4096

// Dist is one row of the table.
type Dist struct {
	Name string // as flags and case IDs spell it
	Doc  string // one line for tables, with the source where there is one

	// fill writes the bit patterns of positions lo … lo+len(out)−1, in the low
	// bits of each word. lo is a multiple of BlockItems and len(out) at most
	// BlockItems.
	fill func(g *gen, lo uint64, out []uint64)
}

// Table returns a copy of all rows.
func Table() []Dist { return append([]Dist(nil), table...) }

// Names returns the names of all rows, in table order.
func Names() []string {
	names := make([]string, len(table))
	for i, d := range table {
		names[i] = d.Name
	}
	return names
}

// Find returns the row of a name, or what Below makes for a name such as
// "max-255". The error lists the known names.
func Find(name string) (Dist, error) {
	for _, d := range table {
		if d.Name == name {
			return d, nil
		}
	}
	if d, ok := findBelow(name); ok {
		return d, nil
	}
	return Dist{}, fmt.Errorf("unknown distribution %q: known are %s, and max-N", name, strings.Join(Names(), ", "))
}

// Must is Find for names that are constants of the program. It panics if the
// name is unknown.
func Must(name string) Dist {
	d, err := Find(name)
	if err != nil {
		panic("dist: " + err.Error())
	}
	return d
}

// Fill writes len(x) keys of type t as bit patterns, on all processors. It
// panics if U has not the width of t.
func Fill[U key.Word](x []U, d Dist, t key.Type, seed uint64) {
	FillPart(x, 0, uint64(len(x)), d, t, seed)
}

// FillKeys is Fill for a slice of keys.
func FillKeys[T key.Key](x []T, d Dist, seed uint64) {
	t, p := key.Of[T](), unsafe.Pointer(unsafe.SliceData(x))
	FillAt(p, len(x), 0, uint64(len(x)), d, t, seed)
}

// FillAt is FillPart for items keys of type t at p, which is aligned for t.
func FillAt(p unsafe.Pointer, items int, lo, n uint64, d Dist, t key.Type, seed uint64) {
	key.ByWidth(t.Bytes(), fillAt[uint8], fillAt[uint16], fillAt[uint32], fillAt[uint64])(p, items, lo, n, d, t, seed)
}

func fillAt[U key.Word](p unsafe.Pointer, items int, lo, n uint64, d Dist, t key.Type, seed uint64) {
	FillPart(unsafe.Slice((*U)(p), items), lo, n, d, t, seed)
}

// FillPart writes positions lo … lo+len(x)−1 of the n keys that Fill would
// write into a slice of n, so that an input larger than memory can be made in
// parts. It panics if lo is no multiple of BlockItems, if the part reaches
// past n, or if U has not the width of t.
func FillPart[U key.Word](x []U, lo, n uint64, d Dist, t key.Type, seed uint64) {
	var zero U
	if int(unsafe.Sizeof(zero)) != t.Bytes() {
		panic(fmt.Sprintf("dist: %d-byte words for keys of type %v", unsafe.Sizeof(zero), t))
	}
	if lo%BlockItems != 0 || lo+uint64(len(x)) > n {
		panic(fmt.Sprintf("dist: part %d … %d of %d", lo, lo+uint64(len(x)), n))
	}
	blocks := (len(x) + BlockItems - 1) / BlockItems
	workers := min(runtime.GOMAXPROCS(0), blocks)
	var next atomic.Int64
	work := func() {
		g := newGen(t, n, seed)
		var buf [BlockItems]uint64
		for {
			b := int(next.Add(1)) - 1
			if b >= blocks {
				return
			}
			i := b * BlockItems
			dst := x[i:min(i+BlockItems, len(x))]
			out := buf[:len(dst)]
			g.seek((lo + uint64(i)) / BlockItems)
			d.fill(g, lo+uint64(i), out)
			for j, v := range out {
				dst[j] = U(v)
			}
		}
	}
	if workers <= 1 {
		work()
		return
	}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(work)
	}
	wg.Wait()
}
