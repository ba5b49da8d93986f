package opencl

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

// module implements driver.Module.
type module struct {
	d    *device
	name string

	mu      sync.Mutex // guards what follows; held during the build
	program cl.Program // 0 until built
	kernels map[string]*kernel
}

// LoadModule builds the first OpenCL C image. Images with the same source and
// options are one module.
func (d *device) LoadModule(images []driver.Image) (driver.Module, error) {
	const op = "clBuildProgram"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	for i := range images {
		img := &images[i]
		if img.Format != driver.OpenCLC || len(img.Data) == 0 {
			continue
		}
		key := d.imageKey(img)
		d.mu.Lock()
		m := d.modules[key]
		if m == nil {
			m = &module{d: d, name: img.Name, kernels: map[string]*kernel{}}
			d.modules[key] = m
		}
		d.mu.Unlock()
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.program != 0 {
			return m, nil
		}
		p, err := d.build(img, key)
		if err != nil {
			return nil, err
		}
		m.program = p
		return m, nil
	}
	name := "none given"
	if len(images) > 0 {
		name = images[0].Name
	}
	return nil, &driver.Error{Op: op, Code: int(cl.InvalidBinary), Name: cl.InvalidBinary.Name(), Device: d.label,
		Class: driver.ErrUnsupported, Detail: "module " + name + ": no image is OpenCL C source"}
}

// imageKey identifies what is built, on which device, by which compiler.
func (d *device) imageKey(img *driver.Image) string {
	h := sha256.New()
	for _, s := range []string{cacheVersion, d.info.identity, buildOptions(img), img.Hash, string(img.Data)} {
		fmt.Fprintf(h, "%d:%s\n", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// buildOptions adds the language version, which vendors default differently.
func buildOptions(img *driver.Image) string {
	if strings.Contains(img.Options, "-cl-std=") {
		return img.Options
	}
	return strings.TrimSpace("-cl-std=CL1.2 " + img.Options)
}

// cachesCPU has the programs of CPU devices cached too. Such a device compiles
// kernels when they are first launched and keeps them itself (PoCL); asking it
// for the binary makes it compile all of them first, for more cases than are
// run: 43 s instead of 1.6 s for the radix sort. Only tests set it.
var cachesCPU bool

// build makes the program from the cache, else from source.
func (d *device) build(img *driver.Image, key string) (cl.Program, error) {
	cache := openCache()
	if bin := cache.load(key); bin != nil {
		if p, c := d.api.CreateProgramWithBinary(d.ctx, d.info.id, bin); c == cl.Success {
			if c = d.api.BuildProgram(p, d.info.id, buildOptions(img)); c == cl.Success {
				return p, nil
			}
			d.api.ReleaseProgram(p)
		}
		cache.remove(key)
	}
	p, c := d.api.CreateProgramWithSource(d.ctx, img.Data)
	if c != cl.Success {
		return 0, d.err("clCreateProgramWithSource", c, "module "+img.Name)
	}
	if c := d.api.BuildProgram(p, d.info.id, buildOptions(img)); c != cl.Success {
		log, _ := d.api.GetProgramBuildInfo(p, d.info.id, cl.ProgramBuildLog)
		d.api.ReleaseProgram(p)
		return 0, d.err("clBuildProgram", c, fmt.Sprintf("module %s, options %q; the compiler says:\n%s", img.Name, buildOptions(img), log))
	}
	if cache != "" && (!d.info.caps.CPU || cachesCPU) {
		if bin, c := d.api.ProgramBinary(p); c == cl.Success && len(bin) > 0 {
			cache.store(key, bin)
		}
	}
	return p, nil
}

func (m *module) Kernel(name string) (driver.Kernel, error) {
	const op = "clCreateKernel"
	if err := m.d.enter(op); err != nil {
		return nil, err
	}
	defer m.d.leave()
	m.mu.Lock()
	defer m.mu.Unlock()
	if k := m.kernels[name]; k != nil {
		return k, nil
	}
	h, c := m.d.api.CreateKernel(m.program, name)
	if c != cl.Success {
		return nil, m.d.err(op, c, fmt.Sprintf("module %s, kernel %q", m.name, name))
	}
	n, c := m.d.api.GetKernelInfo(h, cl.KernelNumArgs)
	if c != cl.Success {
		m.d.api.ReleaseKernel(h)
		return nil, m.d.err("clGetKernelInfo", c, "kernel "+name)
	}
	a, err := m.d.readAttributes(h, name)
	if err != nil {
		m.d.api.ReleaseKernel(h)
		return nil, err
	}
	k := &kernel{d: m.d, name: name, h: h, numArgs: int(n.Uint()), attributes: a}
	m.kernels[name] = k
	return k, nil
}

// release is called by the device's Close alone.
func (m *module) release() error {
	var errs []error
	for _, k := range m.kernels {
		errs = append(errs, m.d.check("clReleaseKernel", m.d.api.ReleaseKernel(k.h)))
	}
	clear(m.kernels)
	if m.program != 0 {
		errs = append(errs, m.d.check("clReleaseProgram", m.d.api.ReleaseProgram(m.program)))
		m.program = 0
	}
	return errors.Join(errs...)
}
