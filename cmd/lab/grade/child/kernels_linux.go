//go:build amd64 || arm64

package child

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/internal/lazy"
	"github.com/gpusort/gpusort/cmd/lab/grade/wire"
	"github.com/gpusort/gpusort/cmd/lab/occupancy"
	"github.com/gpusort/gpusort/internal/driver"
)

// The plan that a submission's kernel writes: gpusort_plan_t of the preludes in
// templates/, little-endian.
const (
	planHead   = 32
	stepBytes  = 32
	maxSteps   = 1<<16 - 1
	maxKernels = 16
)

// step is gpusort_step.
type step struct {
	number, groups, local, shared, a, b, c, d uint32
}

// spelled is where a macro of the prelude stands, in a file that nobody has.
var spelled = lazy.Regexp(` <Spelling=[^>]*>`)

// compilerSaid is err, or what the compiler says where it refused the source.
func compilerSaid(err error) error {
	var failed *driver.Error
	if !errors.As(err, &failed) || failed.Op != "clBuildProgram" {
		return err
	}
	if _, log, said := strings.Cut(failed.Detail, "the compiler says:\n"); said {
		return fmt.Errorf("does not compile:\n%s", spelled().ReplaceAllString(log, ""))
	}
	return err
}

// kernels loads a submission's device code, asks it for its plan and prepares
// the launches.
func (d *device) kernels() (work, error) {
	images, err := imagesOf(d.j, d.dev.Caps().Arch)
	if err != nil {
		return nil, err
	}
	mod, err := d.dev.LoadModule(images)
	if err != nil {
		return nil, unloadable{compilerSaid(err)}
	}
	steps, temp, result, err := d.plan(mod)
	if err != nil {
		return nil, fmt.Errorf("gpusort_plan for %d keys: %w", d.j.Spec.Items, err)
	}
	w, err := d.newWork(temp)
	if err != nil {
		return nil, err
	}
	w.i.Launches = len(steps)
	var all [maxKernels]driver.Kernel
	for i, s := range steps {
		if s.number >= maxKernels {
			return nil, fmt.Errorf("step %d: kernel %d: numbers are 0 to %d", i, s.number, maxKernels-1)
		}
		if all[s.number] == nil {
			if all[s.number], err = mod.Kernel(fmt.Sprintf("gpusort_%d", s.number)); err != nil {
				return nil, err
			}
		}
		if limit := d.dev.Caps().MaxThreadsPerBlock; s.groups == 0 || s.local == 0 || int(s.local) > limit {
			return nil, fmt.Errorf("step %d: %d groups of %d: at least one of at least 1 and at most %d", i, s.groups, s.local, limit)
		}
	}
	launches := make([]driver.Launch, len(steps))
	at := func(b driver.Buffer) driver.Arg { return driver.Arg{Buf: b, Off: wire.Guard} }
	u32 := func(v uint32) driver.Arg { return driver.Arg{Val: uint64(v), Size: 4} }
	for i, s := range steps {
		launches[i] = driver.Launch{
			Grid: driver.Dim{X: s.groups}, Block: driver.Dim{X: s.local}, SharedBytes: s.shared,
			Args: []driver.Arg{at(w.index.keys), at(w.index.alt), at(w.index.values), at(w.index.valuesAlt), at(w.index.temp),
				{Val: d.j.Spec.Items, Size: 8}, u32(s.a), u32(s.b), u32(s.c), u32(s.d)},
		}
	}
	w.run = func() (bool, error) {
		for i, s := range steps {
			if err := d.q.Launch(all[s.number], launches[i]); err != nil {
				return false, fmt.Errorf("step %d: %w", i, err)
			}
		}
		return result == 1, nil
	}
	d.describe(w, steps, all[:])
	return w, nil
}

