//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cu

import (
	"runtime"
	"unsafe"
)

// Module is a CUmodule, Function a CUfunction.
type (
	Module   uintptr
	Function uintptr
)

// The JIT options that are used.
const (
	jitInfoLog      = 3
	jitInfoLogSize  = 4
	jitErrorLog     = 5
	jitErrorLogSize = 6
	jitLogBytes     = 16 << 10
)

// ModuleLoadDataEx loads a cubin, fatbin or PTX text into the current context.
// info and errs are what the driver's compiler had to say, empty for cubins.
func (l *Lib) ModuleLoadDataEx(image []byte) (m Module, info, errs string, r Result) {
	// PTX is a C string; the extra zero does a cubin no harm.
	data := append(append(make([]byte, 0, len(image)+1), image...), 0)
	il, el := make([]byte, jitLogBytes), make([]byte, jitLogBytes)
	keys := &[4]int32{jitInfoLog, jitInfoLogSize, jitErrorLog, jitErrorLogSize}
	// Sizes stand in the pointer array by value.
	vals := &[4]uintptr{
		uintptr(unsafe.Pointer(&il[0])), jitLogBytes,
		uintptr(unsafe.Pointer(&el[0])), jitLogBytes,
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&il[0])
	pin.Pin(&el[0])
	r = l.call(symModuleLoadDataEx, uintptr(unsafe.Pointer(&m)), uintptr(unsafe.Pointer(&data[0])),
		uintptr(len(keys)), uintptr(unsafe.Pointer(keys)), uintptr(unsafe.Pointer(vals)))
	return m, gostring(il), gostring(el), r
}

// ModuleUnload unloads a module of the current context.
func (l *Lib) ModuleUnload(m Module) Result { return l.call(symModuleUnload, uintptr(m)) }

// ModuleGetFunction finds an entry point.
func (l *Lib) ModuleGetFunction(m Module, name string) (f Function, r Result) {
	n := cstring(name)
	r = l.call(symModuleGetFunction, uintptr(unsafe.Pointer(&f)), uintptr(m), uintptr(unsafe.Pointer(&n[0])))
	return f, r
}

// ModuleGetGlobal finds a global variable and its size.
func (l *Lib) ModuleGetGlobal(m Module, name string) (p DevicePtr, bytes uint64, r Result) {
	n := cstring(name)
	r = l.call(symModuleGetGlobal, uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(&bytes)),
		uintptr(m), uintptr(unsafe.Pointer(&n[0])))
	return p, bytes, r
}

// FuncAttribute is a CUfunction_attribute.
type FuncAttribute int32

// The function attributes that are used; sizes in bytes.
const (
	FuncMaxThreadsPerBlock FuncAttribute = 0
	FuncSharedSize         FuncAttribute = 1 // static
	FuncLocalSize          FuncAttribute = 3
	FuncRegisters          FuncAttribute = 4
	FuncMaxDynamicShared   FuncAttribute = 8
	FuncSharedCarveout     FuncAttribute = 9 // percent of the L1 that becomes shared memory
)

// FuncGetAttribute returns one attribute of f.
func (l *Lib) FuncGetAttribute(a FuncAttribute, f Function) (v int32, r Result) {
	r = l.call(symFuncGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(a), uintptr(f))
	return v, r
}

// FuncSetAttribute sets one of the settable attributes of f.
func (l *Lib) FuncSetAttribute(f Function, a FuncAttribute, v int32) Result {
	return l.call(symFuncSetAttribute, uintptr(f), uintptr(a), uintptr(v))
}

// Occupancy is cuOccupancyMaxActiveBlocksPerMultiprocessor.
func (l *Lib) Occupancy(f Function, threads int, shared uint64) (blocks int, r Result) {
	var n int32
	r = l.call(symOccupancy, uintptr(unsafe.Pointer(&n)), uintptr(f), uintptr(threads), uintptr(shared))
	return int(n), r
}
