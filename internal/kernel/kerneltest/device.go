package kerneltest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/kernel"
	_ "github.com/gpusort/gpusort/internal/kernel/study" // device code of all sorts
	"github.com/gpusort/gpusort/internal/plan"
)

// Runner runs plans on one device and checks that they write nothing outside
// their regions. It is closed with the test.
type Runner struct {
	T       testing.TB // that failures are reported to
	dev     driver.Device
	q       driver.Queue
	kernels map[kernel.ID]driver.Kernel
	memory  [plan.MostRegions]driver.Buffer
}

// NewRunner makes a runner on a device.
func NewRunner(t testing.TB, dev driver.Device) *Runner {
	t.Helper()
	q, err := dev.NewQueue()
	if err != nil {
		t.Fatal(err)
	}
	r := &Runner{T: t, dev: dev, q: q, kernels: map[kernel.ID]driver.Kernel{}}
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

// Sorted runs p on copies of keys and values, which begin shift bytes behind an
// aligned address, and returns them as the device left them.
func (r *Runner) Sorted(p plan.Plan, keys, values []byte, shift uint64) (outKeys, outValues []byte) {
	r.T.Helper()
	outKeys, outValues = bytes.Clone(keys), bytes.Clone(values)
	r.Run(p, outKeys, outValues, shift, shift)
	return outKeys, outValues
}

// Time copies keys to the device, runs p, which ran before by Run without
// shifts, and returns the device's time for p in nanoseconds.
func (r *Runner) Time(p plan.Plan, keys []byte) (ns int64) {
	r.T.Helper()
	offs := [plan.MostRegions]uint64{plan.KeysIO: guard, plan.ValuesIO: guard, plan.Scratch: guard}
	r.must(r.q.CopyIn(r.memory[plan.KeysIO], guard, unsafe.Pointer(&keys[0]), uint64(len(keys))))
	start, err := r.q.Record()
	r.must(err)
	r.submit(p, offs)
	end, err := r.q.Record()
	r.must(err)
	r.must(r.q.Synchronize())
	ns, err = end.Since(start)
	r.must(err)
	r.must(start.Close())
	r.must(end.Close())
	return ns
}

// Run runs p on keys and values (nil: none), which it replaces by the result and
// which begin keysShift and valuesShift bytes behind an aligned address. It
// returns the scratch memory, whose content before was 0xC3.
func (r *Runner) Run(p plan.Plan, keys, values []byte, keysShift, valuesShift uint64) (scratch []byte) {
	r.T.Helper()
	return r.RunRegions(p, Regions{plan.KeysIO: keys, plan.ValuesIO: values}, Shifts{plan.KeysIO: keysShift, plan.ValuesIO: valuesShift})
}

// RunRegions is Run for an operation with any regions.
func (r *Runner) RunRegions(p plan.Plan, regions Regions, shifts Shifts) (scratch []byte) {
	r.T.Helper()
	const red = 0xA5
	data := [plan.MostRegions][]byte{plan.Scratch: bytes.Repeat([]byte{0xC3}, int(p.ScratchBytes))}
	offs := [plan.MostRegions]uint64{plan.Scratch: guard}
	for i := range regions {
		data[i], offs[i] = regions[i], guard+shifts[i]
	}
	var host [plan.MostRegions][]byte
	for i, d := range data {
		host[i] = bytes.Repeat([]byte{red}, int(offs[i])+len(d)+guard)
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
	for i := range data {
		r.must(r.q.CopyOut(unsafe.Pointer(&host[i][0]), r.memory[i], 0, uint64(len(host[i]))))
	}
	r.must(r.q.Synchronize())
	for i, h := range host {
		end := int(offs[i]) + len(data[i])
		for at, b := range h {
			if (at < int(offs[i]) || at >= end) && b != red {
				r.T.Fatalf("region %d: byte %d from the start, %d from the end of the region was overwritten", i, at-int(offs[i]), at-end)
			}
		}
		copy(data[i], h[offs[i]:end])
	}
	return data[plan.Scratch]
}

func (r *Runner) submit(p plan.Plan, offs [plan.MostRegions]uint64) {
	r.T.Helper()
	for i, s := range p.Steps {
		if err := r.step(s, offs); err != nil {
			r.T.Fatalf("step %d, %s: %v", i, s.Label, err)
		}
	}
}

func (r *Runner) step(s plan.Step, offs [plan.MostRegions]uint64) error {
	switch s.Op {
	case plan.OpMemset:
		return r.q.Memset(r.memory[s.Dst.Region], offs[s.Dst.Region]+s.Dst.Off, s.Pattern, s.Bytes)
	case plan.OpCopy:
		return r.q.Copy(r.memory[s.Dst.Region], offs[s.Dst.Region]+s.Dst.Off, r.memory[s.Src.Region], offs[s.Src.Region]+s.Src.Off, s.Bytes)
	case plan.OpSkip: // what it may leave out must do nothing
		return nil
	}
	l := driver.Launch{
		Grid:  driver.Dim{X: s.Grid[0], Y: s.Grid[1], Z: s.Grid[2]},
		Block: driver.Dim{X: s.Block[0], Y: s.Block[1], Z: s.Block[2]}, SharedBytes: s.SharedBytes,
		Cooperative: s.Cooperative, Overlap: s.Overlap,
	}
	for _, a := range s.Args {
		if a.IsRef {
			l.Args = append(l.Args, driver.Arg{Buf: r.memory[a.Ref.Region], Off: offs[a.Ref.Region] + a.Ref.Off})
		} else {
			l.Args = append(l.Args, driver.Arg{Val: a.Val, Size: a.Size})
		}
	}
	return r.q.Launch(r.kernel(s.Kernel), l)
}

func (r *Runner) kernel(id kernel.ID) driver.Kernel {
	r.T.Helper()
	if k, ok := r.kernels[id]; ok {
		return k
	}
	m, err := r.dev.LoadModule(r.images(id.Module))
	r.must(err)
	k, err := m.Kernel(id.Symbol)
	r.must(err)
	r.kernels[id] = k
	return k
}

// images returns a module's embedded code.
func (r *Runner) images(module string) (out []driver.Image) {
	r.T.Helper()
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
		r.T.Fatalf("no embedded code of %s for %s", name, backend)
	}
	return out
}

func (r *Runner) must(err error) {
	r.T.Helper()
	if err != nil {
		r.T.Fatal(err)
	}
}
