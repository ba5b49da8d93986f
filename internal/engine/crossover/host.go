package crossover

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
)

// Host identifies the processor by its name, where the system tells, and the
// number of threads that sorts use. Its Name changes with GOMAXPROCS.
func Host() Device {
	return Device{ID: CPU, Name: fmt.Sprintf("%s %s, %d threads", runtime.GOARCH, model(), runtime.GOMAXPROCS(0))}
}

// model is the processor's name, or "processor".
var model = sync.OnceValue(func() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "processor"
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if name, value, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "processor"
})
