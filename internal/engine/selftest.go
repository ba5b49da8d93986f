package engine

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// SelfTestResult is one sort of the self-test.
type SelfTestResult struct {
	Device, Algorithm string
	Type              key.Type
	Mode              plan.Mode
	Items             uint64
	Desc              bool
	// Err is nil if the device's output equals the host's. It wraps
	// driver.ErrUnsupported if the device or algorithm cannot sort this.
	Err error
}

// testScope says how much a self-test tries.
type testScope struct {
	types []key.Type
	sizes []uint64
}

// The sizes lie beside a wavefront, one and several tiles, and pass the counts
// that a single block handles.
var (
	shortTest = testScope{[]key.Type{key.U32, key.I64, key.F32}, []uint64{1, 33, 4097, 70001}}
	fullTest  = testScope{
		[]key.Type{key.U8, key.I8, key.U16, key.I16, key.U32, key.I32, key.U64, key.I64, key.F32, key.F64},
		[]uint64{0, 1, 2, 31, 32, 33, 1000, 4095, 4096, 4097, 70001, 300007},
	}
)

// SelfTest sorts small inputs on the named device, on every device and the CPU if
// the name is empty, with every algorithm of the catalogue that may be chosen
// without being named, and compares with the host's sort bit for bit; that itself,
// on the CPU, with one by comparisons. An algorithm is asked for the sizes that it
// supports; a type and mode of which it supports none is one result that says so.
func SelfTest(ctx context.Context, cfg Config) ([]SelfTestResult, error) {
	name := normalDevice(cfg.Device)
	if name == "auto" || name == "cpu" {
		cfg.Device = "cpu"
	}
	e, err := New(Config{Device: cfg.Device, Drivers: cfg.Drivers, Algorithms: cfg.Algorithms, Images: cfg.Images, Logger: cfg.Logger})
	if err != nil {
		return nil, err
	}
	var list []*device
	if cfg.Device != "cpu" {
		list = append(list, e.chosen...)
	} else if name == "auto" {
		all, err := e.devices()
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		for _, d := range all {
			list = append(list, e.know(d))
		}
	}
	var out []SelfTestResult
	if cfg.Device == "cpu" {
		out = testHost(ctx, e.host.Name, fullTest)
	}
	for _, d := range list {
		out = append(out, d.selfTest(ctx, fullTest)...)
	}
	return out, errors.Join(ctx.Err(), e.Close())
}

func (d *device) selfTest(ctx context.Context, scope testScope) (out []SelfTestResult) {
	for _, a := range d.e.algorithms() {
		if a.Study {
			continue
		}
		ok := false
		for _, b := range a.Backends {
			ok = ok || b == d.Caps().Backend
		}
		if !ok || d.e.cfg.Algorithm != "" && d.e.cfg.Algorithm != a.Name {
			continue
		}
		for _, t := range scope.types {
			for i, n := range scope.sizes {
				if ctx.Err() != nil {
					return out
				}
				p := testProblem(t, i, n)
				p.Order.EqualZeros = p.Order.EqualZeros && a.Ties
				err := a.Check(p, d.Caps())
				if err != nil && supportsSome(a, p, scope.sizes, d.Caps()) {
					continue // it sorts these, but not so many
				}
				if err == nil {
					j, want := testJob(p)
					var r exec.Result
					err = d.SortWith(ctx, a, j, &r)
					if err == nil {
						err = sameJob(j, want)
					}
				}
				out = append(out, SelfTestResult{d.ID(), a.Name, t, p.Mode, n, p.Order.Desc, err})
			}
		}
	}
	return out
}

// testProblem is the i-th sort of a self-test: n keys of type t.
func testProblem(t key.Type, i int, n uint64) plan.Problem {
	p := plan.Problem{Type: t, Mode: plan.Mode(i % 3), Items: n, Order: key.Order{Desc: i%2 == 1, NaNLast: i%4 < 2, EqualZeros: i%5 < 2}}
	if p.Mode != plan.Keys {
		p.ValueBytes = 4 + 4*(i/3%2)
	}
	return p
}

// supportsSome reports whether a sorts p with one of the numbers of items.
func supportsSome(a algo.Algorithm, p plan.Problem, sizes []uint64, c driver.Caps) bool {
	return slices.ContainsFunc(sizes, func(n uint64) bool {
		p.Items = n
		return a.Check(p, c) == nil
	})
}

