package engine

import (
	"context"
	"os"
	"sync"

	"github.com/gpusort/gpusort/internal/algo/cpu"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
)

// DeviceFloor is the number of items below which "auto" sorts on the CPU
// without a look at devices. A sort of 2^18 u32 keys takes a good 1 ms on one
// thread (150 to 200 Mkeys/s for plain Go, measured with AVX-512 hosts), while
// a device with a free link needs 0.07 ms for the sort on an H200 and as much
// for launches and transfers, so that below it there is little to gain.
const DeviceFloor = 1 << 18

// Alone reports whether SortDefault of so many keys of type t is SortHost, on the calling
// goroutine: no other has a pointer to the keys, and none is kept in the heap.
func Alone(t key.Type, keys int) bool {
	most := cpu.AloneItems
	if t.Bytes() == 16 {
		most = cpu.AloneWide
	}
	return keys < most && onlyHost(uint64(keys))
}

// onlyHost reports whether so few items never go to a device.
func onlyHost(items uint64) bool { return items < leastFloor || items < defaultEngine().floor() }

// SortHost sorts on the CPU without an engine; it allocates nothing itself.
func SortHost(j op.Job) {
	_ = cpu.Run(j, cpu.Options{}) // without a context it cannot fail
}

// keepIdle is how much device memory the shared engine keeps between sorts: a
// program that sorts once should not hold a device's memory for good.
const keepIdle = 256 << 20

// DefaultDevice is the device where none is named: that of the environment's
// GPUSORT_DEVICE, else "auto".
func DefaultDevice() string {
	if name := os.Getenv("GPUSORT_DEVICE"); name != "" {
		return name
	}
	return "auto"
}

// defaultEngine is the engine of sorts that cannot fail. If the environment names a
// device that is not there, it is the processor's.
var defaultEngine = sync.OnceValue(func() *Engine {
	e, err := newEngine(Config{Device: DefaultDevice(), IdleBytes: keepIdle})
	if err != nil {
		if e, err = newEngine(Config{Device: "cpu"}); err != nil {
			panic("gpusort: " + err.Error()) // the processor is always there
		}
	}
	return e
})

// SortDefault sorts with the process-wide automatic engine.
func SortDefault(j op.Job) {
	if onlyHost(j.Items) {
		SortHost(j)
		return
	}
	if _, err := defaultEngine().Sort(context.Background(), j); err != nil {
		// Unreachable short of a broken catalogue: auto falls back to the CPU.
		SortHost(j)
	}
}
