package run

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"time"
	"unsafe"

	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/internal/driver/cuda/nvml"
	"github.com/gpusort/gpusort/internal/kernel"
	"github.com/gpusort/gpusort/internal/plan"
)

// Revision is the commit of this build, "-modified" behind it for a changed work
// tree, set by the linker where the go command does not record it.
var Revision = ""

// environment describes this process and machine, without names of users,
// hosts or folders: results are published.
func environment(command string, started time.Time) result.Env {
	e := result.Env{
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuName(), Procs: runtime.GOMAXPROCS(0),
		Command: command, Started: started.UTC().Format(time.RFC3339),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				e.Commit = s.Value
			case "vcs.modified":
				e.Modified = s.Value == "true"
			}
		}
	}
	if e.Commit == "" {
		e.Commit, e.Modified = strings.CutSuffix(Revision, "-modified")
	}
	if v, err := kernel.Variant(); err == nil && v != nil {
		e.Variant, e.VariantSHA256 = v.Name, v.SHA256
	}
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		fmt.Sscan(string(b), &e.LoadAverage)
	}
	return e
}

// cpuName is the processor's name as Linux gives it, else empty.
var cpuName = sync.OnceValue(func() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(k) == "model name" {
			return strings.TrimSpace(v)
		}
	}
	return ""
})

// planHash identifies geometry and device code: the first 8 bytes of the
// SHA-256 of the plan's steps and of the embedded images that they can load.
func planHash(p plan.Plan, backend string) string {
	b, err := json.Marshal(p.Steps)
	if err != nil {
		return ""
	}
	h := sha256.New()
	h.Write(b)
	seen := map[string]bool{}
	for _, s := range p.Steps {
		module, _ := kernel.SplitVariant(s.Kernel.Module)
		if s.Op != plan.OpLaunch || seen[module] {
			continue
		}
		seen[module] = true
		for _, im := range kernel.Images(backend, module) {
			h.Write([]byte(im.SHA256))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func guardAt(p unsafe.Pointer, i int) unsafe.Pointer { return unsafe.Add(p, i*2*guardBytes) }

// monitor reads clocks where NVML is there. A nil monitor reads nothing.
type monitor struct {
	m       *nvml.Monitor
	devices map[string]*nvml.Device
}

func newMonitor() *monitor {
	m, err := nvml.Open()
	if err != nil {
		return nil
	}
	return &monitor{m, map[string]*nvml.Device{}}
}

func (m *monitor) read(uuid string) *result.Clocks {
	if m == nil || uuid == "" {
		return nil
	}
	d := m.devices[uuid]
	if d == nil {
		var err error
		if d, err = m.m.Device(uuid); err != nil {
			return nil
		}
		m.devices[uuid] = d
	}
	s, err := d.Sample()
	if err != nil {
		return nil
	}
	c := &result.Clocks{SMMHz: s.SMClockMHz, MemoryMHz: s.MemClockMHz, PowerW: s.PowerWatts, TempC: s.TemperatureC}
	if t := s.Throttle &^ nvml.Idle; t != 0 {
		c.Throttle = strings.Fields(t.String())
	}
	return c
}

func (m *monitor) close() {
	if m != nil {
		// Nothing was changed that a failure to close could lose.
		_ = m.m.Close()
	}
}
