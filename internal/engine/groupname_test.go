package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/fault"
	"github.com/gpusort/gpusort/internal/engine/crossover"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestGroupNames: which devices a name stands for.
func TestGroupNames(t *testing.T) {
	for name, want := range map[string]string{
		"fake:all": "fake:0,fake:1,fake:2", "FAKE:All": "fake:0,fake:1,fake:2", "fake:2, fake:0": "fake:2,fake:0", "fake,fake:1": "fake:0,fake:1", "fake:1": "fake:1",
	} {
		e, err := groupEngine(t, newGroupFake(fake.Linked, 3), 0, func(c *Config) { c.Device = name })
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		if e.cfg.Device != want || e.Several() != strings.Contains(want, ",") || e.Device().Caps().ID != strings.Split(want, ",")[0] {
			t.Errorf("%q is %s, several: %v", name, e.cfg.Device, e.Several())
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	one, err := groupEngine(t, newGroupFake(fake.Linked, 1), 0, nil)
	if err != nil || one.Several() || one.cfg.Device != "fake:0" {
		t.Errorf("all of one device: %v", err)
	}
	for name, c := range map[string]struct {
		class error
		words string
	}{
		"fake:0,fake:0": {driver.ErrUnsupported, "named twice"}, "fake:all,fake:1": {driver.ErrUnsupported, "named twice"},
		"fake:0,fake:9": {driver.ErrNoDevice, "fake:9"}, "other:all": {driver.ErrNoDevice, `device "other:all": no such device: known are auto, cpu, fake:0, fake:1`},
		"fake:0,cpu":  {driver.ErrUnsupported, `device "fake:0,cpu": not supported: cpu is not combined: only devices of one backend are`},
		"Auto,fake:0": {driver.ErrUnsupported, `device "Auto,fake:0": not supported: Auto is not combined`},
		"fake:0,":     {driver.ErrNoDevice, `device "fake:0,": no such device: there is no name on one side of a comma: known are auto, cpu, fake:0`},
		" ,":          {driver.ErrNoDevice, `device " ,": no such device: there is no name on one side of a comma`},
		"gpu":         {driver.ErrNoDevice, `device "gpu": no such device`}, "ALL": {driver.ErrNoDevice, `device "ALL": no such device`},
		"fake, bogus": {driver.ErrNoDevice, `device "bogus": no such device`},
	} {
		drv := newGroupFake(fake.Linked, 2)
		if _, err := groupEngine(t, drv, 0, func(cfg *Config) { cfg.Device = name }); !errors.Is(err, c.class) || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%q: %v", name, err)
		}
		if drv.Live() != 0 {
			t.Errorf("%q: %d objects leaked", name, drv.Live())
		}
	}
	want := `device "fake:all": no such device: known are auto, cpu (`
	if _, err := New(Config{Device: "fake:all", Drivers: []driver.Driver{new(fake.Driver)}}); !errors.Is(err, driver.ErrNoDevice) || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("all of a backend without devices: %v, want %s", err, want)
	}
	for _, device := range []string{"gpu", "Cuda:0,auto"} {
		if _, err := ScratchBytes(Config{Device: device, Algorithm: "bogus"}, plan.Problem{Type: key.U64, Items: 1}); err == nil || !strings.Contains(err.Error(), "on device "+device+": known") {
			t.Errorf("an unknown algorithm on %s: %v", device, err)
		}
	}
	if _, err := ScratchBytes(Config{Device: "gpu"}, plan.Problem{Type: key.U64, Items: 1}); err == nil || !strings.Contains(err.Error(), "device gpu: ") {
		t.Errorf("scratch on gpu: %v", err)
	}
	if n, err := ScratchBytes(Config{Device: "cuda:all"}, plan.Problem{Type: key.U64, Items: 1 << 20}); err != nil || n == 0 {
		t.Errorf("scratch: %d, %v", n, err)
	}
}

// TestGroupExplain: the shares of even and of uneven devices, of short sorts and in rounds.
func TestGroupExplain(t *testing.T) {
	for _, c := range []struct {
		name          string
		memory, limit uint64
		items         uint64
		first, last   uint64
		pieces        int
	}{
		{name: "even", memory: 1 << 30, items: 1000, first: 334, last: 333, pieces: 1},
		{name: "short", memory: 1 << 30, items: 5, first: 5, pieces: 1},
		{name: "uneven", memory: 6000, items: 1000, first: 349, last: 302, pieces: 1},
		{name: "pieces", memory: 1 << 30, limit: 4000, items: 1000, first: 334, last: 333, pieces: 18},
	} {
		e, err := groupEngine(t, newGroupFake(fake.Linked, 3, c.memory), c.limit, nil)
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Explain(plan.Problem{Type: key.U64, Items: c.items})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := make([]uint64, 3)
		for i, s := range x.Shares {
			if got[i] = s.Items; s.Device != e.chosen[i].ID() {
				t.Errorf("%s: share %d is of %s", c.name, i, s.Device)
			}
		}
		if c.name == "short" {
			if len(x.Shares) != 0 {
				t.Errorf("short: shares %v", x.Shares)
			}
			continue
		}
		if got[0] != c.first || got[2] != c.last || x.Pieces != c.pieces || x.Why != "the devices are named" || x.Predicted <= 0 || x.TransferBytes != 16*c.items*min(uint64(c.pieces), 2) {
			t.Errorf("%s: %+v", c.name, x)
		}
	}
}