// testHost compares the host's sort with one by comparisons.
func testHost(ctx context.Context, name string, scope testScope) (out []SelfTestResult) {
	for _, t := range scope.types {
		for i, n := range scope.sizes {
			if ctx.Err() != nil {
				return out
			}
			p := testProblem(t, i, n)
			j, want := testInput(p), testInput(p)
			SortHost(j)
			bySlices(want)
			err := sameJob(j, want)
			out = append(out, SelfTestResult{"cpu", name, t, p.Mode, n, p.Order.Desc, err})
		}
	}
	return out
}

// bySlices sorts j by the standard library's stable sort of images.
func bySlices(j op.Job) {
	size := j.Type.Bytes()
	keys := unsafe.Slice((*byte)(j.At[op.KeysIO]), j.KeyBytes())
	values := unsafe.Slice((*byte)(j.At[op.ValuesIO]), j.ValuesBytes())
	type item struct{ image, key, value uint64 }
	word := func(b []byte) (u uint64) {
		for i, v := range b { // the word of the host's byte order, whichever that is
			*(*byte)(unsafe.Add(unsafe.Pointer(&u), i)) = v
		}
		return u
	}
	items := make([]item, j.Items)
	for i := range items {
		it := &items[i]
		it.key = word(keys[i*size : (i+1)*size])
		switch p := unsafe.Pointer(&it.key); size {
		case 1:
			it.image = uint64(key.Encode(j.Codec(), *(*uint8)(p)))
		case 2:
			it.image = uint64(key.Encode(j.Codec(), *(*uint16)(p)))
		case 4:
			it.image = uint64(key.Encode(j.Codec(), *(*uint32)(p)))
		default:
			it.image = key.Encode(j.Codec(), it.key)
		}
		switch {
		case j.Mode == plan.Pairs:
			it.value = word(values[i*j.ValueBytes : (i+1)*j.ValueBytes])
		case j.Mode == plan.Argsort && j.ValueBytes == 4:
			*(*uint32)(unsafe.Pointer(&it.value)) = uint32(i)
		case j.Mode == plan.Argsort:
			it.value = uint64(i)
		}
	}
	slices.SortStableFunc(items, func(a, b item) int { return cmp.Compare(a.image, b.image) })
	for i, it := range items {
		if j.Mode != plan.Argsort {
			copy(keys[i*size:(i+1)*size], unsafe.Slice((*byte)(unsafe.Pointer(&it.key)), 8))
		}
		copy(values[i*j.ValueBytes:(i+1)*j.ValueBytes], unsafe.Slice((*byte)(unsafe.Pointer(&it.value)), 8))
	}
}

// testJob makes an input of few distinct and many repeated keys, and a copy
// that the host has sorted.
func testJob(p plan.Problem) (j, want op.Job) {
	j, want = testInput(p), testInput(p)
	SortHost(want)
	return j, want
}

// testInput is the input of testJob. In an order with ties there are zeros and NaNs.
func testInput(p plan.Problem) op.Job {
	k := make([]uint64, (p.KeyBytes()+7)/8+1)
	v := make([]uint64, (p.ValuesBytes()+7)/8+1)
	x := uint64(0x9e3779b97f4a7c15) ^ p.Items
	for i := range k {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		k[i] = x
		if i%3 == 0 && i > 0 {
			k[i] = k[i/2]
		}
		if p.Ties() && i%4 == 1 {
			k[i] = [...]uint64{0, 1 << 63, math.MaxUint64}[i/4%3]
		}
	}
	for i := range v {
		v[i] = uint64(i) * 0x0000000200000002
	}
	return op.Job{Spec: p, At: op.Memory{unsafe.Pointer(&k[0]), unsafe.Pointer(&v[0])}}
}

func sameJob(a, b op.Job) error {
	for _, r := range []struct {
		what string
		a, b unsafe.Pointer
		n    uint64
	}{{"keys", a.At[op.KeysIO], b.At[op.KeysIO], a.KeyBytes()}, {"values", a.At[op.ValuesIO], b.At[op.ValuesIO], a.ValuesBytes()}} {
		if !bytes.Equal(unsafe.Slice((*byte)(r.a), r.n), unsafe.Slice((*byte)(r.b), r.n)) {
			return fmt.Errorf("the device's %s differ from the host's", r.what)
		}
	}
	return nil
}
