package suite

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gpusort/gpusort/internal/algo/catalog"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/drivertest"
)

// The counts of cases for the last line.
var passed, failed, skipped atomic.Int64

var seed uint64

func TestMain(m *testing.M) {
	flag.Parse()
	seed = uint64(time.Now().UnixNano())
	if s := os.Getenv("GPUSORT_SEED"); s != "" {
		v, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			fmt.Fprintln(os.Stderr, "GPUSORT_SEED:", err)
			os.Exit(2)
		}
		seed = v
	}
	fmt.Printf("seed: GPUSORT_SEED=%d\n", seed)
	code := m.Run()
	if failed.Load() != 0 && code == 0 {
		code = 1
	}
	fmt.Printf("%d passed, %d failed, %d skipped\n", passed.Load(), failed.Load(), skipped.Load())
	os.Exit(code)
}

// full reports whether a device gets the whole grid.
func full(c driver.Caps) bool {
	switch os.Getenv("GPUSORT_SUITE") {
	case "full":
		return true
	case "short":
		return false
	}
	return !testing.Short() && !c.CPU
}

// atOnce calls f(0) … f(n−1), several at a time: the oracles on the host take
// longer than the device, and sorts of one engine must not disturb each other.
// GPUSORT_SUITE_WORKERS=1 puts them in order, to look for a cause.
func atOnce(n int, f func(i int)) {
	workers := min(16, runtime.GOMAXPROCS(0))
	if w, err := strconv.Atoi(os.Getenv("GPUSORT_SUITE_WORKERS")); err == nil && w > 0 {
		workers = w
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// eachDevice calls f in a subtest for every device of every backend. Absent
// backends are skipped or, if required, failures.
func eachDevice(t *testing.T, f func(t *testing.T, c driver.Caps)) {
	for _, drv := range catalog.Drivers() {
		t.Run(drv.Name(), func(t *testing.T) {
			for _, d := range drivertest.Devices(t, drv) {
				c := d.Caps()
				t.Run(c.ID, func(t *testing.T) { f(t, c) })
			}
		})
	}
}

// tally counts one case and reports its failure, up to a number per run that a
// reader can take in.
func tally(t *testing.T, id string, err error) {
	t.Helper()
	if err == nil {
		passed.Add(1)
		return
	}
	if n := failed.Add(1); n <= 50 {
		t.Errorf("%s: %v (GPUSORT_SEED=%d)", id, err, seed)
	} else {
		t.Fail()
	}
}

// skip counts cases that the device or the algorithm cannot run, and says why
// once per reason.
func skip(t *testing.T, n int, why string) {
	skipped.Add(int64(n))
	if _, seen := reasons.LoadOrStore(why, true); !seen {
		t.Log("skipped:", why)
	}
}

var reasons sync.Map