// TestAutoTogether: auto has several devices sort where that was measured to be fastest,
// and sorts on the CPU if one of them is lost.
func TestAutoTogether(t *testing.T) {
	const items = 1 << 20
	open := func(drv driver.Driver, cpu, one, both float64) *Engine {
		e, err := New(Config{Drivers: []driver.Driver{drv}, Algorithms: inMemories, Images: fakeImages, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		e.exec.Sizes.ShareFrom = 1 << 20
		line := func(d crossover.Device, s float64) crossover.Measured {
			return crossover.Measured{Device: d, Curves: []crossover.Curve{{Kind: crossover.Kind{Bits: 32}, Points: []crossover.Point{{Items: 1 << 10, Seconds: s / 1024}, {Items: items, Seconds: s}}}}}
		}
		table := crossover.New("")
		table.Devices = []crossover.Measured{line(crossover.Host(), cpu)}
		if list, err := e.discover(); err == nil {
			for _, d := range list {
				table.Devices = append(table.Devices, line(measuredDevice(d.Caps()), one))
			}
			table.Devices = append(table.Devices, line(e.probe.group.measured(), both))
		}
		e.cfg.Tuning = table
		return e
	}
	for _, c := range []struct {
		cpu, one, both float64
		items          uint64
		want           string
	}{
		{3, 2, 1, items, "fake:0,fake:1"}, {3, 2, 2.5, items, "fake:0"}, {1, 3, 2, items, "cpu"}, {1, 3, 0.5, items, "fake:0,fake:1"}, {3, 2, 1, items / 8, "fake:0"},
	} {
		drv := newGroupFake(fake.Linked, 2)
		e := open(drv, c.cpu, c.one, c.both)
		p := plan.Problem{Type: key.U32, Items: c.items}
		at, err := e.place(p)
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Explain(p)
		if err != nil {
			t.Fatal(err)
		}
		if at.ID() != c.want || x.Device != c.want || (len(x.Shares) == 2) != strings.Contains(c.want, ",") {
			t.Errorf("%+v: placed on %s, explained as %s because %q, shares %v", c, at.ID(), x.Device, x.Why, x.Shares)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	drv := newGroupFake(fake.Linked, 2)
	e := open(fault.Lost(drv, 20, &driver.Error{Name: "LOST", Code: 5, Class: driver.ErrDeviceLost}), 3, 2, 1)
	for turn := range 2 {
		j, want := testJob(plan.Problem{Type: key.U32, Items: items})
		r, err := e.Sort(context.Background(), j)
		if err != nil || sameJob(j, want) != nil || r.Device != "cpu" {
			t.Errorf("turn %d: %+v, %v", turn, r, err)
		}
		if turn == 0 && !strings.Contains(r.Fallback, "fake:0,fake:1: fake:") {
			t.Errorf("no word of the fallback: %q", r.Fallback)
		}
	}
	_ = e.Close()
}

// near is a device that reaches those whose numbers have its island.
type near struct {
	driver.Device
	islands []int
}

func (d near) CanAccess(peer driver.Device) (bool, error) {
	return slices.ContainsFunc(d.islands, func(i int) bool { return slices.Contains(peer.(near).islands, i) }), nil
}

func (near) EnableAccess(driver.Device) error { return nil }

// TestNeighbours: auto takes the most devices that all reach each other.
func TestNeighbours(t *testing.T) {
	for _, c := range []struct {
		islands [][]int
		want    []int
	}{
		{[][]int{{0}, {0}, {0}, {0}}, []int{0, 1, 2, 3}},
		{[][]int{{0}, {1}, {0}, {1}, {1}}, []int{1, 3, 4}},
		{[][]int{{0}, {0, 1}, {1}}, []int{0, 1}}, // a chain
		{[][]int{{0}, {1}}, []int{0}},
		{nil, nil},
	} {
		var list []driver.Device
		for _, islands := range c.islands {
			list = append(list, near{islands: islands})
		}
		if got := neighbours(list); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.islands, got, c.want)
		}
	}
	if got := neighbours([]driver.Device{nil, nil}); len(got) != 1 {
		t.Errorf("devices without peers: %v", got)
	}
}
