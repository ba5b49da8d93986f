package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/cmd/lab/ncu"
	"github.com/gpusort/gpusort/cmd/lab/perfstat"
	"github.com/gpusort/gpusort/cmd/lab/result"
	"github.com/gpusort/gpusort/cmd/lab/run"
)

func TestCounters(t *testing.T) {
	in := full()
	in.Profiles[0].Kernels = []ncu.Kernel{{Name: "gs_step", Launches: 115, Values: map[string]float64{ncu.Metrics[0].Name: 90.14, ncu.Metrics[5].Name: 31.5}}}
	in.Profiles[1].NoCounters = "no ncu on the PATH"
	in.Profiles[2].NoCounters = "no ncu on the PATH"
	for i, algo := range []string{"bitonic-recursive", "bitonic-iter0"} {
		in.Profiles = append(in.Profiles, run.Profile{
			Cell: result.Cell{Algo: algo, Backend: "cpu", DeviceID: "cpu", KeyType: "i32", Mode: "keys", Dist: "uniform", Items: 1000}, Status: "ok", NS: 1e6, Env: testEnv,
			Counters: []perfstat.Count{{Event: "instructions", Value: float64(5000 * (i + 1))}, {Event: "task-clock", Value: 0.5}, {Event: "cycles", Missing: "not supported"}},
		})
	}
	tables, missing := counters(newData(in))
	if len(tables) != 2 || len(missing) != 1 {
		t.Fatalf("%d tables, %v", len(tables), missing)
	}
	if got := strings.Join(tables[0].Rows[0], "|"); got != "gs_step|115|90.1|–|–|–|–|31.5" {
		t.Errorf("%s", got)
	}
	if got := strings.Join(tables[1].Rows[1], "|"); got != "bitonic-iter0 · cpu|1 ms|10|500 ns|–" || !strings.Contains(tables[1].Note, "cycles") {
		t.Errorf("%s; %s", got, tables[1].Note)
	}
	var b bytes.Buffer
	if err := Write(&b, in, ""); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gs_step", "achieved occupancy %", "no ncu on the PATH", "bitonic-recursive · cpu"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
