// Package exec executes plans on devices and moves data there and back. It owns
// synchronisation, device memory and the errors of a device; which device and which
// algorithm sort a problem is its caller's choice (internal/engine).
//
// An Executor is what the devices of one engine share. A Session is one device: its
// loaded code, plans that were made before, and lanes, each of which holds the queues
// and the memory of one sort at a time. Host memory is sorted as a whole (hostjob.go),
// in two parts that hide the link's time (halves.go), or, if it does not fit the
// device, in pieces, in two trips (trips.go). A Group is several devices that sort
// as one (group.go), a Stream a queue of sorts that nobody waits for here (stream.go).
//
// Safety of the caller's data: until a sort is known to have succeeded on the device,
// the caller's slice is only read. What overwrites it afterwards is covered by a copy
// on the host, so that a device that vanishes in the middle of the download leaves
// the input in the slice. Several devices keep copies of each other's input where they
// can (mirror.go).
package exec

import (
	"log/slog"
	"runtime"
	"sync"
	"time"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/sys/mem"
)

// Settings say how an Executor works. They do not change while it sorts.
type Settings struct {
	Params      algo.Params // launch parameters of every plan
	MemoryLimit uint64      // bytes of device memory of one sort; 0: no limit
	IdleBytes   uint64      // device memory that may stay allocated between sorts; 0: all
	Workers     int         // goroutines of host work; 0: GOMAXPROCS
	Log         *slog.Logger
	Sizes       Sizes

	// Whole has every sort that fits the device run by the chosen plan alone, because
	// the caller wants to see that at work.
	Whole bool
	// Images replaces the embedded device code of a module.
	Images func(backend, module string) ([]driver.Image, error)
	// Poison fills scratch memory before each sort and checks guards around it
	// afterwards. Tests set it.
	Poison bool
	// Unsaved has no safety copies made. A benchmark sets it, to tell their cost.
	Unsaved bool
	// HostCopies has the host make the safety copies of several devices' shares, where
	// these would keep them. A benchmark sets it, to compare.
	HostCopies bool
	// Watch, if set, is told when a sort of host memory enters its stages.
	Watch func(stage string)
}

// Executor is what the devices of one engine share: settings, host memory for safety
// copies and merges, and the page-locked memory that callers hold.
type Executor struct {
	Settings
	pool mem.Pool

	mu     sync.Mutex
	pinned []pinnedRange
}

// New makes an executor.
func New(s Settings) *Executor {
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	return &Executor{Settings: s}
}

// Release frees the host memory that is kept between sorts. No sort runs.
func (x *Executor) Release() { x.pool.Release() }

// HostWorkers is the number of goroutines for host work.
func (x *Executor) HostWorkers() int {
	if x.Workers > 0 {
		return x.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// enter tells whoever watches what a sort of host memory begins with.
func (x *Executor) enter(stage string) {
	if x.Watch != nil {
		x.Watch(stage)
	}
}

// Result says what a sort on a device did.
type Result struct {
	Algorithm  string        // catalogue name
	Pieces     int           // parts that were sorted apart and merged; 1 if none
	DeviceTime time.Duration // of the sorting steps on the device, without transfers; with those of ranges among devices
	// RaisedLimit is what Settings.MemoryLimit was raised to, as the least that works;
	// 0 if it was kept.
	RaisedLimit uint64
	// Number is what Session.Run found, of an operation that finds a number: see plan.Status.
	Number uint64
}
