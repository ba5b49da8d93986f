package engine

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/cuda"
	"github.com/gpusort/gpusort/internal/driver/opencl"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/hostcopy"
	"github.com/gpusort/gpusort/internal/sys/mem"
	"github.com/gpusort/gpusort/internal/sys/workers"
)

// linkBits is the binary logarithm of the number of keys.
func linkBits() int {
	if bits, err := strconv.Atoi(os.Getenv("GPUSORT_BENCH_LOG2N")); err == nil {
		return bits
	}
	return 20
}

// linkRig is page-locked memory, a job in it, and the same memory on the device.
type linkRig struct {
	e    *Engine
	p    plan.Problem
	in   []uint64
	host *Pinned
	job  op.Job
	dev  *Memory
	pool mem.Pool
	keep *mem.Block // what the loads copy to
}

func newLinkRig(b testing.TB, drv driver.Driver, p plan.Problem) *linkRig {
	b.Helper()
	r := &linkRig{e: apartEngine(b, drv), p: p, in: make([]uint64, p.KeyBytes()/8)}
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	scramble(r.in)
	var err error
	r.host, err = r.e.AllocPinned(p.KeyBytes())
	must(err)
	r.dev, err = r.e.Alloc(p.KeyBytes())
	must(err)
	r.keep, err = r.pool.Get(p.KeyBytes())
	must(err)
	r.job = op.Job{Spec: p, At: op.Memory{r.host.Pointer()}}
	b.Cleanup(func() {
		r.pool.Put(r.keep)
		r.pool.Release()
		must(r.dev.Close())
		must(r.host.Close())
		must(r.e.Close())
	})
	return r
}

// fill makes the input anew.
func (r *linkRig) fill() {
	hostcopy.Parallel(16, r.job.At[op.KeysIO], unsafe.Pointer(&r.in[0]), r.p.KeyBytes())
}

// up and down move the keys to the device and back.
func (r *linkRig) up() error {
	return Region{r.dev, 0, r.p.KeyBytes()}.Upload(context.Background(), r.job.At[op.KeysIO])
}

func (r *linkRig) down() error {
	return Region{r.dev, 0, r.p.KeyBytes()}.Download(context.Background(), r.job.At[op.KeysIO])
}

// linkDriver is CUDA, or OpenCL where there is none.
func linkDriver() driver.Driver {
	if d := cuda.New(); d != nil {
		if list, err := d.Devices(); err == nil && len(list) > 0 {
			unused(list[0])
			return apartDriver{d}
		}
	}
	return apartDriver{opencl.New()}
}

// linkLoad is what processors do while the link works: copies as safety copies are
// made, past the caches and eight pages in turn; plain ones; reads alone.
type linkLoad struct {
	name string
	by   int
	copy func(dst, src unsafe.Pointer, n uint64)
}

func linkLoads() (loads []linkLoad) {
	loads = append(loads, linkLoad{"nothing", 0, nil})
	for _, by := range []int{2, 4, 8, 12, 16} {
		loads = append(loads, linkLoad{fmt.Sprintf("copies by %d", by), by, hostcopy.Copy})
	}
	plain := func(dst, src unsafe.Pointer, n uint64) {
		copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
	}
	var sink atomic.Uint64
	read := func(_, src unsafe.Pointer, n uint64) {
		var sum uint64
		x := unsafe.Slice((*uint64)(src), n/8)
		for i := 0; i < len(x); i += 8 {
			sum += x[i]
		}
		sink.Add(sum)
	}
	return append(loads, linkLoad{"plain copies by 8", 8, plain}, linkLoad{"reads by 8", 8, read})
}

// beside times f while the load runs, round and round, and tells how many bytes it
// moved meanwhile.
func (r *linkRig) beside(l linkLoad, f func() error) (took time.Duration, moved uint64, err error) {
	const unit = 1 << 20
	var stop atomic.Bool
	var bytes atomic.Uint64
	var next workers.Counter
	var wg sync.WaitGroup
	for range l.by {
		wg.Go(func() {
			for !stop.Load() {
				off := uint64(next.Take()) * unit % r.p.KeyBytes()
				n := min(unit, r.p.KeyBytes()-off)
				l.copy(unsafe.Add(r.keep.Pointer(), off), unsafe.Add(r.job.At[op.KeysIO], off), n)
				bytes.Add(n)
			}
		})
	}
	time.Sleep(2 * time.Millisecond) // until all of them run
	before, start := bytes.Load(), time.Now()
	err = f()
	took, moved = time.Since(start), bytes.Load()-before
	stop.Store(true)
	wg.Wait()
	return took, moved, err
}

// BenchmarkLink tells what the processors' copies cost the link, in either
// direction: the transfer's time, the rate of the copies beside it, and the time
// lost for each GB copied, the best of five. $GPUSORT_BENCH_LOG2N as in
// BenchmarkPinned.
func BenchmarkLink(b *testing.B) {
	r := newLinkRig(b, linkDriver(), plan.Problem{Type: key.U32, Items: 1 << linkBits()})
	r.fill()
	for _, way := range []struct {
		name string
		run  func() error
	}{{"up", r.up}, {"down", r.down}} {
		var alone time.Duration
		for _, l := range linkLoads() {
			var best time.Duration
			var moved uint64
			for range 5 {
				took, n, err := r.beside(l, way.run)
				if err != nil {
					b.Fatal(err)
				}
				if best == 0 || took < best {
					best, moved = took, n
				}
			}
			if l.by == 0 {
				alone = best
			}
			s, gb := best.Seconds(), float64(moved)/1e9
			fmt.Printf("%-5s beside %-18s %8.2f ms %6.1f GB/s", way.name, l.name, s*1e3, float64(r.p.KeyBytes())/s/1e9)
			if l.by != 0 {
				fmt.Printf(", %5.1f GB/s copied", gb/s)
			}
			if moved > r.p.KeyBytes()/16 {
				fmt.Printf(", %5.2f ms lost per GB copied", (best-alone).Seconds()*1e3/gb)
			}
			fmt.Println()
		}
	}
	for b.Loop() { // all was timed above
	}
}