// plan runs the submission's planner on the device.
func (d *device) plan(mod driver.Module) (steps []step, temp uint64, result uint32, err error) {
	k, err := mod.Kernel("gpusort_make_plan")
	if err != nil {
		return nil, 0, 0, err
	}
	host := make([]byte, planHead+maxSteps*stepBytes)
	caps := d.dev.Caps()
	le := binary.LittleEndian
	le.PutUint32(host[16:], uint32(caps.MaxThreadsPerBlock))
	le.PutUint32(host[20:], uint32(caps.ComputeUnits))
	le.PutUint64(host[24:], maxSteps)
	b, err := d.dev.Alloc(uint64(len(host)))
	if err != nil {
		return nil, 0, 0, err
	}
	defer b.Close()
	if err := d.q.CopyIn(b, 0, unsafe.Pointer(&host[0]), uint64(len(host))); err != nil {
		return nil, 0, 0, err
	}
	err = errors.Join(
		d.q.Launch(k, driver.Launch{Grid: driver.Dim{X: 1}, Block: driver.Dim{X: 1},
			Args: []driver.Arg{{Buf: b}, {Val: d.j.Spec.Items, Size: 8}}}),
		d.q.CopyOut(unsafe.Pointer(&host[0]), b, 0, uint64(len(host))),
		d.q.Synchronize())
	if err != nil {
		return nil, 0, 0, err
	}
	n := le.Uint32(host)
	result, temp = le.Uint32(host[4:]), le.Uint64(host[8:])
	switch {
	case n > maxSteps:
		return nil, 0, 0, fmt.Errorf("%d steps, at most %d", n, maxSteps)
	case result > 1:
		return nil, 0, 0, fmt.Errorf("result = %d: 0 is keys, 1 is keys_alt", result)
	case temp > d.j.TempLimit:
		return nil, 0, 0, fmt.Errorf("asks for %d bytes of temporary storage, the limit is %d", temp, d.j.TempLimit)
	}
	for i := range n {
		p := host[planHead+i*stepBytes:]
		w := func(k int) uint32 { return le.Uint32(p[4*k:]) }
		steps = append(steps, step{w(0), w(1), w(2), w(3), w(4), w(5), w(6), w(7)})
	}
	return steps, temp, result, nil
}

// describe tells what the compiler and the device say of each kernel in each
// geometry.
func (d *device) describe(w *devWork, steps []step, all []driver.Kernel) {
	type geometry struct{ kernel, local, shared uint32 }
	index := map[geometry]int{}
	for _, s := range steps {
		g := geometry{s.number, s.local, s.shared}
		i, seen := index[g]
		if !seen {
			i = len(w.i.Kernels)
			index[g] = i
			w.i.Kernels = append(w.i.Kernels, wire.Kernel{Name: all[s.number].Name(), Threads: int(s.local)})
		}
		k := &w.i.Kernels[i]
		k.Launches++
		k.Blocks = max(k.Blocks, uint64(s.groups))
		a, err := all[s.number].Attributes()
		if err != nil {
			w.i.NoOccupancy = err.Error()
			continue
		}
		k.Registers, k.LocalBytes, k.SharedBytes = a.Registers, a.LocalBytes, a.SharedBytes+int(s.shared)
		o, err := occupancy.Of(d.dev.Caps(), a, int(s.local), s.shared, uint64(s.groups))
		if err != nil {
			w.i.NoOccupancy = err.Error()
			continue
		}
		k.Occupancy += (o.Share - k.Occupancy) / float64(k.Launches)
		k.Limiter = o.Limiter
	}
}

func imagesOf(j wire.Job, arch int) ([]driver.Image, error) {
	text, err := code()
	if err != nil {
		return nil, err
	}
	img := driver.Image{Name: "submission", Data: text}
	switch j.Kind {
	case "cl":
		img.Format = driver.OpenCLC
	case "cubin":
		img.Format, img.Arch = driver.Cubin, arch
	case "ptx":
		img.Format, img.Arch = driver.PTX, arch
	default:
		return nil, fmt.Errorf("code of kind %q is unknown", j.Kind)
	}
	return []driver.Image{img}, nil
}
