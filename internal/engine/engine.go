// Package engine chooses where and how a sort runs, on the processor or on a device,
// and has it run there.
//
// An Engine is the object behind the root package's Sorter. It lists devices
// (devices.go), chooses between them and the processor (place.go, select.go), predicts
// times (model.go, tuned.go), explains its choice (explain.go), and leaves a device
// that fails for the processor. Plans are executed by internal/exec.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/algo/cpu/simd"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/engine/crossover"
	"github.com/gpusort/gpusort/internal/exec"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// Config are the settings of an Engine. The zero Config means automatic
// choice of everything.
type Config struct {
	// Device is "auto" (or empty), "cpu", a device ID such as "cuda:0", several with
	// commas, or "cuda:all".
	Device      string
	Algorithm   string // empty: the first that supports the problem
	Params      algo.Params
	MemoryLimit uint64 // bytes of device memory, or of host scratch on the CPU; 0: no limit
	HostScratch uint64 // bytes of scratch on the CPU, in MemoryLimit's place; 0: as that says
	Workers     int    // goroutines of host work; 0: GOMAXPROCS
	Logger      *slog.Logger

	// Tuning replaces the measured times of the user's cache directory.
	Tuning *crossover.Table

	// Drivers replaces the catalogue's; Algorithms likewise. Tests set them.
	Drivers    []driver.Driver
	Algorithms []algo.Algorithm
	// Images replaces the embedded device code of a module.
	Images func(backend, module string) ([]driver.Image, error)
	// IdleBytes is the device memory that may stay allocated between sorts;
	// 0 keeps all until Close.
	IdleBytes uint64
	// Poison fills scratch memory before each sort and checks guards around it
	// afterwards. Tests set it.
	Poison bool
}

// Report says what a sort did.
type Report struct {
	Device     string        // "cpu", "cuda:0"
	Algorithm  string        // catalogue name
	Items      uint64        // keys sorted
	Pieces     int           // parts that were sorted apart and merged; 1 if none
	Elapsed    time.Duration // from call to return
	DeviceTime time.Duration // of the sorting steps on the device, without transfers; 0 on the CPU
	Fallback   string        // why a device was left for the CPU; empty if none was
	// RaisedLimit is what the memory limit was raised to on a device, as the least that
	// works; 0 if it was kept.
	RaisedLimit uint64
}

// Engine sorts with one configuration. It is safe for several goroutines.
type Engine struct {
	cfg  Config
	auto bool
	host *host
	// hostNamed says that host, too, has the configured algorithm's name.
	hostNamed bool
	log       *slog.Logger
	exec      *exec.Executor

	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup     // of begin; nothing is added once closed is set
	known   map[string]*device // by ID: the named ones, or those that auto may use
	chosen  []*device          // the named ones, in order
	group   *group             // of the named ones, if they are several
	probe   probe
	tuned   tuned
}

// mostWorkers is more than any machine has processors.
const mostWorkers = 1 << 12

// New makes an engine. A device named in the configuration is looked up at
// once: ErrNoDevice with the known ones if it is not there. Under "auto" no
// library is loaded and no device touched before a sort that is worth it.
func New(cfg Config) (*Engine, error) {
	if err := simd.CheckEnv(); err != nil {
		return nil, err
	}
	return newEngine(cfg)
}

// newEngine is New that does not mind an unknown level of the CPU's instructions.
func newEngine(cfg Config) (*Engine, error) {
	if cfg.Workers < 0 {
		return nil, fmt.Errorf("%d workers: give 0 for one per processor, or more", cfg.Workers)
	}
	// More goroutines than items are of no use; so many more would only take memory.
	cfg.Workers = min(cfg.Workers, mostWorkers)
	x := exec.New(exec.Settings{
		Params: cfg.Params, MemoryLimit: cfg.MemoryLimit, IdleBytes: cfg.IdleBytes, Workers: cfg.Workers, Log: cfg.Logger,
		Sizes: exec.DefaultSizes, Whole: cfg.Algorithm != "", Images: cfg.Images, Poison: cfg.Poison,
	})
	e := &Engine{cfg: cfg, known: map[string]*device{}, exec: x, log: x.Log}
	if err := e.checkAlgorithm(); err != nil {
		return nil, err
	}
	switch name := normalDevice(cfg.Device); name {
	case "auto":
		e.auto = true
	case "cpu":
	default:
		list, err := e.named(cfg.Device)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			e.chosen = append(e.chosen, e.know(d))
		}
		if e.cfg.Device = list[0].Caps().ID; len(list) > 1 {
			e.group = e.newGroup(e.chosen)
			e.cfg.Device = e.group.ID()
		}
		return e, nil
	}
	e.cfg.Device = normalDevice(cfg.Device)
	return e, nil
}

