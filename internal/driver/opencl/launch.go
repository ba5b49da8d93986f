package opencl

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/opencl/cl"
)

// kernel implements driver.Kernel.
type kernel struct {
	d          *device
	name       string
	h          cl.Kernel
	numArgs    int
	attributes driver.Attributes

	// mu makes SetKernelArg … EnqueueNDRangeKernel one step, as OpenCL keeps the
	// arguments in the kernel. The fields below are what those calls point to.
	mu            sync.Mutex
	global, local [3]uintptr
	val           uint64
}

func (k *kernel) Name() string { return k.name }

// Attributes are those the kernel was made with: later, the local memory that a
// launch gave to its parameters would count as the kernel's own.
func (k *kernel) Attributes() (driver.Attributes, error) {
	if err := k.d.enter("clGetKernelWorkGroupInfo"); err != nil {
		return driver.Attributes{}, err
	}
	defer k.d.leave()
	return k.attributes, nil
}

// readAttributes asks for the attributes of a kernel no parameter of which is
// set.
func (d *device) readAttributes(h cl.Kernel, name string) (driver.Attributes, error) {
	var v [4]uint64
	for i, p := range [...]uint32{cl.KernelLocalMemSize, cl.KernelPrivateMemSize, cl.KernelWorkGroupSize, cl.KernelPreferredWorkGroup} {
		x, c := d.api.GetKernelWorkGroupInfo(h, d.info.id, p)
		if c != cl.Success {
			return driver.Attributes{}, d.err("clGetKernelWorkGroupInfo", c, "kernel "+name)
		}
		v[i] = x.Uint()
	}
	a := driver.Attributes{SharedBytes: int(v[0]), LocalBytes: int(v[1]), MaxThreadsPerBlock: int(v[2]), WarpSize: int(v[3])}
	if d.info.caps.CPU {
		// No spills: PoCL answers the same number for every kernel.
		a.LocalBytes = 0
	}
	return a, nil
}

// Launch sets the arguments and enqueues. It allocates nothing.
func (q *queue) Launch(kn driver.Kernel, l driver.Launch) error {
	const op = "clEnqueueNDRangeKernel"
	h, err := q.use(op)
	if err != nil {
		return err
	}
	defer q.d.leave()
	k, ok := kn.(*kernel)
	if !ok || k.d != q.d {
		return foreignError(q.d.label, op, "kernel")
	}
	if l.Cooperative {
		return &driver.Error{Op: op, Code: int(cl.InvalidOperation), Name: cl.InvalidOperation.Name(), Device: q.d.label,
			Class: driver.ErrUnsupported, Detail: "kernel " + k.name + ": OpenCL has no cooperative launches"}
	}
	want := len(l.Args)
	for i := range l.Args {
		if l.Args[i].Buf != nil {
			want++
		}
	}
	if l.SharedBytes != 0 {
		want++
	}
	if want != k.numArgs {
		return &driver.Error{Op: op, Code: int(cl.InvalidKernelArgs), Name: cl.InvalidKernelArgs.Name(), Device: q.d.label,
			Detail: fmt.Sprintf("kernel %s has %d parameters, the launch gives %d (a buffer counts as two, dynamic local memory as one)", k.name, k.numArgs, want)}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := q.setArgs(k, &l); err != nil {
		return err
	}
	block := [3]uint32{l.Block.X, l.Block.Y, l.Block.Z}
	grid := [3]uint32{l.Grid.X, l.Grid.Y, l.Grid.Z}
	for i := range block {
		k.local[i] = uintptr(max(block[i], 1))
		k.global[i] = k.local[i] * uintptr(max(grid[i], 1))
	}
	if c := q.d.api.EnqueueNDRangeKernel(h, k.h, &k.global, &k.local); c != cl.Success {
		return q.d.err(op, c, fmt.Sprintf("kernel %s, %v groups of %v, %d bytes of local memory", k.name, l.Grid, l.Block, l.SharedBytes))
	}
	return nil
}

// setArgs sets all parameters of k, whose mutex is held.
func (q *queue) setArgs(k *kernel, l *driver.Launch) error {
	i := 0
	set := func(bytes uintptr, p unsafe.Pointer) error {
		c := q.d.api.SetKernelArg(k.h, i, bytes, p)
		if c != cl.Success {
			return q.d.err("clSetKernelArg", c, fmt.Sprintf("kernel %s, parameter %d of %d bytes", k.name, i, bytes))
		}
		i++
		return nil
	}
	for j := range l.Args {
		a := &l.Args[j]
		if a.Buf == nil {
			if a.Size != 1 && a.Size != 2 && a.Size != 4 && a.Size != 8 {
				return invalid(q.d.label, "clSetKernelArg", fmt.Sprintf("kernel %s, argument %d: a value of %d bytes; 1, 2, 4 or 8 are possible", k.name, j, a.Size))
			}
			// Devices and hosts are little-endian: the low bytes come first.
			k.val = a.Val
			if err := set(uintptr(a.Size), unsafe.Pointer(&k.val)); err != nil {
				return err
			}
			continue
		}
		m, err := q.mem("clSetKernelArg", a.Buf, a.Off, 0)
		if err != nil {
			return err
		}
		k.val = uint64(m)
		if err := set(unsafe.Sizeof(m), unsafe.Pointer(&k.val)); err != nil {
			return err
		}
		k.val = a.Off
		if err := set(8, unsafe.Pointer(&k.val)); err != nil {
			return err
		}
	}
	if l.SharedBytes != 0 {
		return set(uintptr(l.SharedBytes), nil)
	}
	return nil
}
