package crossover

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/op"
	"github.com/gpusort/gpusort/internal/plan"
	"github.com/gpusort/gpusort/internal/sys/cachedir"
)

// sample is a table in which the card takes 100 µs whatever the size and the
// processor 1 µs per 16 items.
func sample() *Table {
	t := New("2026-01-02T03:04:05Z")
	var cpu, card Curve
	for n := uint64(16); n <= 1<<20; n *= 4 {
		cpu.Points = append(cpu.Points, Point{n, float64(n) / 16 * 1e-6})
		card.Points = append(card.Points, Point{n, 100e-6})
	}
	cpu.Kind, card.Kind = Kind{Bits: 32}, Kind{Bits: 32}
	t.Devices = []Measured{{Host(), []Curve{cpu}}, {Device{"cuda:0", "card", "1"}, []Curve{card}}}
	return t
}

func TestAt(t *testing.T) {
	c := sample().Devices[0].Curves[0]
	for _, n := range []uint64{16, 17, 1000, 1 << 12, 1<<20 + 1, 1 << 24} {
		got, ok := c.At(n)
		if want := float64(n) / 16 * 1e-6; !ok || math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%d items: %g s, want %g", n, got, want)
		}
	}
	if got, _ := c.At(3); got != 1e-6 {
		t.Errorf("below the first point: %g", got)
	}
	if _, ok := (Curve{}).At(5); ok {
		t.Error("an empty curve predicts")
	}
}

func TestChoices(t *testing.T) {
	x := sample()
	k := KindOf(plan.Problem{Type: key.F32})
	if n, ok := x.Crossing(k); !ok || n != 4096 {
		t.Errorf("crossing at %d %v, want 4096: 16·100 = 1,600 lies below", n, ok)
	}
	if n, ok := x.Floor(); !ok || n != 1024 {
		t.Errorf("floor %d %v, want 1024", n, ok)
	}
	if s, ok := x.Soonest(plan.Problem{Type: key.I32, Items: 100}); !ok || s != 100e-6 {
		t.Errorf("soonest %g %v", s, ok)
	}
	if _, ok := x.Seconds(Device{"cuda:0", "card", "2"}, plan.Problem{Type: key.U32, Items: 1}); ok {
		t.Error("another driver's times are used")
	}
	if _, ok := x.Seconds(Host(), plan.Problem{Type: key.U64, Items: 1}); ok {
		t.Error("a width that was not measured is predicted")
	}
	strings := plan.Problem{Kind: op.Strings, Type: key.U64, Mode: plan.Argsort, ValueBytes: 4, Items: 16}
	if _, ok := x.Seconds(Host(), strings); ok || KindOf(strings) != Texts {
		t.Error("strings are predicted, which were not measured")
	}
	x.Devices[1].Curves = append(x.Devices[1].Curves, Curve{Texts, []Point{{16, 1e-9}}})
	x.Devices[0].Curves = append(x.Devices[0].Curves, Curve{Texts, []Point{{16, 1e-8}}})
	if s, ok := x.Soonest(strings); !ok || s != 1e-9 {
		t.Errorf("strings soonest %g %v", s, ok)
	}
	if n, _ := x.Floor(); n != 1024 {
		t.Errorf("floor %d with strings, want that of keys", n)
	}
	x.Devices = x.Devices[:1]
	if _, ok := x.Floor(); ok {
		t.Error("a floor without a device")
	}
	var none *Table
	if _, ok := none.Floor(); ok {
		t.Error("a floor without a table")
	}
}

func TestFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	t.Setenv(cachedir.Env, dir)
	if x, err := Load(); x != nil || err != nil {
		t.Fatalf("nothing saved: %v, %v", x, err)
	}
	path, err := sample().Save()
	if err != nil {
		t.Fatal(err)
	}
	x, err := Load()
	if err != nil || x == nil || len(x.Devices) != 2 || len(x.Devices[0].Curves[0].Points) != len(sample().Devices[0].Curves[0].Points) {
		t.Fatalf("loaded %+v, %v", x, err)
	}
	for name, text := range map[string]string{"cut off": `{"version":1,`, "not JSON": "x"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if x, err := Load(); x != nil || err == nil {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
	for name, spoil := range map[string]func(*Table){
		"other code":    func(x *Table) { x.Code = "x" },
		"other version": func(x *Table) { x.Version++ },
		"negative time": func(x *Table) { x.Devices[0].Curves[0].Points[1].Seconds = -1 },
		"not ascending": func(x *Table) { x.Devices[0].Curves[0].Points[1].Items = 1 },
	} {
		x := sample()
		spoil(x)
		if _, err := x.Save(); err != nil {
			t.Fatal(err)
		}
		if x, err := Load(); x != nil || err != nil {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
	t.Setenv(cachedir.Env, "off")
	if _, err := sample().Save(); err == nil {
		t.Error("saved without a cache")
	}
}
