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
