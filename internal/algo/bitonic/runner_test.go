package bitonic

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

// guardBytes lie before and after the memory of every region.
const guardBytes = 256

// runner runs plans on one device and checks that nothing outside the regions
// is written.
type runner struct {
	t       testing.TB
	dev     driver.Device
	q       driver.Queue
	kernels map[kernel.ID]driver.Kernel
	memory  [3]driver.Buffer // by region
}

func newRunner(t testing.TB, dev driver.Device) *runner {
	t.Helper()
	q, err := dev.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{t: t, dev: dev, q: q, kernels: map[kernel.ID]driver.Kernel{}}
	t.Cleanup(func() {
		for _, b := range r.memory {
			if b != nil {
				b.Close()
			}
		}
		q.Close()
	})
	return r
}

func (r *runner) kernel(id kernel.ID) driver.Kernel {
	r.t.Helper()
	if k, ok := r.kernels[id]; ok {
		return k
	}
	m, err := r.dev.LoadModule(r.images(id.Module))
	if err != nil {
		r.t.Fatal(err)
	}
	k, err := m.Kernel(id.Symbol)
	if err != nil {
		r.t.Fatal(err)
	}
	r.kernels[id] = k
	return k
}

// images returns a module's embedded code.
func (r *runner) images(module string) (out []driver.Image) {
	r.t.Helper()
	backend := r.dev.Caps().Backend
	name, macros := kernel.SplitVariant(module)
	for _, i := range kernel.Images(backend, name) {
		data, err := i.Data()
		r.must(err)
		m := driver.Image{Name: name, Format: driver.Cubin, Arch: i.Arch(), Data: data, Hash: i.SHA256}
		switch {
		case i.PTX():
			m.Format = driver.PTX
		case backend == "opencl":
			m.Format = driver.OpenCLC
			m.Options = strings.TrimSpace(strings.Join(i.Flags, " ") + " " + macros)
			h := sha256.Sum256([]byte(i.SHA256 + m.Options))
			m.Hash = hex.EncodeToString(h[:])
		}
		out = append(out, m)
	}
	if len(out) == 0 {
		r.t.Fatalf("no embedded code of %s for %s", name, backend)
	}
	return out
}

// run executes p on keys and values, which begin shift bytes into their
// memory, and returns both as the device left them.
func (r *runner) run(p plan.Plan, keys, values []byte, shift uint64) (outKeys, outValues []byte) {
	r.t.Helper()
	offs := [3]uint64{guardBytes + shift, guardBytes + shift, guardBytes * 2}
	data := [3][]byte{keys, values, bytes.Repeat([]byte{0xC3}, int(p.ScratchBytes))}
	var host [3][]byte
	for i, d := range data {
		host[i] = bytes.Repeat([]byte{0xA5}, int(offs[i])+len(d)+guardBytes)
		copy(host[i][offs[i]:], d)
		if b := r.memory[i]; b == nil || b.Bytes() < uint64(len(host[i])) {
			if b != nil {
				r.must(b.Close())
			}
			var err error
			r.memory[i], err = r.dev.Alloc(uint64(len(host[i])) * 2)
			r.must(err)
		}
		r.must(r.q.CopyIn(r.memory[i], 0, unsafe.Pointer(&host[i][0]), uint64(len(host[i]))))
	}
	r.submit(p, offs)
	for i := range host {
		r.must(r.q.CopyOut(unsafe.Pointer(&host[i][0]), r.memory[i], 0, uint64(len(host[i]))))
	}
	r.must(r.q.Synchronize())
	for i, h := range host {
		end := int(offs[i]) + len(data[i])
		for at, b := range h {
			if (at < int(offs[i]) || at >= end) && b != 0xA5 {
				r.t.Fatalf("%v: byte %d from the start, %d from the end of the region was overwritten", plan.Region(i), at-int(offs[i]), at-end)
			}
		}
	}
	return host[0][offs[0]:][:len(keys)], host[1][offs[1]:][:len(values)]
}

func (r *runner) submit(p plan.Plan, offs [3]uint64) {
	r.t.Helper()
	for i, s := range p.Steps {
		var err error
		switch s.Op {
		case plan.OpMemset:
			err = r.q.Memset(r.memory[s.Dst.Region], offs[s.Dst.Region]+s.Dst.Off, s.Pattern, s.Bytes)
		case plan.OpLaunch:
			l := driver.Launch{
				Grid:  driver.Dim{X: s.Grid[0], Y: s.Grid[1], Z: s.Grid[2]},
				Block: driver.Dim{X: s.Block[0], Y: s.Block[1], Z: s.Block[2]}, SharedBytes: s.SharedBytes,
			}
			for _, a := range s.Args {
				if a.IsRef {
					l.Args = append(l.Args, driver.Arg{Buf: r.memory[a.Ref.Region], Off: offs[a.Ref.Region] + a.Ref.Off})
				} else {
					l.Args = append(l.Args, driver.Arg{Val: a.Val, Size: a.Size})
				}
			}
			err = r.q.Launch(r.kernel(s.Kernel), l)
		default:
			err = fmt.Errorf("unexpected %v", s.Op)
		}
		if err != nil {
			r.t.Fatalf("step %d, %s: %v", i, s.Label, err)
		}
	}
}

func (r *runner) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}
