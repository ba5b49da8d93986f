package merge

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

// redZone bytes lie before and after each region.
const redZone = 256

// runner runs plans on one device.
type runner struct {
	t       testing.TB
	dev     driver.Device
	q       driver.Queue
	kernels map[kernel.ID]driver.Kernel
}

func newRunner(t testing.TB, dev driver.Device) *runner {
	t.Helper()
	r := &runner{t: t, dev: dev, kernels: map[kernel.ID]driver.Kernel{}}
	var err error
	r.q, err = dev.NewQueue()
	r.must(err)
	t.Cleanup(func() { r.q.Close() })
	return r
}

func (r *runner) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// kernel builds an entry point from the embedded sources, once.
func (r *runner) kernel(id kernel.ID) driver.Kernel {
	r.t.Helper()
	if k, ok := r.kernels[id]; ok {
		return k
	}
	name, macros := kernel.SplitVariant(id.Module)
	var images []driver.Image
	for _, im := range kernel.Images(r.dev.Caps().Backend, name) {
		data, err := im.Data()
		r.must(err)
		out := driver.Image{Name: name, Format: driver.Cubin, Arch: im.Arch(), Data: data, Hash: im.SHA256}
		switch {
		case im.PTX():
			out.Format = driver.PTX
		case im.Backend == "opencl":
			out.Format = driver.OpenCLC
			out.Options = strings.TrimSpace(strings.Join(im.Flags, " ") + " " + macros)
			sum := sha256.Sum256([]byte(im.SHA256 + out.Options))
			out.Hash = hex.EncodeToString(sum[:])
		}
		images = append(images, out)
	}
	m, err := r.dev.LoadModule(images)
	r.must(err)
	k, err := m.Kernel(id.Symbol)
	r.must(err)
	r.kernels[id] = k
	return k
}

// run executes p on copies of keys and values that begin shift items into their
// memory, and returns what the device left. A write outside the regions fails
// the test.
func (r *runner) run(p plan.Plan, keys, values []byte, shift int) (outKeys, outValues []byte) {
	r.t.Helper()
	data := [3][]byte{keys, values, bytes.Repeat([]byte{0xc3}, int(p.ScratchBytes))}
	at := [3]int{redZone + shift*p.Problem.Type.Bytes(), redZone + shift*p.Problem.ValueBytes, 512}
	var host [3][]byte
	var memory [3]driver.Buffer
	for i, d := range data {
		host[i] = bytes.Repeat([]byte{0xa5}, at[i]+len(d)+redZone)
		copy(host[i][at[i]:], d)
		var err error
		memory[i], err = r.dev.Alloc(uint64(len(host[i])))
		r.must(err)
		defer memory[i].Close()
		r.must(r.q.CopyIn(memory[i], 0, unsafe.Pointer(&host[i][0]), uint64(len(host[i]))))
	}
	for _, s := range p.Steps {
		l := driver.Launch{
			Grid:        driver.Dim{X: s.Grid[0], Y: s.Grid[1], Z: s.Grid[2]},
			Block:       driver.Dim{X: s.Block[0], Y: s.Block[1], Z: s.Block[2]},
			SharedBytes: s.SharedBytes,
		}
		for _, a := range s.Args {
			if a.IsRef {
				l.Args = append(l.Args, driver.Arg{Buf: memory[a.Ref.Region], Off: uint64(at[a.Ref.Region]) + a.Ref.Off})
			} else {
				l.Args = append(l.Args, driver.Arg{Val: a.Val, Size: a.Size})
			}
		}
		if err := r.q.Launch(r.kernel(s.Kernel), l); err != nil {
			r.t.Fatal(fmt.Errorf("%s: %w", s.Label, err))
		}
	}
	for i := range host {
		r.must(r.q.CopyOut(unsafe.Pointer(&host[i][0]), memory[i], 0, uint64(len(host[i]))))
	}
	r.must(r.q.Synchronize())
	for i, h := range host {
		end := at[i] + len(data[i])
		for j, b := range h {
			if (j < at[i] || j >= end) && b != 0xa5 {
				r.t.Fatalf("%v: byte %d of a region of %d was written", plan.Region(i), j-at[i], len(data[i]))
			}
		}
	}
	return host[0][at[0]:][:len(keys)], host[1][at[1]:][:len(values)]
}
