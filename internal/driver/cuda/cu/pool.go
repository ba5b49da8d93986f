//go:build !nogpu && ((linux && !android) || windows) && (amd64 || arm64)

package cu

import "unsafe"

// MemPool is a CUmemoryPool.
type MemPool uintptr

// memPoolProps is CUmemPoolProps.
type memPoolProps struct {
	allocType, handleTypes   int32
	locationType, locationID int32
	security                 uintptr
	maxBytes                 uint64
	usage                    uint16
	_                        [54]byte
}

// HasMemPools reports whether this driver has the pool functions.
func (l *Lib) HasMemPools() bool {
	for s := symMemPoolCreate; s <= symMemFreeAsync; s++ {
		if l.fn[s] == 0 {
			return false
		}
	}
	return true
}

// MemPoolCreate makes a pool of memory of d.
func (l *Lib) MemPoolCreate(d Device) (p MemPool, r Result) {
	const pinned, onDevice = 1, 1
	props := &memPoolProps{allocType: pinned, locationType: onDevice, locationID: int32(d)}
	r = l.call(symMemPoolCreate, uintptr(unsafe.Pointer(&p)), uintptr(unsafe.Pointer(props)))
	return p, r
}

// MemPoolDestroy destroys a pool; what is still allocated from it stays.
func (l *Lib) MemPoolDestroy(p MemPool) Result { return l.call(symMemPoolDestroy, uintptr(p)) }

// MemPoolKeep sets how many unused bytes the pool keeps when a stream is
// synchronised.
func (l *Lib) MemPoolKeep(p MemPool, bytes uint64) Result {
	const releaseThreshold = 4
	return l.call(symMemPoolSetAttribute, uintptr(p), releaseThreshold, uintptr(unsafe.Pointer(&bytes)))
}

// MemPoolTrimTo gives unused memory above the given bytes back.
func (l *Lib) MemPoolTrimTo(p MemPool, bytes uint64) Result {
	return l.call(symMemPoolTrimTo, uintptr(p), uintptr(bytes))
}

// MemAllocFromPool reserves memory in stream order.
func (l *Lib) MemAllocFromPool(bytes uint64, p MemPool, s Stream) (a DevicePtr, r Result) {
	r = l.call(symMemAllocFromPool, uintptr(unsafe.Pointer(&a)), uintptr(bytes), uintptr(p), uintptr(s))
	return a, r
}

// MemFreeAsync gives memory back to its pool in stream order.
func (l *Lib) MemFreeAsync(p DevicePtr, s Stream) Result {
	return l.call(symMemFreeAsync, uintptr(p), uintptr(s))
}
