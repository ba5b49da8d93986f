package dispatch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/key"
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

// SelfTest sorts small inputs on the named device, on every device if the name
// is empty, with every algorithm of the catalogue that may be chosen without
// being named, and compares with the host's sort bit for bit.
func SelfTest(ctx context.Context, cfg Config) ([]SelfTestResult, error) {
	name := normalDevice(cfg.Device)
	cfg.Device = "cpu"
	if name != "auto" && name != "cpu" {
		cfg.Device = name
	}
	e, err := New(Config{Device: cfg.Device, Drivers: cfg.Drivers, Algorithms: cfg.Algorithms, Images: cfg.Images, Logger: cfg.Logger})
	if err != nil {
		return nil, err
	}
	var list []*session
	if cfg.Device != "cpu" {
		list = append(list, e.sessions[e.cfg.Device])
	} else if name == "auto" {
		all, err := e.devices()
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		for _, d := range all {
			s := newSession(e, d)
			e.sessions[s.id] = s
			list = append(list, s)
		}
	}
	var out []SelfTestResult
	for _, s := range list {
		out = append(out, s.selfTest(ctx, fullTest)...)
	}
	return out, errors.Join(ctx.Err(), e.Close())
}

func (s *session) selfTest(ctx context.Context, scope testScope) (out []SelfTestResult) {
	for _, a := range s.e.algorithms() {
		if a.Study {
			continue
		}
		ok := false
		for _, b := range a.Backends {
			ok = ok || b == s.caps.Backend
		}
		if !ok || s.e.cfg.Algorithm != "" && s.e.cfg.Algorithm != a.Name {
			continue
		}
		for _, t := range scope.types {
			for i, n := range scope.sizes {
				if ctx.Err() != nil {
					return out
				}
				p := plan.Problem{Type: t, Mode: plan.Mode(i % 3), Items: n, Order: key.Order{Desc: i%2 == 1, NaNLast: i%4 < 2}}
				if p.Mode != plan.Keys {
					p.ValueBytes = 4 + 4*(i/3%2)
				}
				err := a.Check(p, s.caps)
				if err == nil {
					j, want := testJob(p)
					var r Report
					err = s.sortWith(ctx, a, j, &r)
					if err == nil {
						err = sameJob(j, want)
					}
				}
				out = append(out, SelfTestResult{s.id, a.Name, t, p.Mode, n, p.Order.Desc, err})
			}
		}
	}
	return out
}

// testJob makes an input of few distinct and many repeated keys, and a copy
// that the host has sorted.
func testJob(p plan.Problem) (j, want Job) {
	make := func() Job {
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
		}
		for i := range v {
			v[i] = uint64(i) * 0x0000000200000002
		}
		return Job{p, unsafe.Pointer(&k[0]), unsafe.Pointer(&v[0])}
	}
	j, want = make(), make()
	SortHost(want)
	return j, want
}

func sameJob(a, b Job) error {
	for _, r := range []struct {
		what string
		a, b unsafe.Pointer
		n    uint64
	}{{"keys", a.Keys, b.Keys, a.KeyBytes()}, {"values", a.Values, b.Values, a.ValuesBytes()}} {
		if !bytes.Equal(unsafe.Slice((*byte)(r.a), r.n), unsafe.Slice((*byte)(r.b), r.n)) {
			return fmt.Errorf("the device's %s differ from the host's", r.what)
		}
	}
	return nil
}
