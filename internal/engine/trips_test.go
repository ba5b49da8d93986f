package engine

import (
	"context"
	"strings"
	"testing"

	"github.com/gpusort/gpusort/internal/driver/fake"
	"github.com/gpusort/gpusort/internal/driver/trace"
	"github.com/gpusort/gpusort/internal/key"
	"github.com/gpusort/gpusort/internal/plan"
)

// TestTrips: a device sorts each piece, and then each range of the output; one that works in the host's memory
// leaves the second half to the host. Pieces are as many for each of three lanes.
func TestTrips(t *testing.T) {
	for _, ofHost := range []bool{false, true} {
		caps := fake.Caps()
		caps.CPU = ofHost
		tr := trace.New(newFake(caps))
		e, err := fakeEngine(t, tr, 26000)
		if err != nil {
			t.Fatal(err)
		}
		for _, mode := range []plan.Mode{plan.Keys, plan.Pairs, plan.Argsort} {
			p := plan.Problem{Type: key.I64, Mode: mode, Items: 4000}
			if mode != plan.Keys {
				p.ValueBytes = 4
			}
			j, want := testJob(p)
			tr.Reset()
			r, err := e.Sort(context.Background(), j)
			if err != nil || sameJob(j, want) != nil {
				t.Fatalf("of the host %v, %v: %v, %v", ofHost, mode, err, sameJob(j, want))
			}
			trips := 2
			if ofHost {
				trips = 1
			}
			if n := strings.Count(tr.String(), "Launch gs_fake_sort"); r.Pieces < 4 || r.Pieces%3 != 0 || n != trips*r.Pieces {
				t.Errorf("of the host %v, %v: %d sorts for %d pieces:\n%s", ofHost, mode, n, r.Pieces, tr)
			}
		}
		e.Close()
	}
}

// TestGroupLeastLimit: several devices raise a limit that is too low for any pieces, as one does, and explain
// as many pieces as a sort takes.
func TestGroupLeastLimit(t *testing.T) {
	raised := false
	for limit := uint64(1); limit < 1<<16; limit *= 3 {
		e, err := groupEngine(t, newGroupFake(fake.Linked, 2, 1<<30), limit, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := plan.Problem{Type: key.U64, Items: 4157}
		x, err := e.Explain(p)
		if err != nil {
			t.Fatal(err)
		}
		r := groupSortOnce(t, e, p, nil, "limited")
		if r.Pieces != x.Pieces || r.RaisedLimit != 0 && r.RaisedLimit <= limit {
			t.Errorf("limit %d: %d pieces, explained %d, raised to %d", limit, r.Pieces, x.Pieces, r.RaisedLimit)
		}
		raised = raised || r.RaisedLimit != 0
		for _, d := range e.chosen {
			if held := d.Held(); held > max(limit, r.RaisedLimit) {
				t.Errorf("limit %d, raised to %d: %s holds %d bytes", limit, r.RaisedLimit, d.ID(), held)
			}
		}
		e.Close()
	}
	if !raised {
		t.Error("no limit was too low")
	}
}
