package suite

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"sync"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/dispatch"
	"github.com/gpusort/gpusort/internal/dist"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/verify"
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
	return fmt.Sprintf("%s/%s/%v/%v%d%s/%s/n=%d/shift=%d", c.algorithm, c.backend, c.p.Type, c.p.Mode,
		8*c.p.ValueBytes, order, c.dist.Name, c.p.Items, c.shift)
}

// guard is the red zone around a region, in bytes.
const guard = 1024

// engines are shared by the cases of one device and algorithm.
func open(t *testing.T, device, algorithm string) *dispatch.Engine {
	t.Helper()
	e, err := dispatch.New(dispatch.Config{Device: device, Algorithm: algorithm, Poison: device != "cpu"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close of the engine: %v", err)
		}
	})
	return e
}

// zoned is memory with red zones around items that lie shift items off.
type zoned struct {
	m    *dispatch.Memory
	r    dispatch.Region
	want []byte // the whole memory as it was uploaded
}

func newZoned(e *dispatch.Engine, items, itemBytes, shift uint64) (*zoned, error) {
	n := items * itemBytes
	total := (guard + shift*itemBytes + n + guard + 7) &^ 7
	m, err := e.Alloc(total)
	if err != nil {
		return nil, err
	}
	z := &zoned{m: m, want: unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(make([]uint64, total/8)))), total)}
	for i := range z.want {
		z.want[i] = 0xe9
	}
	z.r = dispatch.Region{M: m, Off: guard + shift*itemBytes, Bytes: n}
	return z, nil
}

func (z *zoned) data() []byte { return z.want[z.r.Off : z.r.Off+z.r.Bytes] }

func (z *zoned) all() dispatch.Region {
	return dispatch.Region{M: z.m, Bytes: uint64(len(z.want))}
}

func (z *zoned) upload() error {
	return z.all().Upload(context.Background(), unsafe.Pointer(unsafe.SliceData(z.want)))
}

// download returns the data and an error if a red zone was written.
func (z *zoned) download() ([]byte, error) {
	got := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(make([]uint64, len(z.want)/8)))), len(z.want))
	if err := z.all().Download(context.Background(), unsafe.Pointer(unsafe.SliceData(got))); err != nil {
		return nil, err
	}
	end := z.r.Off + z.r.Bytes
	if !bytes.Equal(got[:z.r.Off], z.want[:z.r.Off]) {
		return nil, fmt.Errorf("the red zone in front was written")
	}
	if !bytes.Equal(got[end:], z.want[end:]) {
		return nil, fmt.Errorf("the red zone behind was written")
	}
	return got[z.r.Off:end:end], nil
}

func words[U any](b []byte) []U {
	var u U
	return unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b))/unsafe.Sizeof(u))
}

// run sorts the case on device memory and checks the result with the oracles.
func run(e *dispatch.Engine, c testCase) error {
	switch c.p.Type.Bits() {
	case 8:
		return runKeys[uint8](e, c)
	case 16:
		return runKeys[uint16](e, c)
	case 32:
		return runKeys[uint32](e, c)
	}
	return runKeys[uint64](e, c)
}

func runKeys[U key.Word](e *dispatch.Engine, c testCase) error {
	if c.p.ValueBytes == 8 {
		return runWords[U, uint64](e, c)
	}
	return runWords[U, uint32](e, c)
}

func runWords[U key.Word, V uint32 | uint64](e *dispatch.Engine, c testCase) error {
	keys, err := newZoned(e, c.p.Items, uint64(c.p.Type.Bytes()), c.shift)
	if err != nil {
		return err
	}
	defer keys.m.Close()
	in := words[U](keys.data())
	dist.Fill(in, c.dist, c.p.Type, seed+c.p.Items)
	if err := keys.upload(); err != nil {
		return err
	}
	var values *zoned
	var at dispatch.Region
	if c.p.Mode != plan.Keys {
		if values, err = newZoned(e, c.p.Items, uint64(c.p.ValueBytes), c.shift); err != nil {
			return err
		}
		defer values.m.Close()
		for i, v := 0, words[V](values.data()); i < len(v) && c.p.Mode == plan.Pairs; i++ {
			v[i] = V(i)
		}
		if err := values.upload(); err != nil {
			return err
		}
		at = values.r
	}
	if _, err := e.SortRegions(context.Background(), c.p, keys.r, at); err != nil {
		return err
	}
	outBytes, err := keys.download()
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	var valueBytes []byte
	if values != nil {
		if valueBytes, err = values.download(); err != nil {
			return fmt.Errorf("values: %w", err)
		}
	}
	out, v := words[U](outBytes), words[V](valueBytes)
	switch c.p.Mode {
	case plan.Keys:
		err = verify.Keys(in, out, c.p.Codec())
		if err == nil && len(in) <= referenceItems {
			ref := append([]U(nil), in...)
			verify.SortKeys(ref, c.p.Type, c.p.Order)
			err = same(out, ref)
		}
	case plan.Pairs:
		err = verify.Pairs(in, out, v, c.p.Codec())
	case plan.Argsort:
		if err = same(out, in); err == nil {
			err = verify.Argsort(in, v, c.p.Codec())
		}
	}
	if err != nil {
		return err
	}
	return metamorphic(c, outBytes, valueBytes)
}

// referenceItems is the size up to which outputs are compared with a sort by
// comparisons, too.
const referenceItems = 2048

func same[U comparable](got, want []U) error {
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("position %d holds %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

// outputs holds a digest per input, whoever sorted it first.
var (
	outputs   sync.Map
	hashBasis = maphash.MakeSeed()
)

type digest struct {
	hash uint64
	by   string
}

// metamorphic compares the output bits with those of the same input sorted by
// another algorithm, device or path.
func metamorphic(c testCase, out, values []byte) error {
	id := c
	id.algorithm, id.backend, id.shift = "", "", 0
	var h maphash.Hash
	h.SetSeed(hashBasis)
	h.Write(out)
	h.Write(values)
	mine := digest{h.Sum64(), c.String()}
	first, _ := outputs.LoadOrStore(id.String(), mine)
	if f := first.(digest); f.hash != mine.hash {
		return fmt.Errorf("the output differs from that of %s", f.by)
	}
	return nil
}
