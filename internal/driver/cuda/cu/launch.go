//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cu

import "unsafe"

// Geometry is the shape of a launch. No extent is 0.
type Geometry struct {
	Grid, Block [3]uint32
	Shared      uint32 // dynamic, bytes
	Cooperative bool
	Overlap     bool // programmatic stream serialization
}

// SetArg sets the i-th kernel argument, below MaxArgs. The driver reads as many
// of its low bytes as the kernel's parameter has (both are little-endian).
func (f *Frame) SetArg(i int, v uint64) { f.vals[i] = v }

// LaunchOp is the name of the function that Launch calls for g, for errors.
func (f *Frame) LaunchOp(g *Geometry) string {
	switch s := f.launchSym(g); s {
	case symLaunchCooperative:
		return "cuLaunchCooperativeKernel"
	case symLaunchKernelEx:
		return "cuLaunchKernelEx"
	default:
		return "cuLaunchKernel"
	}
}

// launchSym picks the plainest function that can do g.
func (f *Frame) launchSym(g *Geometry) sym {
	ex := f.l.fn[symLaunchKernelEx] != 0
	switch {
	case g.Overlap && ex, g.Cooperative && ex:
		return symLaunchKernelEx
	case g.Cooperative:
		return symLaunchCooperative
	}
	return symLaunchKernel
}

// Launch starts fn with the arguments set before. The driver has copied them
// when it returns. It returns NotSupported if the driver is too old for what g
// asks.
func (f *Frame) Launch(fn Function, g *Geometry, s Stream) Result {
	id := f.launchSym(g)
	if f.l.fn[id] == 0 {
		return NotSupported
	}
	a := &f.args
	params := uintptr(unsafe.Pointer(&f.params))
	if id == symLaunchKernelEx {
		f.configure(g, s)
		return f.do4(id, uintptr(unsafe.Pointer(&f.config)), uintptr(fn), params, 0)
	}
	a[0] = uintptr(fn)
	a[1], a[2], a[3] = uintptr(g.Grid[0]), uintptr(g.Grid[1]), uintptr(g.Grid[2])
	a[4], a[5], a[6] = uintptr(g.Block[0]), uintptr(g.Block[1]), uintptr(g.Block[2])
	a[7], a[8], a[9], a[10] = uintptr(g.Shared), uintptr(s), params, 0
	if id == symLaunchCooperative {
		return f.do(id, 10)
	}
	return f.do(id, 11)
}

func (f *Frame) configure(g *Geometry, s Stream) {
	c := &f.config
	c.grid, c.block, c.shared, c.stream, c.numAttrs = g.Grid, g.Block, g.Shared, s, 0
	if g.Cooperative {
		f.attribute(attrCooperative)
	}
	if g.Overlap {
		f.attribute(attrOverlap)
	}
}

func (f *Frame) attribute(id int32) {
	a := &f.attrs[f.config.numAttrs]
	a.id = id
	a.value[0] = 1
	f.config.numAttrs++
}