// Close waits for running sorts and releases queues, device memory, pinned
// memory and the devices themselves, and with them Buffers and pinned memory
// that their owners did not close. A second Close is a no-op.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	e.mu.Unlock()
	e.running.Wait()
	e.mu.Lock()
	all := slices.Collect(maps.Values(e.known))
	e.mu.Unlock()
	var errs []error
	for _, d := range all {
		errs = append(errs, d.Close())
	}
	e.exec.Release()
	return errors.Join(errs...)
}

// begin keeps the engine open until e.running.Done, or returns an error if it is
// closed.
func (e *Engine) begin(op string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errClosed(op)
	}
	e.running.Add(1)
	return nil
}

// errClosed is what calls after Close return.
func errClosed(op string) error {
	return fmt.Errorf("%s: %w: make a new sorter", op, driver.ErrClosed)
}

// Sort sorts host memory in place. After an error the memory holds the input;
// after a cancelled sort on the CPU a permutation of it with pairs together.
func (e *Engine) Sort(ctx context.Context, j op.Job) (Report, error) {
	start := time.Now()
	if ctx == nil {
		ctx = context.Background()
	}
	r := Report{Device: "cpu", Items: j.Items, Pieces: 1}
	if err := j.Validate(); err != nil {
		return r, fmt.Errorf("%w: %v", driver.ErrUnsupported, err)
	}
	if err := ctx.Err(); err != nil {
		return r, err
	}
	if err := e.begin("sort"); err != nil {
		return r, err
	}
	defer e.running.Done()
	r, err := e.sort(ctx, j, r)
	r.Elapsed = time.Since(start)
	if e.cfg.Logger != nil {
		e.log.Debug("sorted", "device", r.Device, "algorithm", r.Algorithm, "type", j.Type.String(), "mode", j.Mode.String(),
			"items", j.Items, "pieces", r.Pieces, "elapsed", r.Elapsed, "device_time", r.DeviceTime, "error", err)
	}
	return r, err
}

func (e *Engine) sort(ctx context.Context, j op.Job, r Report) (Report, error) {
	if j.Type.HostOnly() {
		if e.cfg.Device != "cpu" && (!e.auto || e.deviceAlgorithm()) {
			r.Fallback = hostOnly(j.Spec).Error()
		}
		return e.host.run(ctx, j, r)
	}
	at, err := e.place(j.Spec)
	if err != nil {
		return r, err
	}
	r, err = at.run(ctx, j, r)
	if err == nil || !e.auto || at == place(e.host) || ctx.Err() != nil || errors.Is(err, plan.ErrRefused) || errors.Is(err, driver.ErrInputLost) {
		return r, err
	}
	r.Fallback = e.left(at, err)
	r.DeviceTime, r.Pieces, r.RaisedLimit = 0, 1, 0
	return e.host.run(ctx, j, r)
}

// left tells that at is left for the processor because of err, and has "auto" not try it again if it is
// lost. It returns a report's word of that.
func (e *Engine) left(at place, err error) (fallback string) {
	e.log.Warn("device failed, sorting on the CPU", "device", at.ID(), "error", err)
	if errors.Is(err, driver.ErrDeviceLost) {
		switch at := at.(type) {
		case *device:
			at.lost.Store(true)
		case *group:
			at.lost.Store(true)
		}
	}
	return fmt.Sprintf("%s: %v", at.ID(), err)
}
