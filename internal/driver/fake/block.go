package fake

import (
	"fmt"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
)

// Block is one block of a launch, as a kernel sees it.
type Block struct {
	Grid, Block driver.Dim // extents, no field 0
	ID          driver.Dim // this block's place in Grid
	Shared      []byte     // dynamic shared memory; old contents, as on hardware

	args []arg
}

// arg is an argument at launch: bytes from the offset to the buffer's end, or a
// value.
type arg struct {
	mem  []byte
	val  uint64
	size uint8 // 0 for memory
}

// Threads is the number of threads of a block.
func (b *Block) Threads() int { return int(b.Block.X) * int(b.Block.Y) * int(b.Block.Z) }

// Bytes is argument i, a buffer, from its offset to the buffer's end.
func (b *Block) Bytes(i int) []byte {
	if b.args[i].size != 0 {
		panic(fmt.Sprintf("argument %d is a value, not a buffer", i))
	}
	return b.args[i].mem
}

// Uint is argument i, a value of its size in bytes, zero-extended.
func (b *Block) Uint(i int) uint64 {
	if b.args[i].size == 0 {
		panic(fmt.Sprintf("argument %d is a buffer, not a value", i))
	}
	return b.args[i].val
}

// Args is the number of arguments.
func (b *Block) Args() int { return len(b.args) }

// Slice is argument i, a buffer, as items of type T, which holds no pointers.
// The offset must be a multiple of T's size.
func Slice[T any](b *Block, i int) []T { return View[T](b.Bytes(i)) }

// View reads p as items of type T, such as a part of Block.Shared; p begins at a
// multiple of T's alignment.
func View[T any](p []byte) []T {
	var t T
	if len(p) < int(unsafe.Sizeof(t)) {
		return nil
	}
	if uintptr(unsafe.Pointer(&p[0]))%unsafe.Alignof(t) != 0 {
		panic(fmt.Sprintf("misaligned address for items of %d bytes", unsafe.Sizeof(t)))
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&p[0])), len(p)/int(unsafe.Sizeof(t)))
}

// bytes allocates n bytes that begin at a multiple of 8.
func bytes(n uint64) []byte {
	w := make([]uint64, (n+15)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&w[0])), n)
}

// run calls f for each block and turns a panic into a description.
func run(f Func, l driver.Launch, args []arg) (failed string) {
	b := &Block{Grid: extent(l.Grid), Block: extent(l.Block), Shared: bytes(uint64(l.SharedBytes)), args: args}
	defer func() {
		if p := recover(); p != nil {
			failed = fmt.Sprintf("block %v: %v", b.ID, p)
		}
	}()
	stale(b.Shared)
	for z := range b.Grid.Z {
		for y := range b.Grid.Y {
			for x := range b.Grid.X {
				b.ID = driver.Dim{X: x, Y: y, Z: z}
				f(b)
			}
		}
	}
	return ""
}

func extent(d driver.Dim) driver.Dim {
	return driver.Dim{X: max(d.X, 1), Y: max(d.Y, 1), Z: max(d.Z, 1)}
}

// stale fills memory whose contents are undefined.
func stale(p []byte) {
	for i := range p {
		p[i] = 0xDB
	}
}
