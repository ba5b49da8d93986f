package engine

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/algo"
	"github.com/gpusort/gpusort/internal/driver"
	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
)

// fast are capabilities of a device that the model prefers to the CPU.
func fast() driver.Caps {
	c := fake.Caps()
	c.MemoryGBps, c.GlobalBytes = 4000, 1<<40
	return c
}

// autoEngine chooses among drv's devices as if it had been worth it before.
func autoEngine(t testing.TB, drv driver.Driver) *Engine {
	t.Helper()
	e, err := New(Config{Drivers: []driver.Driver{drv}, Algorithms: []algo.Algorithm{inMemory}, Images: fakeImages, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	e.probe.missed = openTime
	return e
}

func TestAutoChooses(t *testing.T) {
	slow := fake.Caps()
	slow.MemoryGBps = 0.1
	host := fast()
	host.CPU = true
	for _, c := range []struct {
		name  string
		caps  driver.Caps
		p     plan.Problem
		want  string
		words string
	}{
		{"fast", fast(), plan.Problem{Type: key.U32, Items: 1 << 24}, "fake:0", "with transfers against"},
		{"small", fast(), plan.Problem{Type: key.U32, Items: DeviceFloor - 1}, "cpu", "fewer than"},
		{"slow", slow, plan.Problem{Type: key.U32, Items: 1 << 24}, "cpu", "are not 1.25 times"},
		{"host processor", host, plan.Problem{Type: key.U32, Items: 1 << 24}, "cpu", "no GPU is present"},
		{"unsupported", fast(), plan.Problem{Type: key.I16, Items: 1 << 24}, "cpu", "no device can sort this"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := autoEngine(t, newFake(c.caps))
			defer e.Close()
			s, err := e.place(c.p)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.ID(); got != c.want {
				t.Errorf("placed on %s, want %s", got, c.want)
			}
			x, err := e.Explain(c.p)
			if err != nil {
				t.Fatal(err)
			}
			if x.Device != c.want || !strings.Contains(x.Why, c.words) {
				t.Errorf("explained as %s because %q, want %s because … %q", x.Device, x.Why, c.want, c.words)
			}
			if x.Predicted <= 0 {
				t.Error("no time is predicted")
			}
		})
	}
}

// TestAutoWaits checks the ski-rental rule: devices are not even listed until
// they would have saved as much as opening one costs.
func TestAutoWaits(t *testing.T) {
	e := autoEngine(t, newFake(fast()))
	defer e.Close()
	e.probe.missed = 0
	p := plan.Problem{Type: key.U64, Items: 1 << 22}
	gain := e.cpuTime(p) - e.genericTime(p)
	if gain <= 0 {
		t.Fatalf("the example gains %v", gain)
	}
	sorts := 0
	for !e.worthOpening(p) {
		sorts++
	}
	if want := int(openTime / gain); sorts < want-1 || sorts > want+1 {
		t.Errorf("opened after %d sorts, want about %d", sorts, want)
	}
}

func TestNamedDeviceErrors(t *testing.T) {
	drv := newFake()
	open := func(device, algorithm string) error {
		e, err := New(Config{Device: device, Algorithm: algorithm, Drivers: []driver.Driver{drv}, Algorithms: []algo.Algorithm{inMemory}, Images: fakeImages})
		if err == nil {
			err = e.Close()
		}
		return err
	}
	for _, ok := range [][2]string{{"FAKE", ""}, {"Fake:0", "IN-memory"}, {"CPU", ""}, {"auto", "in-memory"}, {"cpu", "cpu"}, {"", "cpu"}} {
		if err := open(ok[0], ok[1]); err != nil {
			t.Errorf("%q %q: %v", ok[0], ok[1], err)
		}
	}
	for _, bad := range []struct {
		device, algorithm string
		class             error
		words             string
	}{
		{"fake:7", "", driver.ErrNoDevice, "auto, cpu, fake:0"},
		{"tpu", "", driver.ErrNoDevice, "auto, cpu, fake:0"},
		{"fake", "bogo", driver.ErrUnsupported, "in-memory"},
		{"cpu", "in-memory", driver.ErrUnsupported, "cpu"},
	} {
		err := open(bad.device, bad.algorithm)
		if !errors.Is(err, bad.class) || !strings.Contains(err.Error(), bad.words) {
			t.Errorf("%q %q: %v, want %v and %q", bad.device, bad.algorithm, err, bad.class, bad.words)
		}
	}
}

// TestNamedDeviceStays checks that a named device is used for any size and
// never left.
func TestNamedDeviceStays(t *testing.T) {
	e, err := fakeEngine(t, newFake(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	j, want := testJob(plan.Problem{Type: key.U8, Items: 5})
	r, err := e.Sort(context.Background(), j)
	if err != nil || r.Device != "fake:0" || sameJob(j, want) != nil {
		t.Errorf("%+v, %v", r, err)
	}
	j, _ = testJob(plan.Problem{Type: key.I16, Items: 5})
	if _, err := e.Sort(context.Background(), j); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("an unsupported type: %v", err)
	}
}

// TestNamedOnBoth: a name that devices and the processor have is the processor's
// where there is no device.
func TestNamedOnBoth(t *testing.T) {
	e, err := New(Config{Algorithm: "radix-lsd", Drivers: []driver.Driver{}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	j, want := testJob(plan.Problem{Type: key.U32, Items: 1000})
	r, err := e.Sort(context.Background(), j)
	if err != nil || r.Device != "cpu" || r.Algorithm != "radix-lsd" {
		t.Errorf("%+v, %v", r, err)
	}
	if err := sameJob(j, want); err != nil {
		t.Error(err)
	}
}

// TestStudyIsNamed checks that a sort of the lab runs when it is named only.
func TestStudyIsNamed(t *testing.T) {
	study := inMemory
	study.Name, study.Study = "slow", true
	for name, want := range map[string]string{"": inMemory.Name, "slow": "slow"} {
		e, err := New(Config{Device: "fake:0", Algorithm: name, Drivers: []driver.Driver{newFake(fast())}, Algorithms: []algo.Algorithm{study, inMemory}, Images: fakeImages})
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.Explain(plan.Problem{Type: key.U32, Items: 1 << 20})
		if err != nil || x.Algorithm != want {
			t.Errorf("algorithm %q given: %s chosen, want %s; %v", name, x.Algorithm, want, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestSumsAreNoSorts: what is no sort is neither sorted nor explained as one, wherever
// it goes.
func TestSumsAreNoSorts(t *testing.T) {
	for _, device := range []string{"cpu", "fake:0", "auto"} {
		e, err := New(Config{Device: device, Drivers: []driver.Driver{newFake(fast())}, Algorithms: []algo.Algorithm{inMemory}, Images: fakeImages})
		if err != nil {
			t.Fatal(err)
		}
		j, _ := testJob(plan.Problem{Type: key.U32, Items: 1000})
		j.Kind = op.InclusiveSums
		in := bytesOf(j)
		if _, err := e.Sort(context.Background(), j); !errors.Is(err, driver.ErrUnsupported) || !strings.Contains(err.Error(), "inclusive sums") {
			t.Errorf("%s: %v", device, err)
		}
		if !bytes.Equal(bytesOf(j), in) {
			t.Errorf("%s: the memory is not the input", device)
		}
		if _, err := e.Explain(j.Spec); !errors.Is(err, driver.ErrUnsupported) {
			t.Errorf("%s: explained: %v", device, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
